use super::*;
use crate::valor::parse;

const TEXT: &str = "\
relacion pieza:
    id: texto
    largo: flotante cm
    lista: booleano
    cantidad: entero sin_unidad
    variantes por id:
        a1:
            peso: flotante kg
        \"B 2\":
            peso: flotante kg
            color: texto
    alcance \"no ve \\\"lo\\\" que falta\"
";

#[track_caller]
fn refused(text: &str, line: usize, column: usize) {
    match leer(text).unwrap_err() {
        crate::forma::TextError::Sintaxis(error) => {
            assert_eq!((error.linea, error.columna), (line, column), "{error}")
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn invalid(datos: &str) {
    assert!(Relacion::from_datos(&parse(datos).unwrap()).is_err(), "{datos}");
}

#[test]
fn a_declaration_reads_prints_and_has_a_canonical_form() {
    let relation = leer(TEXT).unwrap();
    assert_eq!(imprimir(&relation).unwrap(), TEXT);
    assert_eq!(Relacion::from_datos(&relation.datos()).unwrap(), relation);
    assert_eq!(
        relation.datos().to_compact(),
        concat!(
            r#"["relacion","pieza",["campos",["campo","id","texto","sin_unidad"],["campo","largo","flotante","cm"],"#,
            r#"["campo","lista","booleano","sin_unidad"],["campo","cantidad","entero","sin_unidad"]],"#,
            r#"["variantes","id",["variante","a1",["campo","peso","flotante","kg"]],["variante","B 2","#,
            r#"["campo","peso","flotante","kg"],["campo","color","texto","sin_unidad"]]],"#,
            r#"["alcance","no ve \"lo\" que falta"]]"#
        )
    );
    let names: Vec<_> = relation.todos_los_campos().iter().map(|field| &*field.nombre).collect();
    assert_eq!(names, ["id", "largo", "lista", "cantidad", "peso", "color"]);
}

#[test]
fn each_fault_of_the_text_stands_at_its_place() {
    refused("", 1, 1);
    refused("relacion Pieza:\n", 1, 1);
    refused("relacion a: \n", 1, 1);
    refused("relacion a:\n    x: texto\n", 3, 1);
    refused("relacion a:\n  x: texto\n", 2, 3);
    refused("relacion a:\n    x: numero\n", 2, 8);
    refused("relacion a:\n    x: entero\n", 2, 14);
    refused("relacion a:\n    x: texto cm\n", 2, 14);
    refused("relacion a:\n    x: entero [cm]\n", 2, 15);
    refused("relacion a:\n    x: entero a b\n", 2, 15);
    refused("relacion a:\n    X: texto\n", 2, 5);
    refused("relacion a:\n    x:texto\n", 2, 5);
    refused("relacion a:\n    alcance no\n", 2, 13);
    refused("relacion a:\n    alcance \"x\"\n\n    y: texto\n", 4, 5);
    refused("relacion a:\n        v:\n", 2, 9);
    refused("relacion a:\n            x: texto\n", 2, 13);
    refused("relacion a:\n    variantes por x:\n    variantes por x:\n", 3, 5);
    refused("relacion a:\n    variantes por x:\n            y: texto\n", 3, 13);
    refused("relacion a:\n    variantes por x:\n    y: texto\n", 3, 5);
    refused("relacion a:\n    variantes por x:\n        v w:\n", 3, 9);
    refused("relacion a:\n    variantes por X:\n", 2, 19);
}

#[test]
fn each_rule_of_the_canonical_form_is_kept() {
    let field = r#"["campo","a","texto","sin_unidad"]"#;
    let with =
        |campos: &str, rest: &str| format!(r#"["relacion","r",["campos",{campos}],{rest}["alcance","x"]]"#);
    assert!(Relacion::from_datos(&parse(&with(field, "")).unwrap()).is_ok());
    for datos in ["[]", "{}", r#"["relacion","r"]"#, r#"["relacion",1,["campos"],["alcance","x"]]"#] {
        invalid(datos);
    }
    invalid(r#"["relacion","r",["campos"],["alcance","x"]]"#);
    invalid(&with(&format!("{field},{field}"), ""));
    for bad in [
        r#"["campo","A","texto","u"]"#,
        r#"["campo","a","numero","u"]"#,
        r#"["campo","a","texto"," "]"#,
        r#"["campo","a","texto"]"#,
        r#"["campo",1,"texto","u"]"#,
    ] {
        invalid(&with(bad, ""));
    }
    let number = r#"["campo","n","entero","u"]"#;
    for variants in [
        r#"["variantes","a"]"#.to_owned(),
        r#"["variantes","z",["variante","v",["campo","b","texto","u"]]]"#.to_owned(),
        r#"["variantes","n",["variante","v",["campo","b","texto","u"]]]"#.to_owned(),
        r#"["variantes","a",["variante","v"]]"#.to_owned(),
        r#"["variantes","a",["variante"," ",["campo","b","texto","u"]]]"#.to_owned(),
        format!(r#"["variantes","a",["variante","v",{field}]]"#),
        r#"["variantes","a",["variante","v",["campo","b","texto","u"]],["variante","v",["campo","c","texto","u"]]]"#
            .to_owned(),
        r#"["variantes","a",["variante","v",["campo","b","texto","u"]],["variante","w",["campo","b","texto","k"]]]"#
            .to_owned(),
    ] {
        invalid(&with(&format!("{field},{number}"), &format!("{variants},")));
    }
    for scope in ["[\"alcance\",\" \"]", "[\"alcance\"]", "[\"alcance\",1]", "null"] {
        invalid(&format!(r#"["relacion","r",["campos",{field}],{scope}]"#));
    }
}

#[test]
fn units_and_scope_lose_their_outer_blanks() {
    let datos = parse(r#"["relacion","r",["campos",["campo","a","entero"," cm "]],["alcance","\u001c x "]]"#);
    let relation = Relacion::from_datos(&datos.unwrap()).unwrap();
    assert_eq!((&*relation.campos()[0].unidad, &**relation.alcance()), ("cm", "x"));
}

#[test]
fn a_unit_that_the_surface_cannot_write_is_refused() {
    for (tipo, unit) in [("texto", "cm"), ("booleano", "u"), ("entero", "a b"), ("flotante", "[cm]")] {
        let datos = format!(r#"["relacion","r",["campos",["campo","a","{tipo}","{unit}"]],["alcance","x"]]"#);
        let relation = Relacion::from_datos(&parse(&datos).unwrap()).unwrap();
        assert!(imprimir(&relation).is_err(), "{tipo} {unit}");
    }
}
