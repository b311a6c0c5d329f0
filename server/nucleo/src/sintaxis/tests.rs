use super::*;
use crate::macros::Macros;

/// Reads with the standard macros and shows the tree, or where and why it is refused.
fn show(text: &str) -> String {
    match leer(text, &Macros::estandar()) {
        Ok(read) => read.datos.to_compact(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(show(text), expect, "{text}");
    assert_eq!(imprimir(&leer(text, &Macros::estandar()).unwrap().datos, &Macros::estandar()).unwrap(), text);
}

#[track_caller]
fn refused(text: &str, line: usize, column: usize, about: &str) {
    let error = leer(text, &Macros::estandar()).unwrap_err();
    assert_eq!((error.linea, error.columna), (line, column), "{error}\n{text}");
    assert!(error.mensaje.contains(about), "{error}");
}

const WHOLE: &str = "\
medida tienda.stock:
    de producto p
    unir venta v
    unir caja c
    donde p.id == v.id y v.n > 0
    sin devolucion d donde d.id == p.id
    agrupar:
        clave caja = c.id
        agregado total = suma(v.n)
    donde total > 10
    resumen max(total)
    umbral <= 100 segun medicion porque \"el límite\"
    requiere producto, venta
    requiere caja c donde c.abierta == true
    ambito del_origen
    alcance \"no ve\\nlo que falta\"
";

#[test]
fn every_clause_of_a_measure() {
    check(
        WHOLE,
        concat!(
            r#"["medida","tienda.stock",["desde",["unir",["unir",["de","producto","p"],["de","venta","v"]],"#,
            r#"["de","caja","c"]],["donde",["y",["==",["campo","p","id"],["campo","v","id"]],"#,
            r#"[">",["campo","v","n"],0]]],["sin",["de","devolucion","d"],["==",["campo","d","id"],"#,
            r#"["campo","p","id"]]],["agrupar",[["caja",["campo","c","id"]]],[["total","suma","#,
            r#"["campo","v","n"]]]],["donde",[">",["col","total"],10]]],["resumen","max",["col","total"]],"#,
            r#"["umbral","<=",100,"el límite","medicion"],["requiere","producto","venta","#,
            r#"["filas","caja","c",["==",["campo","c","abierta"],true]]],["ambito","del_origen"],"#,
            r#"["alcance","no ve\nlo que falta"]]"#
        ),
    );
}

#[test]
fn what_is_not_declared_is_not_in_the_tree() {
    let text =
        "medida a.b:\n    de r x\n    resumen contar(1)\n    umbral > 0 porque \"p\"\n    alcance \"q\"\n";
    let tree = r#"["medida","a.b",["desde",["de","r","x"]],["resumen","contar",1],["umbral",">",0,"p"],["alcance","q"]]"#;
    check(text, tree);
    check(&text.replace("porque \"p\"", "segun tanteo"), &tree.replace(r#""p"]"#, r#""","tanteo"]"#));
    check(
        &text.replace("    resumen", "    agrupar:\n    resumen"),
        &tree.replace("\"x\"]]", "\"x\"],[\"agrupar\",[],[]]]"),
    );
}

#[test]
fn every_node_of_a_measure_has_a_place() {
    let read = leer(WHOLE, &Macros::new()).unwrap();
    let place = |path: &[usize]| {
        let Posicion { linea, columna } = read.posiciones.exacta(path).unwrap_or_else(|| panic!("{path:?}"));
        (linea, columna)
    };
    assert_eq!(place(&[]), (1, 1));
    assert_eq!(place(&[1]), (1, 8));
    assert_eq!([place(&[2, 1, 1, 1]), place(&[2, 1, 1, 2]), place(&[2, 1, 2])], [(2, 8), (3, 10), (4, 10)]);
    assert_eq!([place(&[2, 2]), place(&[2, 2, 1]), place(&[2, 2, 1, 2, 1, 2])], [(5, 5), (5, 24), (5, 28)]);
    assert_eq!([place(&[2, 3, 1]), place(&[2, 3, 1, 2]), place(&[2, 3, 2])], [(6, 9), (6, 20), (6, 33)]);
    assert_eq!(
        [place(&[2, 4]), place(&[2, 4, 1, 0, 1]), place(&[2, 4, 2, 0, 2, 2])],
        [(7, 5), (8, 22), (9, 33)]
    );
    assert_eq!(
        [place(&[3]), place(&[3, 2]), place(&[4]), place(&[4, 2])],
        [(11, 13), (11, 17), (12, 5), (12, 15)]
    );
    assert_eq!(
        [place(&[5]), place(&[5, 1]), place(&[5, 2]), place(&[5, 3])],
        [(13, 5), (13, 14), (13, 24), (14, 14)]
    );
    assert_eq!([place(&[5, 3, 3]), place(&[6]), place(&[7])], [(14, 37), (15, 5), (16, 5)]);
    assert_eq!(read.ubicar(&[6, 1, 9], &Macros::new()).to_string(), "línea 15, columna 5");
}

#[test]
fn each_fault_of_a_measure_stands_at_its_place() {
    let broken = |from: &str, to: &str| {
        assert!(WHOLE.contains(from), "{from}");
        WHOLE.replacen(from, to, 1)
    };
    refused("", 1, 1, "encabezado");
    refused("# nada\n", 1, 1, "encabezado");
    refused(&broken("tienda.stock", "stock"), 1, 8, "dominio.nombre");
    refused(&broken("medida ", "medid "), 1, 1, "encabezado");
    refused(&broken(".stock:", ".stock"), 1, 1, "encabezado");
    refused("medida a.b:\n", 2, 1, "cuerpo");
    refused(&broken("de producto p", "desde producto p"), 2, 5, "«de»");
    refused(&broken("producto p", "producto"), 2, 8, "<alias>");
    refused(&broken("    de", "   de"), 2, 4, "sangría");
    refused(&broken("caja c", "caja $"), 4, 15, "parámetro");
    refused(&broken("== v.id", "= v.id"), 5, 16, "«==»");
    refused(&broken("d donde", "d cuando"), 6, 22, "«donde»");
    refused(&broken("devolucion d donde d.id == p.id", "devolucion"), 6, 19, "alias");
    refused(&broken("agrupar:", "agrupar"), 7, 5, "«resumen»");
    refused(&broken("clave caja", "columna caja"), 8, 9, "«clave»");
    refused(&broken("caja = c", "caja= c"), 8, 15, "«clave <nombre>");
    refused(&broken("suma(v.n)", "suma v.n"), 9, 31, "«(»");
    refused(&broken("suma(v.n)", "suma(v.n) 1"), 9, 36, "fin de la expresión");
    refused(&broken("max(total)", "1"), 11, 13, "<agregado>");
    refused(&broken("    resumen max(total)\n", ""), 11, 5, "«resumen»");
    refused(&broken("<= 100", "100"), 12, 12, "comparador");
    refused(&broken("<= 100 ", "<= "), 12, 15, "expresión");
    refused(&broken("segun medicion", "medicion"), 12, 19, "«segun»");
    refused(&broken("medicion", "ojo"), 12, 25, "tanteo");
    refused(&broken("\"el límite\"", "el"), 12, 41, "defensa");
    refused(&broken("venta\n", "venta,\n"), 13, 14, "separadas");
    refused(&broken("del_origen", "todos"), 15, 12, "universal");
    refused(&broken("del_origen", "universal x"), 15, 22, "fin de la línea");
    refused(&broken("\"no ve\\nlo que falta\"", "no"), 16, 13, "comillas");
    refused(&broken("    alcance \"no ve\\nlo que falta\"\n", ""), 16, 1, "«alcance»");
    refused(&format!("{WHOLE}    donde x\n"), 17, 5, "fin de la medida");
    let early = "medida a.b:\n    de r x\n    requiere r\n    resumen contar(1)\n";
    refused(early, 3, 5, "después de «umbral»");
}

#[test]
fn the_version_is_read_and_not_part_of_the_tree() {
    let read = leer(&format!("# c\nsintaxis 1.7\n{WHOLE}"), &Macros::new()).unwrap();
    assert_eq!(read.version.as_deref(), Some("1.7"));
    assert_eq!(read.posiciones.exacta(&[1]), Some(Posicion { linea: 3, columna: 8 }));
    refused(&format!("sintaxis 1\n{WHOLE}"), 1, 10, "MAYOR.MENOR");
    refused("sintaxis 1.0\n", 2, 1, "encabezado");
    refused(&format!("sintaxis 1.0 x\n{WHOLE}"), 1, 1, "encabezado");
}

const NONE: &str = "\
ninguno-requiere tienda.nada:
    de producto p
    donde p.n < 0
    umbral <= 0 segun contrato porque \"p\"
    requiere producto
    ambito universal
    alcance \"a\"
";

#[test]
fn an_invocation_writes_what_its_parameters_reach() {
    check(
        NONE,
        r#"["ninguno-requiere","tienda.nada","producto","p",["<",["campo","p","n"],0],"p","contrato","universal","a"]"#,
    );
    let worst = "\
peor tienda.peor:
    de producto p
    donde f(p.n) > 2.5
    resumen max(f(p.n))
    umbral <= 2.5 segun sin_declarar porque \"p\"
    ambito sin_declarar
    alcance \"a\"
";
    check(
        worst,
        r#"["peor","tienda.peor","producto","p",["f",["campo","p","n"]],2.5,"p","sin_declarar","sin_declarar","a"]"#,
    );
}

#[test]
fn each_fault_of_an_invocation_stands_at_its_place() {
    let broken = |from: &str, to: &str| NONE.replacen(from, to, 1);
    refused(&broken("nada", "Nada"), 1, 18, "dominio.nombre");
    refused(&broken("    donde p.n < 0\n", ""), 7, 1, "«donde»");
    refused(&broken("    donde p.n < 0\n", "    donde p.n < 0\n    donde p.n < 1\n"), 8, 1, "7 líneas");
    refused(&broken("donde p.n < 0", "resumen contar(1)"), 3, 5, "«donde»");
    refused(&broken("<= 0", "<= 1"), 4, 15, "«0»");
    refused(&broken("requiere producto", "requiere otro"), 5, 14, "$relacion");
    refused(&broken("p.n < 0", "p.n <"), 3, 16, "expresión");
    // Of two faults the first is told, whichever of them is one of words or of indentation.
    let two =
        |first: (&str, &str), second: (&str, &str)| broken(first.0, first.1).replacen(second.0, second.1, 1);
    refused(&two(("p.n < 0", "p.n <"), ("    ambito", "   ambito")), 3, 16, "expresión");
    refused(&two(("p.n < 0", "p.n <"), ("ambito", "ambit")), 3, 16, "expresión");
    refused(&two(("donde", "dónde"), ("    ambito", "   ambito")), 3, 5, "«donde»");
    refused(&two(("    donde", "   donde"), ("segun contrato", "contrato")), 3, 4, "sangría");
    let arguments = "ninguno tienda.nada:\n    relacion producto\n    alias p\n";
    refused(arguments, 2, 5, "\n    de $relacion $alias\n    donde $predicado\n");
}

const MACRO: &str = "\
defmacro sin-nada(id, rel, cond, texto-largo):
    guarda $rel != \"x\" \"no\"
    medida $id:
        de $rel a
        donde $cond y a.n > 1
        resumen contar($cond)
        umbral <= 0 segun contrato porque \"$nada\"
        requiere $texto-largo
        alcance \"a\"
";

#[test]
fn a_declaration_reads_and_prints() {
    check(
        MACRO,
        concat!(
            r#"["defmacro","sin-nada",["id","rel","cond","texto-largo"],[["guarda",["!=",["$","rel"],"x"],"no"]],"#,
            r#"["medida",["$","id"],["desde",["de",["$","rel"],"a"],["donde",["y",["$","cond"],[">","#,
            r#"["campo","a","n"],1]]]],["resumen","contar",["$","cond"]],["umbral","<=",0,"$nada","contrato"],"#,
            r#"["requiere",["$","texto-largo"]],["alcance","a"]]]"#
        ),
    );
    let over = "\
defmacro cero(id, rel, cond, alcance):
    ninguno $id:
        de $rel a
        donde $cond
        umbral <= 0 segun contrato porque \"p\"
        ambito universal
        alcance $alcance
";
    check(
        over,
        concat!(
            r#"["defmacro","cero",["id","rel","cond","alcance"],[],["ninguno",["$","id"],["$","rel"],"a","#,
            r#"["$","cond"],"p","contrato","universal",["$","alcance"]]]"#
        ),
    );
}

#[test]
fn each_fault_of_a_declaration_stands_at_its_place() {
    let broken = |from: &str, to: &str| MACRO.replacen(from, to, 1);
    refused(&broken("(id, rel, cond, texto-largo)", "()"), 1, 1, "parámetro");
    refused(&broken("rel, cond", "1rel, cond"), 1, 23, "1rel");
    refused(&broken("rel, cond", "rel, rel, cond"), 1, 1, "repetido");
    refused(&broken("rel, cond", "rel, otro, cond"), 1, 28, "«otro»");
    refused(&broken("a.n > 1", "a.n > $n"), 5, 29, "«$n»");
    refused(&broken(" \"no\"", ""), 2, 20, "expresión");
    refused(&broken(" \"x\" \"no\"", ""), 2, 12, "mensaje");
    refused(&broken("$rel != \"x\" ", ""), 2, 12, "condición");
    refused(&broken("    medida $id:", "    medida:"), 3, 5, "plantilla");
    refused(&broken("medida $id", "otra $id"), 3, 5, "encabezado");
    refused(&broken("        donde", "    donde"), 5, 5, "sangría");
    refused(&broken("        donde", "  donde"), 5, 3, "sangría");
    refused("defmacro m(a):\n", 2, 1, "plantilla");
    refused("defmacro m(a):\n    medida $a:\n", 3, 5, "cuerpo");
}

#[test]
fn printing_refuses_what_is_no_form() {
    let refused = |tree: &str| {
        let tree = crate::valor::parse(tree).unwrap();
        assert!(imprimir(&tree, &Macros::estandar()).is_err(), "{tree:?}");
    };
    let measure = |pipeline: &str, threshold: &str, rest: &str| {
        format!(r#"["medida","a.b",{pipeline},["resumen","contar",1],{threshold},{rest}]"#)
    };
    let (pipeline, threshold, rest) =
        (r#"["desde",["de","r","x"]]"#, r#"["umbral","<=",0,"p"]"#, r#"["alcance","a"]"#);
    let tree = crate::valor::parse(&measure(pipeline, threshold, rest)).unwrap();
    assert!(imprimir(&tree, &Macros::new()).is_ok());
    for bad in ["1", "[]", "[1]", r#"["otra"]"#, r#"["medida"]"#, r#"["ninguno","a.b"]"#, r#"["defmacro"]"#] {
        refused(bad);
    }
    for bad in [
        r#"["desde"]"#,
        r#"["desde",["unir",["de","r","x"],["unir",["de","r","y"],["de","r","z"]]]]"#,
        r#"["desde",["de","r s","x"]]"#,
        r#"["desde",["de","$r","x"]]"#,
        r#"["desde",["de","r",""]]"#,
        r#"["desde",["de","r","x"],["otro"]]"#,
        r#"["desde",["de","r","x"],["donde"]]"#,
        r#"["desde",["de","r","x"],["sin",["unir",1,2],true]]"#,
        r#"["desde",["de","r","x"],["sin",["de","r-s","x"],true]]"#,
        r#"["desde",["de","r","x"],["agrupar",[["k"]],[]]]"#,
        r#"["desde",["de","r","x"],["agrupar",[],[["k","a-b",1]]]]"#,
    ] {
        refused(&measure(bad, threshold, rest));
    }
    for bad in [
        r#"["umbral","<=",0]"#,
        r#"["umbral","<=",0,""]"#,
        r#"["umbral","<=",0,"","sin_declarar"]"#,
        r#"["umbral","<=",0,"p","ojo"]"#,
        r#"["umbral","=",0,"p"]"#,
        r#"["umbral","<=",0,1]"#,
        r#"["umbral","<=",0,"p","tanteo",1]"#,
        r#"["umbral","<=",[],"p"]"#,
    ] {
        refused(&measure(pipeline, bad, rest));
    }
    for bad in [
        "[\"alcance\"]",
        "[\"alcance\",1]",
        "[\"alcance\",\"a\u{2028}\"]",
        r#"["ambito","todos"],["alcance","a"]"#,
        r#"["ambito","universal"],["requiere","r"],["alcance","a"]"#,
        r#"["requiere","a,b"],["alcance","a"]"#,
        r#"["requiere"," a"],["alcance","a"]"#,
        r#"["requiere","ñ"],["alcance","a"]"#,
        r#"["requiere",1],["alcance","a"]"#,
        r#"["alcance","a"],["alcance","a"]"#,
    ] {
        refused(&measure(pipeline, threshold, bad));
    }
}
