//! What an `escalares.py` may declare, what comes of calling it, and that nothing of it is left.
//!
//! They need a `python3`. Without one they say nothing, but under `CI` that is a failure.

use super::worker::{PYTHON, Patience, Worker};
use super::*;
use crate::fallo::Fallo;
use crate::proyecto::Lectura;
use crate::proyecto::disk::{Disk, medida, told};
use crate::valor::parse;
use rustix::process::{Pid, test_kill_process};
use std::fs;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

/// Where a test ends on a machine that has no interpreter.
macro_rules! needs_python {
    () => {
        if !*HAS_PYTHON {
            return;
        }
    };
}

static HAS_PYTHON: LazyLock<bool> = LazyLock::new(|| {
    let mut command = Command::new(PYTHON);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let has = command.status().is_ok_and(|status| status.success());
    assert!(has || std::env::var_os("CI").is_none(), "{PYTHON} is needed");
    has
});

const HEAD: &str = "from oracle_metalenguaje import escalar\n\n";

fn disk(declarations: &str) -> Disk {
    Disk::with(&[("escalares.py", &format!("{HEAD}{declarations}"))])
}

/// A view of that project whose functions run.
fn running(disk: &Disk, cancellation: &Cancellation) -> Lectura {
    let lectura = disk.lectura_confiada(cancellation);
    lectura.escalares().unwrap();
    lectura
}

fn called(lectura: &Lectura, call: &str) -> Result<Valor, String> {
    let call = parse(call).unwrap();
    let [nombre, args @ ..] = call.as_list().unwrap() else { panic!() };
    lectura.contexto().escalares.call(nombre.as_str().unwrap(), args)
}

/// What each call answers, or how its failure begins.
#[track_caller]
fn check(declarations: &str, calls: &[(&str, Result<&str, &str>)]) {
    let disk = disk(declarations);
    let lectura = running(&disk, &Cancellation::new());
    for (call, expect) in calls {
        match (called(&lectura, call), expect) {
            (Ok(value), Ok(expect)) => assert_eq!(&value.to_compact(), expect, "{call}"),
            (Err(why), Err(expect)) => assert!(why.starts_with(expect), "{call}: {why:?}"),
            (outcome, _) => panic!("{call}: {outcome:?}, expected {expect:?}"),
        }
    }
}

/// A file that does not load, and how the reason begins.
#[track_caller]
fn refused(declarations: &str, why: &str) {
    let disk = disk(declarations);
    let told = told(&disk.lectura_confiada(&Cancellation::new()).escalares());
    assert!(told.starts_with(&format!("catalogo: escalares.py: {why}")), "{told}");
}

#[test]
fn values_go_and_come_back_as_they_are() {
    needs_python!();
    let (zeros, there) = ("0".repeat(4299), format!("[\"doble\",1{}]", "0".repeat(4299)));
    let doubled = format!("2{zeros}");
    check(
        "@escalar('mismo')\ndef mismo(x):\n    return x\n\n@escalar('doble')\ndef doble(x):\n    return x * 2\n",
        &[
            (r#"["mismo",9007199254740993]"#, Ok("9007199254740993")),
            (r#"["mismo",1.0]"#, Ok("1.0")),
            (r#"["mismo",-0.0]"#, Ok("-0.0")),
            (r#"["mismo",1e-07]"#, Ok("1e-07")),
            (r#"["mismo",1e+16]"#, Ok("1e+16")),
            (r#"["mismo","línea\n\"á\" \u0000 😀"]"#, Ok(r#""línea\n\"á\" \u0000 😀""#)),
            (r#"["mismo",null]"#, Ok("null")),
            (r#"["mismo",true]"#, Ok("true")),
            (r#"["mismo",{"b":1,"a":[2]}]"#, Ok(r#"{"b":1,"a":[2]}"#)),
            (&there, Ok(&doubled)),
            (r#"["doble",0.1]"#, Ok("0.2")),
        ],
    );
}

#[test]
fn the_language_keeps_its_own() {
    needs_python!();
    check("@escalar('mitad')\ndef mitad(x):\n    return x / 2\n", &[(r#"["mas",1,2]"#, Ok("3"))]);
    refused("@escalar('mas')\ndef mas(a, b):\n    return a\n", "«mas» es una función del lenguaje");
}

#[test]
fn arities_are_those_of_the_signature() {
    needs_python!();
    let disk = disk(
        "@escalar('dos')\ndef dos(a, b, *, c=1, **d):\n    pass\n\n@escalar('hasta')\ndef hasta(a, /, b=2):\n    \
         pass\n\n@escalar('todas')\ndef todas(a, *b):\n    pass\n",
    );
    let lectura = running(&disk, &Cancellation::new());
    let arity = |nombre| lectura.contexto().escalares.arity(nombre);
    assert_eq!(arity("dos"), Some(Arity::exactly(2)));
    assert_eq!(arity("hasta"), Some(Arity { min: 1, max: Some(2) }));
    assert_eq!(arity("todas"), Some(Arity { min: 1, max: None }));
    assert_eq!(arity("mas"), Some(Arity::exactly(2)));
    assert_eq!(arity("otra"), None);
}

#[test]
fn declarations_are_held_to_their_form() {
    needs_python!();
    let declared = |how: &str| format!("@escalar({how})\ndef f(a, b=1):\n    pass\n");
    for accepted in [
        "'f', 'mm'",
        "'f', unidad='', unidades_argumentos=('mm', ' s ')",
        "nombre='f_2', unidades_argumentos=()",
        "'f', registro=None",
    ] {
        running(&disk(&declared(accepted)), &Cancellation::new());
    }
    refused(&declared("'F'"), "ErrorDeAlgebra: «F» no es un nombre de escalar");
    refused(&declared("'a.b'"), "ErrorDeAlgebra: «a.b» no es un nombre de escalar");
    refused(&declared("'f\\n'"), "ErrorDeAlgebra: «f");
    refused(&declared("7"), "ErrorDeAlgebra: «7» no es un nombre de escalar");
    refused(&declared("'f', unidad=None"), "ErrorDeAlgebra: la unidad de «f»");
    refused(&declared("'f', 'a\\nb'"), "ErrorDeAlgebra: la unidad de «f»");
    for units in ["['a', 'b']", "('a', ' ')", "('a', 'b\\r')", "('a', 1)"] {
        let how = format!("'f', unidades_argumentos={units}");
        refused(&declared(&how), "ErrorDeAlgebra: las unidades de los argumentos de «f»");
    }
    refused(
        &declared("'f', unidades_argumentos=('a',)"),
        "ErrorDeAlgebra: «f» declara 1 unidades y recibe 2",
    );
    refused(&declared("'f', ('a', 'b')"), "ErrorDeAlgebra: la unidad de «f»");
    refused(&declared("'f', '', ('a', 'b')"), "TypeError: escalar()");
    refused(
        "@escalar('f', unidades_argumentos=('a',))\ndef f(*a):\n    pass\n",
        "ErrorDeAlgebra: «f» declara 1 unidades y recibe cualquier cantidad",
    );
    refused("@escalar('f')\ndef f(a, *, b):\n    pass\n", "ErrorDeAlgebra: el argumento «b»");
    refused(
        "@escalar('f')\ndef f():\n    pass\n\nescalar('f')(len)\n",
        "ErrorDeAlgebra: «f» se declara dos veces",
    );
}

#[test]
fn a_file_that_does_not_run_declares_nothing() {
    needs_python!();
    refused("def f(:\n", "SyntaxError: ");
    refused("1 / 0\n", "ZeroDivisionError: division by zero");
    refused("raise SystemExit(0)\n", "SystemExit: 0");
    refused("import os\nos._exit(0)\n", "el proceso que lo ejecuta terminó sin responder");
    refused("import no_hay_tal_modulo\n", "ModuleNotFoundError: ");
    refused("from nucleo import medida\n", "ImportError: ");
    refused("x = '\\udc80'\nraise ValueError(x)\n", "ValueError: ?");
}

#[test]
fn it_imports_what_it_declares_with_and_the_standard_library() {
    needs_python!();
    for import in [
        "from oracle_metalenguaje import escalar, ErrorDeAlgebra, RegistroEscalares",
        "from nucleo.algebra import escalar, ErrorDeAlgebra, RegistroEscalares",
        "import oracle_metalenguaje\nescalar = oracle_metalenguaje.escalar",
        "from nucleo import algebra\nescalar = algebra.escalar",
        "import dataclasses, datetime, decimal, re, statistics",
    ] {
        check(
            &format!(
                "{import}\naparte = {{}}\n\n@escalar('f', registro=aparte)\ndef g():\n    pass\n\n@escalar('f')\ndef \
                 f():\n    return list(aparte)\n"
            ),
            &[(r#"["f"]"#, Ok(r#"["f"]"#))],
        );
    }
    let encoded = Disk::new();
    encoded.write(
        "escalares.py",
        b"# coding: latin-1\nfrom nucleo.algebra import escalar\nescalar('n\xe9'[0])(lambda: '\xe9')\n",
    );
    assert_eq!(called(&running(&encoded, &Cancellation::new()), r#"["n"]"#), Ok(Valor::from("é")));
}

#[test]
fn a_failure_of_a_function_is_told_and_the_next_call_is_served() {
    needs_python!();
    let raises = |what: &str, name: &str| format!("@escalar('{name}')\ndef {name}():\n    {what}\n\n");
    let file = [
        raises("raise ValueError('así\\nno')", "falla"),
        raises("raise SystemExit(3)", "sale"),
        raises("return float('nan')", "nan"),
        raises("return object()", "objeto"),
        raises("return '\\ud800'", "suelto"),
        raises("return falla()", "adentro"),
        raises("return input()", "lee"),
        raises("return 1", "uno"),
    ]
    .concat();
    check(
        &file,
        &[
            (r#"["falla"]"#, Err("ValueError: así\nno")),
            (r#"["sale"]"#, Err("SystemExit: 3")),
            (r#"["nan"]"#, Err("ValueError: ")),
            (r#"["objeto"]"#, Err("TypeError: ")),
            (r#"["suelto"]"#, Err("UnicodeEncodeError: ")),
            (r#"["adentro"]"#, Err("ValueError: así\nno")),
            (r#"["lee"]"#, Err("EOFError: ")),
            (r#"["uno",1]"#, Err("TypeError: ")),
            (r#"["uno"]"#, Ok("1")),
        ],
    );
}

#[test]
fn a_process_that_dies_answers_nothing_more() {
    needs_python!();
    let ended = Err("el proceso que lo ejecuta terminó sin responder");
    check(
        "import os\n\n@escalar('muere')\ndef muere():\n    os._exit(1)\n\n@escalar('uno')\ndef uno():\n    return 1\n",
        &[(r#"["muere"]"#, ended), (r#"["uno"]"#, ended), (r#"["mas",1,1]"#, Ok("2"))],
    );
}

#[test]
fn what_it_prints_is_no_answer() {
    needs_python!();
    check(
        "import os, sys\nprint('al cargar')\n\n@escalar('dice')\ndef dice():\n    print('{\"valor\":7}')\n    \
         sys.__stdout__.write('x\\n')\n    os.write(1, b'{\"valor\":8}\\n')\n    return 1\n",
        &[(r#"["dice"]"#, Ok("1")), (r#"["dice"]"#, Ok("1"))],
    );
}

#[test]
fn it_is_kept_to_the_project_and_to_itself() {
    needs_python!();
    let tries = |what: &str, name: &str| format!("@escalar('{name}')\ndef {name}():\n    return {what}\n\n");
    let file = [
        "import os, pathlib, socket, subprocess\n\n".to_owned(),
        tries("open('datos.txt').read()", "propio"),
        tries("sorted(os.listdir())", "lista"),
        tries("pathlib.Path(__file__).with_name('datos.txt').read_text()", "al_lado"),
        tries("open('/etc/passwd').read()", "ajeno"),
        tries("open('../../etc/passwd', 'rb').read()", "subiendo"),
        tries("open('enlace').read()", "enlazado"),
        tries("os.listdir('/')", "lista_ajena"),
        tries("subprocess.run(['true'])", "proceso"),
        tries("os.fork()", "bifurca"),
        tries("os.execv('/bin/true', ['true'])", "se_cambia"),
        tries("socket.socket()", "red"),
        tries("__import__('ctypes')", "nativo"),
        tries("os.kill(os.getppid(), 15)", "mata"),
        tries("os.chmod('datos.txt', 0o600)", "permisos"),
        tries("os.utime('datos.txt')", "fecha"),
    ]
    .concat();
    let disk = disk(&file);
    disk.write("datos.txt", "siete");
    disk.link("enlace", "/etc/passwd");
    let lectura = running(&disk, &Cancellation::new());
    let call = |name: &str| called(&lectura, &format!("[\"{name}\"]"));
    assert_eq!(call("propio"), Ok(Valor::from("siete")));
    assert_eq!(call("al_lado"), Ok(Valor::from("siete")));
    let names = ["catalogos", "datos.txt", "enlace", "escalares.py"].map(Valor::from);
    assert_eq!(call("lista"), Ok(Valor::list(names)));
    for name in ["ajeno", "subiendo", "enlazado", "lista_ajena"] {
        let why = call(name).unwrap_err();
        assert!(
            why.starts_with("PermissionError: escalares.py no lee fuera del proyecto: "),
            "{name}: {why}"
        );
    }
    for name in ["proceso", "bifurca", "se_cambia", "red", "nativo", "mata", "permisos", "fecha"] {
        let why = call(name).unwrap_err();
        assert!(why.starts_with("PermissionError: escalares.py no puede usar "), "{name}: {why}");
    }
}

#[test]
fn measures_see_names_and_arities() {
    needs_python!();
    let file = format!("{HEAD}@escalar('mitad')\ndef mitad(x):\n    return x / 2\n");
    let told = |condition: &str| {
        let measure = medida("a.b", "item").replace("a.n < 0", condition);
        let disk = Disk::with(&[("escalares.py", &file), ("catalogos/a.b.oracle", &measure)]);
        let lectura = running(&disk, &Cancellation::new());
        told(&lectura.catalogo(&lectura.macros().unwrap()))
    };
    assert_eq!(told("mitad(a.n) < 0"), "ok");
    assert!(told("tercio(a.n) < 0").contains("tercio"));
    assert!(told("mitad(a.n, 1) < 0").contains("mitad"));
}

#[test]
fn a_symlink_is_no_file_to_run() {
    let disk = Disk::new();
    disk.write("otro.py", "");
    disk.link("escalares.py", "otro.py");
    let told = told(&disk.lectura_confiada(&Cancellation::new()).escalares());
    assert!(told.starts_with("proyecto: «escalares.py» es un enlace simbólico"), "{told}");
}

#[test]
fn no_bytecode_is_left() {
    needs_python!();
    let disk =
        disk("import pathlib, sys\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\nimport vecino\n");
    disk.write("vecino.py", "x = 1\n");
    running(&disk, &Cancellation::new());
    assert!(disk.path("vecino.py").is_file() && !disk.path("__pycache__").exists());
}

const PID: &str = "import os\n\n@escalar('pid')\ndef pid():\n    return os.getpid()\n\n";
const WAITS: &str =
    "@escalar('espera')\ndef espera():\n    open('en-espera', 'w').close()\n    while True:\n        pass\n";

fn pid(lectura: &Lectura) -> Pid {
    match called(lectura, r#"["pid"]"#) {
        Ok(Valor::Int(pid)) => Pid::from_raw(pid.to_i64().unwrap().try_into().unwrap()).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Neither a process nor a zombie.
fn is_gone(pid: Pid) -> bool {
    test_kill_process(pid).is_err()
}

#[test]
fn the_process_ends_with_the_view() {
    needs_python!();
    let disk = disk(PID);
    let lectura = running(&disk, &Cancellation::new());
    let pid = pid(&lectura);
    assert!(!is_gone(pid));
    drop(lectura);
    assert!(is_gone(pid));
}

#[test]
fn a_process_that_left_its_group_ends_too() {
    needs_python!();
    let disk = disk(&format!("{PID}os.setpgid(0, os.getpgid(os.getppid()))\n"));
    let lectura = running(&disk, &Cancellation::new());
    let pid = pid(&lectura);
    drop(lectura);
    assert!(is_gone(pid));
}

#[test]
fn a_cancellation_ends_a_function_that_never_does() {
    needs_python!();
    let disk = disk(&format!("{PID}{WAITS}"));
    let cancellation = Cancellation::new();
    let lectura = running(&disk, &cancellation);
    let pid = pid(&lectura);
    let escalares = lectura.contexto().escalares;
    let outcome = thread::scope(|scope| {
        let call = scope.spawn(|| escalares.call("espera", &[]));
        while fs::metadata(disk.path("en-espera")).is_err() {
            thread::yield_now();
        }
        cancellation.cancel();
        call.join().unwrap()
    });
    assert_eq!(outcome, Err("se canceló la consulta".to_owned()));
    assert!(is_gone(pid));
}

#[test]
fn nothing_runs_once_the_call_is_cancelled() {
    let disk = disk(PID);
    let cancellation = Cancellation::new();
    cancellation.cancel();
    assert_eq!(disk.lectura_confiada(&cancellation).escalares(), Err(Fallo::Cancelado));
}

#[test]
fn no_answer_is_waited_for_beyond_the_deadline() {
    needs_python!();
    let disk = Disk::new();
    let deadline = Duration::from_millis(20);
    let patience = Patience { cancellation: Cancellation::new(), deadline };
    let mut worker = Worker::start(PYTHON, &disk.raiz(), patience).unwrap();
    // It goes on waiting for the bytes that were announced.
    let half = b"{\"carpeta\":\"/\",\"bytes\":9}\n".to_vec();
    assert_eq!(worker.ask(half, "valor"), Err(WorkerFault::Deadline(deadline)));
    assert_eq!(worker.ask(Vec::new(), "valor"), Err(WorkerFault::Ended));
}

#[test]
fn an_interpreter_that_is_not_there_is_named() {
    let disk = Disk::new();
    let fault =
        Worker::start("no-hay-tal-programa", &disk.raiz(), Patience::of(&Cancellation::new())).unwrap_err();
    assert!(fault.to_string().starts_with("no se pudo iniciar «python3», que hace falta: "), "{fault}");
}

#[test]
fn what_is_no_answer_is_told_apart() {
    needs_python!();
    let disk = disk("@escalar('f')\ndef f():\n    pass\n");
    let declared = |text: &str| declarations(&parse(text).unwrap()).map(|own| own.len());
    assert_eq!(declared(r#"[["a",0,1],["b",1,null]]"#), Some(2));
    for text in ["null", "[1]", r#"[["a",0]]"#, r#"[[1,0,0]]"#, r#"[["a",-1,0]]"#, r#"[["a",0,0.0]]"#] {
        assert_eq!(declared(text), None, "{text}");
    }
    let mut worker = Worker::start(PYTHON, &disk.raiz(), Patience::of(&Cancellation::new())).unwrap();
    let whole = b"{\"carpeta\":\"/\",\"bytes\":0}\n".to_vec();
    assert_eq!(worker.ask(whole, "valor"), Err(WorkerFault::Garbled));
    assert_eq!(worker.ask(Vec::new(), "valor"), Err(WorkerFault::Ended));
}
