//! `oracle-mcp`: options, the order of start-up, exit code. Must not know a method's name.

use lexopt::Arg::{Long, Short, Value};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Servidor MCP de sólo lectura sobre un proyecto Oracle, por stdin y stdout.

Uso: oracle-mcp [--proyecto DIR] [--instalacion DIR] [--confiar-escalares] [--exigir-aislamiento]
     oracle-mcp --help | --version

  --proyecto DIR        raíz del proyecto, fija mientras viva el proceso; si falta, vale
                        $ORACLE_PROYECTO, y si tampoco está, la carpeta actual
  --instalacion DIR     entorno donde está instalado oracle-metalenguaje: de ahí salen, sin ejecutar
                        nada, el catálogo base, los perfiles, las relaciones, las macros y las
                        bibliotecas de políticas; si falta, vale $ORACLE_INSTALACION, y si tampoco
                        está, el conjunto base propio, sin bibliotecas
  --confiar-escalares   autoriza a ejecutar escalares.py del proyecto, con python3, en un proceso
                        aparte por llamada; sin esta opción no se ejecuta nunca
  --exigir-aislamiento  no arranca si el sistema no permite renunciar a escribir (Landlock); sin
                        esta opción lo avisa por stderr y sigue
  --help                muestra esta ayuda
  --version             muestra la versión
";

/// Exit code of a server that could not start, or that could not go on reading.
const FAILURE: u8 = 2;

/// What the command line asks for.
enum Request {
    Serve(Options),
    Show(String),
}

/// How to serve.
#[derive(Default)]
struct Options {
    root: Option<PathBuf>,
    installation: Option<PathBuf>,
    trust_scalars: bool,
    insist_on_isolation: bool,
}

fn main() -> ExitCode {
    match start() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // When stderr is closed too, nobody is left to tell.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(FAILURE)
        }
    }
}

fn start() -> Result<u8, Box<dyn Error>> {
    match read_options(lexopt::Parser::from_env())? {
        Request::Serve(options) => {
            let mut proyecto = server::open(&root(options.root), options.trust_scalars)?;
            if let Some(path) = installation(options.installation) {
                proyecto = server::with_installation(proyecto, &path)?;
            }
            if let Err(lack) = server::isolation::give_up_writing() {
                if options.insist_on_isolation {
                    return Err(lack.into());
                }
                let _ = writeln!(io::stderr(), "{lack}; se sigue sin ese resguardo");
            }
            Ok(server::run(proyecto)?)
        }
        Request::Show(text) => {
            io::stdout().write_all(text.as_bytes())?;
            Ok(0)
        }
    }
}

fn read_options(mut line: lexopt::Parser) -> Result<Request, Box<dyn Error>> {
    let mut options = Options::default();
    while let Some(option) = line.next()? {
        match option {
            Long("proyecto") if options.root.is_none() => {
                options.root = Some(line.value().map_err(|_| "a --proyecto le falta la carpeta")?.into());
            }
            Long("proyecto") => return Err("--proyecto se repite".into()),
            Long("instalacion") if options.installation.is_none() => {
                let value = line.value().map_err(|_| "a --instalacion le falta la carpeta")?;
                options.installation = Some(value.into());
            }
            Long("instalacion") => return Err("--instalacion se repite".into()),
            Long("confiar-escalares") => options.trust_scalars = true,
            Long("exigir-aislamiento") => options.insist_on_isolation = true,
            Long("help") => return Ok(Request::Show(HELP.to_owned())),
            Long("version") => return Ok(Request::Show(format!("oracle-mcp {}\n", server::VERSION))),
            Long(name) => return Err(format!("opción desconocida: --{name}").into()),
            Short(name) => return Err(format!("opción desconocida: -{name}").into()),
            Value(value) => return Err(format!("argumento inesperado: {}", value.display()).into()),
        }
    }
    Ok(Request::Serve(options))
}

/// The root of the project: the option, else the environment, else the current folder.
fn root(option: Option<PathBuf>) -> PathBuf {
    let variable = || std::env::var_os("ORACLE_PROYECTO").map(PathBuf::from);
    option.or_else(variable).unwrap_or_else(|| PathBuf::from("."))
}

/// Where the published distribution is installed: the option, else the environment, else nowhere.
fn installation(option: Option<PathBuf>) -> Option<PathBuf> {
    option.or_else(|| std::env::var_os("ORACLE_INSTALACION").map(PathBuf::from))
}
