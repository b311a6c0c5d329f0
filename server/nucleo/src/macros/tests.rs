use super::*;
use crate::algebra::{Cancellation, Contexto, EscalaresBase, LimitesAlgebra};
use crate::sintaxis;
use crate::valor::{Valor, parse};

/// Expands and shows the outcome: the canonical form, or the error behind `!`.
fn expand(tree: &str, macros: &Macros) -> String {
    let limites = LimitesAlgebra::default();
    let contexto =
        Contexto { limites: &limites, cancellation: &Cancellation::new(), escalares: &EscalaresBase };
    match expandir(&parse(tree).unwrap(), macros, &contexto) {
        Ok(tree) => tree.to_compact(),
        Err(error) => format!("!{error}"),
    }
}

fn with(declarations: &[&str]) -> Macros {
    let mut macros = Macros::estandar();
    for text in declarations {
        macros.declarar(Macro::from_datos(&parse(text).unwrap()).unwrap()).unwrap();
    }
    macros
}

#[track_caller]
fn check(tree: &str, macros: &Macros, expect: &str) {
    assert_eq!(expand(tree, macros), expect);
}

#[test]
fn the_standard_macros_are_six() {
    let names: Vec<_> = Macros::estandar().nombres().map(str::to_owned).collect();
    let expected =
        ["ninguno", "ninguno-par", "ninguno-par-requiere", "ninguno-requiere", "peor", "peor-requiere"];
    assert_eq!(names, expected);
}

#[test]
fn each_standard_macro_expands_to_its_measure() {
    let none = r#""d.m","r","a",["==",["campo","a","n"],1],"p","tanteo","universal","al"]"#;
    let tail =
        r#"["resumen","contar",1],["umbral","<=",0,"p","tanteo"],["ambito","universal"],["alcance","al"]]"#;
    let requires = tail.replacen("[\"ambito", "[\"requiere\",\"r\"],[\"ambito", 1);
    let head = r#"["medida","d.m",["desde",["de","r","a"],["donde",["==",["campo","a","n"],1]]],"#;
    let standard = Macros::estandar();
    check(&format!("[\"ninguno\",{none}"), &standard, &format!("{head}{tail}"));
    check(&format!("[\"ninguno-requiere\",{none}"), &standard, &format!("{head}{requires}"));

    let pair = none.replacen("\"a\",", "\"a\",\"b\",", 1);
    let head = head.replacen(r#"["de","r","a"]"#, r#"["unir",["de","r","a"],["de","r","b"]]"#, 1);
    check(&format!("[\"ninguno-par\",{pair}"), &standard, &format!("{head}{tail}"));
    check(&format!("[\"ninguno-par-requiere\",{pair}"), &standard, &format!("{head}{requires}"));

    let worst = r#""d.m","r","a",["campo","a","n"],3,"p","tanteo","universal","al"]"#;
    let expected = concat!(
        r#"["medida","d.m",["desde",["de","r","a"],["donde",[">",["campo","a","n"],3]]],"#,
        r#"["resumen","max",["campo","a","n"]],["umbral","<=",3,"p","tanteo"],"#,
        r#"["ambito","universal"],["alcance","al"]]"#
    );
    check(&format!("[\"peor\",{worst}"), &standard, expected);
    let requires = expected.replacen("[\"ambito", "[\"requiere\",\"r\"],[\"ambito", 1);
    check(&format!("[\"peor-requiere\",{worst}"), &standard, &requires);
}

#[test]
fn what_no_macro_heads_is_canonical_already() {
    for tree in [r#"["medida","x"]"#, "[]", "1", r#"["otra",1]"#, r#"{"a":1}"#, r#"[["ninguno"]]"#] {
        check(tree, &Macros::estandar(), tree);
    }
}

#[test]
fn a_guard_speaks_for_the_subject_of_the_invocation() {
    let same = r#"["ninguno-par","d.m","r","a","a",true,"p","tanteo","universal","al"]"#;
    let said = expand(same, &Macros::estandar());
    assert_eq!(said, "!d.m: «ninguno-par» compara filas de a dos: sus alias van distintos");
}

#[test]
fn a_guard_is_evaluated_over_its_arguments_alone() {
    let guarded = |condition: &str| {
        with(&[&format!(r#"["defmacro","m",["x"],[["guarda",{condition},"no"]],["f",["$","x"]]]"#)])
    };
    check(r#"["m",1]"#, &guarded(r#"["==",["$","x"],1]"#), r#"["f",1]"#);
    check(r#"["m",2]"#, &guarded(r#"["==",["$","x"],1]"#), "!m: no");
    check(r#"["m",""]"#, &guarded(r#"["$","x"]"#), "!: no");
    check(r#"["m","s"]"#, &guarded(r#"["y",["!=",["$","x"],""],["no",false]]"#), r#"["f","s"]"#);
    for wrong in [r#"["==",["$","x"],"a"]"#, r#"["==",["campo","a","b"],["$","x"]]"#, r#"["nada",["$","x"]]"#]
    {
        let said = expand(r#"["m",1]"#, &guarded(wrong));
        assert!(said.starts_with("!m: una guarda no se pudo evaluar: "), "{said}");
    }
}

#[test]
fn an_invocation_has_the_arguments_of_its_macro() {
    for arguments in ["", r#","d.m""#, r#","d.m","r","a",true,"p","tanteo","universal","al","x""#] {
        let said = expand(&format!("[\"ninguno\"{arguments}]"), &Macros::estandar());
        assert!(said.starts_with("!«ninguno» lleva id, relacion, alias, "), "{said}");
    }
}

#[test]
fn older_invocations_declare_neither_origin_nor_scope() {
    let standard = Macros::estandar();
    let old = expand(r#"["ninguno","d.m","r","a",true,"p","al"]"#, &standard);
    assert!(old.ends_with(r#"["umbral","<=",0,"p"],["alcance","al"]]"#), "{old}");
    let newer = expand(r#"["ninguno","d.m","r","a",true,"p","tanteo","al"]"#, &standard);
    assert!(newer.ends_with(r#"["umbral","<=",0,"p","tanteo"],["alcance","al"]]"#), "{newer}");
    let written =
        expand(r#"["ninguno","d.m","r","a",true,"p","sin_declarar","sin_declarar","al"]"#, &standard);
    assert!(written.contains(r#""p","sin_declarar"],["ambito","sin_declarar"]"#), "{written}");
    assert!(expand(r#"["ninguno","d.m","r","a",true,"al"]"#, &standard).starts_with('!'));
}

#[test]
fn macros_expand_to_macros_within_the_limit() {
    let chain: Vec<String> =
        (0..17).map(|i| format!(r#"["defmacro","m{i}",["x"],[],["m{}",["$","x"]]]"#, i + 1)).collect();
    let chain: Vec<&str> = chain.iter().map(String::as_str).collect();
    let macros = with(&chain);
    check(r#"["m2",1]"#, &macros, r#"["m17",1]"#);
    let said = expand(r#"["m0",1]"#, &macros);
    assert_eq!(said, "!expansiones_maximas: se observó más de 16 y el límite activo es 16");
    let endless = with(&[
        r#"["defmacro","a",["x"],[],["b",["$","x"]]]"#,
        r#"["defmacro","b",["x"],[],["a",["$","x"]]]"#,
    ]);
    assert!(expand(r#"["a",1]"#, &endless).starts_with("!expansiones_maximas"));
}

#[test]
fn a_chain_of_macros_is_written_while_it_is_short_and_ends() {
    let step = |name: &str, next: &str| {
        format!(r#"["defmacro","{name}",["id","a"],[],["{next}",["$","id"],["$","a"]]]"#)
    };
    let last = r#"["defmacro","m0",["id","a"],[],["medida",["$","id"],["desde",["de",["$","a"],"x"]],["resumen","contar",1],["umbral","<=",0,"p"],["alcance","q"]]]"#;
    let chain: Vec<String> = std::iter::once(last.to_owned())
        .chain((1..5000).map(|i| step(&format!("m{i}"), &format!("m{}", i - 1))))
        .chain([step("a", "b"), step("b", "a")])
        .collect();
    let macros = with(&chain.iter().map(String::as_str).collect::<Vec<_>>());
    let print =
        |name: &str| sintaxis::imprimir(&parse(&format!(r#"["{name}","d.m","r"]"#)).unwrap(), &macros);
    assert_eq!(print("m20").unwrap(), "m20 d.m:\n    de r x\n");
    assert!(print("m4999").is_err() && print("a").is_err());
    let read = |name: &str| sintaxis::leer(&format!("{name} d.m:\n    de r x\n"), &macros);
    assert_eq!(read("m20").unwrap().datos.to_compact(), r#"["m20","d.m","r"]"#);
    assert!(read("m4999").is_err() && read("a").is_err());
}

#[test]
fn an_expansion_stays_within_size_and_depth() {
    let wide: Vec<String> = (0..8)
        .map(|i| {
            format!(r#"["defmacro","w{i}",["x"],[],["w{}",["f",{}]]]"#, i + 1, [r#"["$","x"]"#; 20].join(","))
        })
        .collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    assert_eq!(expand(r#"["w0",1]"#, &with(&wide)), "!la expansión es demasiado grande");
    let deep = "[\"g\",".repeat(300) + r#"["$","x"]"# + &"]".repeat(300);
    let deep: Vec<String> =
        (0..4).map(|i| format!(r#"["defmacro","d{i}",["x"],[],["d{}",{deep}]]"#, i + 1)).collect();
    let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
    assert_eq!(expand(r#"["d0",1]"#, &with(&deep)), "!la expansión es demasiado grande");
}

#[test]
fn each_rule_of_a_declaration_is_kept() {
    let declare = |tree: &str| Macro::from_datos(&parse(tree).unwrap());
    let valid = r#"["defmacro","m-1_x",["a","b c"],[["guarda",["$","b c"],"no"]],["f",["$","a"]]]"#;
    assert_eq!(declare(valid).unwrap().datos().to_compact(), valid);
    for tree in [
        "1",
        r#"["defmacro","m",["a"],[]]"#,
        r#"["defmacro",1,["a"],[],["f",["$","a"]]]"#,
        r#"["defmacro","M",["a"],[],["f",["$","a"]]]"#,
        r#"["defmacro","1m",["a"],[],["f",["$","a"]]]"#,
        r#"["defmacro","",["a"],[],["f",["$","a"]]]"#,
        r#"["defmacro","m",[],[],["f"]]"#,
        r#"["defmacro","m",["a","a"],[],["f",["$","a"]]]"#,
        r#"["defmacro","m",[" "],[],["f",["$"," "]]]"#,
        r#"["defmacro","m",["a"],[],[]]"#,
        r#"["defmacro","m",["a"],[],"f"]"#,
        r#"["defmacro","m",["a"],null,["f",["$","a"]]]"#,
        r#"["defmacro","m",["a"],[["guarda",true]],["f",["$","a"]]]"#,
        r#"["defmacro","m",["a"],[["guarda",true," "]],["f",["$","a"]]]"#,
        r#"["defmacro","m",["a"],[],["f",["$","b"],["$","a"]]]"#,
        r#"["defmacro","m",["a","b"],[],["f",["$","a"]]]"#,
        r#"["defmacro","m",["a"],[],["f",["$","a"],["$"]]]"#,
        r#"["defmacro","m",["a"],[],["f",["$","a",1]]]"#,
    ] {
        assert!(declare(tree).is_err(), "{tree}");
    }
    for word in ["medida", "donde", "segun", "y", "campo", "contar", "guarda"] {
        let tree = format!(r#"["defmacro","{word}",["a"],[],["f",["$","a"]]]"#);
        assert!(declare(&tree).unwrap_err().to_string().contains("palabra del lenguaje"), "{word}");
    }
    for word in ["sin", "requiere", "filas"] {
        assert!(declare(&format!(r#"["defmacro","{word}",["a"],[],["f",["$","a"]]]"#)).is_ok(), "{word}");
    }
}

#[test]
fn a_name_is_declared_once() {
    let mut macros = Macros::estandar();
    let again = macros.get("peor").unwrap().clone();
    assert_eq!(macros.declarar(again).unwrap_err().to_string(), "la macro «peor» ya está declarada");
}

#[test]
fn a_text_declares_a_macro_over_those_before_it() {
    let text = "\
defmacro cero(id, rel, predicado, alcance):
    ninguno $id:
        de $rel a
        donde $predicado
        umbral <= 0 segun contrato porque \"siempre\"
        ambito universal
        alcance $alcance
";
    assert!(matches!(Macros::new().cargar(text), Err(MacroError::Texto(_))));
    let mut macros = Macros::estandar();
    macros.cargar(text).unwrap();
    let use_of = "cero d.m:\n    de r a\n    donde a.n == 1 y a.k > 2\n    alcance \"x\"\n";
    let read = sintaxis::leer(use_of, &macros).unwrap();
    assert_eq!(
        read.datos.to_compact(),
        r#"["cero","d.m","r",["y",["==",["campo","a","n"],1],[">",["campo","a","k"],2]],"x"]"#
    );
    // In the expansion the second operand of `donde` is at 2.2.1.2; in the text, on its line.
    let place = |path: &[usize]| read.ubicar(path, &macros).to_string();
    assert_eq!(place(&[2, 2, 1, 2]), "línea 3, columna 26");
    assert_eq!(place(&[2, 2, 1, 2, 2]), "línea 3, columna 28");
    assert_eq!(place(&[3, 2]), "línea 1, columna 1");
    let tree: Valor = read.datos;
    assert_eq!(sintaxis::imprimir(&tree, &macros).unwrap(), use_of);
}

#[test]
fn a_parameter_named_as_the_first_clause_cannot_be_told_from_it() {
    let text = "\
defmacro m(id, alcance):
    medida $id:
        de r a
        resumen contar(1)
        umbral <= 0 segun contrato
        alcance $alcance
";
    let mut macros = Macros::new();
    macros.cargar(text).unwrap();
    let error = sintaxis::leer("m d.m:\n    alcance \"x\"\n", &macros).unwrap_err();
    assert!(error.mensaje.contains("no se puede invocar"), "{error}");
}
