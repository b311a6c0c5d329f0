//! The laws of the surface over generated inputs: reading undoes printing, printing undoes reading, comments
//! say nothing, and no text brings the reader down.

use nucleo::algebra::{Cancellation, Contexto, EscalaresBase, LimitesAlgebra};
use nucleo::forma;
use nucleo::macros::{Macro, Macros, expandir};
use nucleo::relacion::Relacion;
use nucleo::sintaxis::{imprimir, leer};
use nucleo::valor::{Integer, Map, Text, Valor};
use nucleo::{caso, relacion};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

fn node(head: &str, items: impl IntoIterator<Item = Valor>) -> Valor {
    Valor::list(std::iter::once(Valor::text(head)).chain(items))
}

/// A name that is no word of the language in any place.
fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_]{0,4}".prop_filter("words", |name| {
        ![
            "y", "o", "no", "true", "false", "null", "segun", "porque", "mas", "menos", "por", "col",
            "hecho", "campo", "donde",
        ]
        .contains(&name.as_str())
    })
}

/// Any text that a line can hold.
fn prose() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~ñáé€\n\t]{1,12}", any::<String>()]
        .prop_map(|text| text.replace(['\u{85}', '\u{2028}', '\u{2029}'], "") + "x")
}

fn number() -> impl Strategy<Value = Valor> {
    prop_oneof![
        any::<i64>().prop_map(Valor::from),
        "-?[1-9][0-9]{20,30}".prop_map(|digits| Valor::Int(Integer::parse(&digits).unwrap())),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Valor::Float),
    ]
}

fn literal() -> impl Strategy<Value = Valor> {
    prop_oneof![
        3 => number(),
        2 => prose().prop_map(Valor::from),
        1 => any::<bool>().prop_map(Valor::from),
        1 => Just(Valor::Null),
    ]
}

/// An expression the surface can hold: no comparison nor negation is an operand of a comparison, and `y` and
/// `o` are flat.
fn expression() -> BoxedStrategy<Valor> {
    let two = |head: &'static str, (left, right): (Valor, Valor)| node(head, [left, right]);
    let leaf = prop_oneof![
        literal(),
        (name(), name()).prop_map(|(alias, field)| node("campo", [alias.into(), field.into()])),
        name().prop_map(|column| node("col", [column.into()])),
        name().prop_map(|alias| node("hecho", [alias.into()])),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let flat = |head: &'static str| {
            vec(inner.clone(), 2..4).prop_filter_map("nested", move |items| {
                items.iter().all(|item| item.head() != Some(head)).then(|| node(head, items))
            })
        };
        let comparison = (select(vec!["==", "!=", "<", "<=", ">", ">="]), inner.clone(), inner.clone())
            .prop_filter_map("operands", |(operator, left, right)| {
                let plain =
                    |side: &Valor| !matches!(side.head(), Some("==" | "!=" | "<" | "<=" | ">" | ">=" | "no"));
                (plain(&left) && plain(&right)).then(|| node(operator, [left, right]))
            });
        prop_oneof![
            3 => comparison,
            2 => flat("y"),
            2 => flat("o"),
            1 => inner.clone().prop_map(|operand| node("no", [operand])),
            2 => (select(vec!["mas", "menos", "por"]), (inner.clone(), inner.clone()))
                .prop_map(move |(head, sides)| two(head, sides)),
            1 => (name(), vec(inner, 0..3)).prop_map(|(head, items)| node(&head, items)),
        ]
    })
    .boxed()
}

fn step() -> impl Strategy<Value = Valor> {
    let key = (name(), expression()).prop_map(|(name, value)| Valor::list([name.into(), value]));
    let aggregate = (name(), name(), expression())
        .prop_map(|(name, head, value)| Valor::list([name.into(), head.into(), value]));
    prop_oneof![
        expression().prop_map(|condition| node("donde", [condition])),
        (name(), name(), expression()).prop_map(|(relation, alias, condition)| {
            node("sin", [node("de", [relation.into(), alias.into()]), condition])
        }),
        (vec(key, 0..3), vec(aggregate, 0..3))
            .prop_map(|(keys, aggregates)| node("agrupar", [Valor::List(keys), Valor::List(aggregates)])),
    ]
}

fn pipeline() -> impl Strategy<Value = Valor> {
    let source =
        || (name(), name()).prop_map(|(relation, alias)| node("de", [relation.into(), alias.into()]));
    (source(), vec(source(), 0..3), vec(step(), 0..4)).prop_map(|(first, joined, steps)| {
        let source = joined.into_iter().fold(first, |left, right| node("unir", [left, right]));
        node("desde", std::iter::once(source).chain(steps))
    })
}

fn threshold() -> impl Strategy<Value = Valor> {
    let origin = || select(vec!["medicion", "contrato", "convencion", "tanteo"]);
    let declared = prop_oneof![
        prose().prop_map(|reason| vec![reason.into()]),
        (prop_oneof![Just(String::new()), prose()], origin())
            .prop_map(|(reason, origin)| vec![reason.into(), origin.into()]),
    ];
    (select(vec!["==", "!=", "<", "<=", ">", ">="]), literal(), declared)
        .prop_map(|(operator, limit, rest)| node("umbral", [operator.into(), limit].into_iter().chain(rest)))
}

fn requirement() -> impl Strategy<Value = Valor> {
    let condition = (name(), name(), expression())
        .prop_map(|(relation, alias, condition)| node("filas", [relation.into(), alias.into(), condition]));
    (vec(name(), 0..3), vec(condition, 0..3)).prop_filter_map("empty", |(names, conditions)| {
        let entries: Vec<Valor> = names.into_iter().map(Valor::from).chain(conditions).collect();
        (!entries.is_empty()).then(|| node("requiere", entries))
    })
}

fn measure() -> impl Strategy<Value = Valor> {
    let id = vec(name(), 2..4).prop_map(|names| names.join("."));
    let scope = select(vec!["universal", "del_origen"]);
    let summary = (name(), expression());
    (id, pipeline(), summary, threshold(), option::of(requirement()), option::of(scope), prose()).prop_map(
        |(id, pipeline, (head, argument), threshold, required, scope, text)| {
            let summary = node("resumen", [head.into(), argument]);
            let scope = scope.map(|scope| node("ambito", [scope.into()]));
            let optional = required.into_iter().chain(scope);
            let items = [id.into(), pipeline, summary, threshold].into_iter().chain(optional);
            node("medida", items.chain([node("alcance", [text.into()])]))
        },
    )
}

/// A measure taken apart into a macro and the arguments that give it back.
fn abstracted() -> impl Strategy<Value = (Macro, Valor, Valor)> {
    (measure(), any::<[bool; 5]>()).prop_map(|(measure, picks)| {
        let mut template = measure.clone();
        let (mut parameters, mut arguments) = (vec![Valor::text("id")], Vec::new());
        let mut abstract_at = |path: &[usize], parameter: &str| {
            let mut at = &mut template;
            for index in path {
                let Valor::List(items) = at else { return };
                let Some(item) = items.get_mut(*index) else { return };
                at = item;
            }
            let hole = node("$", [parameter.into()]);
            arguments.push(std::mem::replace(at, hole));
            if parameter != "id" {
                parameters.push(parameter.into());
            }
        };
        abstract_at(&[1], "id");
        let last = measure.as_list().map_or(0, <[Valor]>::len) - 1;
        let places: [(&[usize], &str); 5] = [
            (&[3, 1], "agregado"),
            (&[3, 2], "expresion"),
            (&[4, 2], "limite"),
            (&[4, 3], "razon"),
            (&[last, 1], "texto"),
        ];
        for ((path, parameter), _) in places.iter().zip(picks).filter(|(_, pick)| *pick) {
            abstract_at(path, parameter);
        }
        let declaration =
            node("defmacro", ["propia".into(), Valor::List(parameters), Valor::List(vec![]), template]);
        (Macro::from_datos(&declaration).unwrap(), node("propia", arguments), measure)
    })
}

fn json() -> BoxedStrategy<Valor> {
    literal()
        .prop_recursive(2, 6, 3, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..3).prop_map(Valor::List),
                btree_map(prose(), inner, 0..3).prop_map(Valor::map),
            ]
        })
        .boxed()
}

/// Prose of a case: no line starts with `#`, no line break but LF.
fn story() -> impl Strategy<Value = Valor> {
    vec("[a-zñ][ -~ñáé]{0,10}|| {1,3}[a-z:]{1,4}", 1..4).prop_map(|lines| lines.join("\n").into())
}

fn relation_rows() -> impl Strategy<Value = Valor> {
    let field = prop_oneof![name(), "[a-z]{1,3} [a-z]{1,3}", "[a-z]\\.[0-9]"];
    let table = (btree_set(name(), 1..4), 0..4_usize).prop_flat_map(|(fields, rows)| {
        let fields: Vec<String> = fields.into_iter().collect();
        vec(vec(json(), fields.len()), rows).prop_map(move |rows| {
            rows.into_iter().map(|row| Valor::map(fields.iter().zip(row))).collect::<Vec<_>>()
        })
    });
    let loose = vec(btree_map(field, json(), 0..3).prop_map(Valor::map), 0..3);
    (option::of(vec(name(), 1..3)), prop_oneof![table, loose]).prop_map(|(key, rows)| {
        let key = key.map(|names| node("clave", [Valor::list(names.into_iter().map(Valor::from))]));
        Valor::list(key.into_iter().chain(rows))
    })
}

fn case() -> impl Strategy<Value = Valor> {
    let words = |words: &[&'static str]| select(words.to_vec()).prop_map(Valor::from);
    let labels = ["falso_verde", "falso_rojo", "deuda_de_diseño", "medida_correcta_conclusion_errada"];
    let label = prop_oneof![
        words(&labels).prop_map(|label| (label, None)),
        words(&labels).prop_map(|label| (label, Some(Valor::from("sin_evidencia")))),
        Just((Valor::from("verde_correcto"), None)),
    ];
    let opening = (
        "[a-z0-9]{0,3}[0-9](-[a-z]{1,4}){0,2}",
        json(),
        btree_map(
            prop_oneof![select(vec!["tipo".to_owned(), "estado".to_owned(), "plan".to_owned()]), name()],
            json(),
            1..4,
        ),
        option::of(words(&["observada", "construida", "generada"])),
        json(),
    );
    let closing = (
        words(&["mutacion", "persona", "accidente", "herramienta_ajena", "observacion"]),
        prop_oneof![Just(Valor::Null), Just(Valor::from("a.b"))],
        option::of(words(&["abierto", "resuelto"])),
        proptest::array::uniform3(option::of(story())),
        btree_map(prop_oneof![name(), "[a-z]{1,3} [a-z.]{1,3}[a-z]"], relation_rows(), 1..4),
    );
    (opening, label, story(), closing, story()).prop_map(
        |(opening, (label, espera), sintoma, closing, leccion)| {
            let (id, fecha, origin, procedencia, titulo) = opening;
            let (deteccion, medida, estado, optional, evidencia) = closing;
            let mut members = Map::new();
            let mut put = |name: &str, value: Option<Valor>| {
                if let Some(value) = value {
                    members.insert(Text::from(name), value);
                }
            };
            put("id", Some(id.into()));
            put("fecha", Some(fecha));
            put("origen", Some(Valor::map(origin)));
            put("procedencia", procedencia);
            put("titulo", Some(titulo));
            put("etiqueta", Some(label));
            put("espera", espera);
            put("sintoma", Some(sintoma));
            put("como_se_detecto", Some(deteccion));
            put("medida", Some(medida));
            put("estado_sin_medida", estado);
            for (name, text) in ["resuelto", "limite_humano", "sin_medida_todavia"].into_iter().zip(optional)
            {
                put(name, text);
            }
            put("evidencia", Some(Valor::map(evidencia)));
            put("leccion", Some(leccion));
            Valor::Map(members)
        },
    )
}

fn declared_relation() -> impl Strategy<Value = Valor> {
    let typed = || {
        prop_oneof![
            select(vec!["texto", "booleano"]).prop_map(|tipo| (tipo, "sin_unidad".to_owned())),
            (select(vec!["entero", "flotante"]), "[a-z°/%]{1,5}"),
        ]
    };
    let field =
        |name: String, (tipo, unit): (&str, String)| node("campo", [name.into(), tipo.into(), unit.into()]);
    let common = btree_map("[a-m][a-z0-9_]{0,4}", typed(), 0..4);
    let variants =
        btree_map(prop_oneof![name(), prose()], btree_map("[n-z][a-z]{0,2}", Just(()), 1..3), 1..3);
    (name(), common, option::of(variants), typed(), prose()).prop_map(
        move |(name, common, variants, kind, text)| {
            let first = field("a".to_owned(), ("texto", "sin_unidad".to_owned()));
            let rest =
                common.into_iter().filter(|(name, _)| name != "a").map(|(name, kind)| field(name, kind));
            let mut items = vec![Valor::from(name), node("campos", std::iter::once(first).chain(rest))];
            if let Some(variants) = variants {
                let entries = variants.into_iter().map(|(value, fields)| {
                    let fields = fields.into_keys().map(|name| field(name, kind.clone()));
                    node("variante", std::iter::once(value.into()).chain(fields))
                });
                items.push(node("variantes", std::iter::once("a".into()).chain(entries)));
            }
            items.push(node("alcance", [text.trim().into()]));
            node("relacion", items)
        },
    )
}

/// The text with one character more, one less or one changed, or with two lines swapped.
fn spoiled(text: &str, at: usize, change: u8, with: char) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    match change % 4 {
        0 => chars.insert(at, with),
        1 if at < chars.len() => drop(chars.remove(at)),
        2 if at < chars.len() => chars[at] = with,
        _ => {
            let mut lines: Vec<&str> = text.lines().collect();
            let count = lines.len();
            lines.swap(at % count, (at / count) % count);
            return lines.join("\n") + "\n";
        }
    }
    chars.into_iter().collect()
}

fn without_comments(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with('#')).collect()
}

/// Characters that matter to the grammar, and any other.
fn noise() -> impl Strategy<Value = char> {
    prop_oneof![select("\"\\ \t\n\r:.,()[]{}$#=<>!+-*0a_ñ;".chars().collect::<Vec<_>>()), any::<char>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_measure_comes_back(tree in measure()) {
        let macros = Macros::new();
        let text = imprimir(&tree, &macros).unwrap();
        let read = forma::leer_oracle(&text, &macros).unwrap();
        prop_assert_eq!(&read.datos, &tree);
        prop_assert_eq!(imprimir(&read.datos, &macros).unwrap(), text);
    }

    #[test]
    fn comments_say_nothing(tree in measure(), at in any::<usize>(), indent in 0..9_usize) {
        let text = imprimir(&tree, &Macros::new()).unwrap();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let comment = " ".repeat(indent) + "# nota\n";
        let at = at % (lines.len() + 1);
        lines.insert(at, &comment);
        prop_assert_eq!(forma::leer_oracle(&lines.concat(), &Macros::new()).unwrap().datos, tree);
    }

    #[test]
    fn a_macro_and_its_invocation_come_back((declared, invocation, measure) in abstracted()) {
        let mut macros = Macros::estandar();
        let text = imprimir(&declared.datos(), &macros).unwrap();
        macros.cargar(&text).unwrap();
        prop_assert_eq!(macros.get("propia"), Some(&declared));

        let limites = LimitesAlgebra::default();
        let contexto = Contexto { limites: &limites, cancellation: &Cancellation::new(), escalares: &EscalaresBase };
        let expanded = expandir(&invocation, &macros, &contexto).unwrap().into_owned();
        prop_assert_eq!(expanded, measure);

        let text = imprimir(&invocation, &macros).unwrap();
        let read = forma::leer_oracle(&text, &macros).unwrap();
        prop_assert_eq!(read.datos, invocation);
    }

    #[test]
    fn what_is_expanded_is_expanded((declared, invocation, measure) in abstracted()) {
        let mut macros = Macros::estandar();
        macros.declarar(declared).unwrap();
        let limites = LimitesAlgebra::default();
        let contexto = Contexto { limites: &limites, cancellation: &Cancellation::new(), escalares: &EscalaresBase };
        let once = expandir(&invocation, &macros, &contexto).unwrap().into_owned();
        prop_assert_eq!(expandir(&once, &macros, &contexto).unwrap().into_owned(), once);
        prop_assert_eq!(expandir(&measure, &macros, &contexto).unwrap().into_owned(), measure);
    }

    #[test]
    fn every_place_stands_in_the_text(tree in measure()) {
        let text = imprimir(&tree, &Macros::new()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (path, place) in leer(&text, &Macros::new()).unwrap().posiciones.iter() {
            let line = lines[place.linea - 1];
            prop_assert!(place.columna <= line.chars().count(), "{path:?} at {place}");
            let node = path.iter().try_fold(&tree, |node, index| node.as_list()?.get(*index));
            prop_assert!(node.is_some(), "{path:?} leads to no node");
        }
    }

    #[test]
    fn a_case_comes_back(tree in case()) {
        let text = caso::imprimir(&tree).unwrap();
        let read = forma::leer_caso(&text).unwrap();
        prop_assert_eq!(read.datos().to_canonical(), tree.to_canonical());
        prop_assert_eq!(caso::imprimir(read.datos()).unwrap(), text);
    }

    #[test]
    fn a_relation_comes_back(tree in declared_relation()) {
        let declared = Relacion::from_datos(&tree).unwrap();
        prop_assert_eq!(declared.datos().to_compact(), tree.to_compact());
        let text = relacion::imprimir(&declared).unwrap();
        prop_assert_eq!(forma::leer_relacion(&text).unwrap(), declared);
    }

    #[test]
    fn what_is_accepted_is_its_own_form(tree in measure(), at in any::<usize>(), change in any::<u8>(), with in noise()) {
        let macros = Macros::estandar();
        let text = spoiled(&imprimir(&tree, &macros).unwrap(), at, change, with);
        if let Ok(read) = forma::leer_oracle(&text, &macros) {
            prop_assert_eq!(imprimir(&read.datos, &macros).unwrap(), without_comments(&text));
        }
    }

    #[test]
    fn a_spoiled_case_or_relation_is_its_own_form_or_refused(
        case in case(), relation in declared_relation(), at in any::<usize>(), change in any::<u8>(), with in noise(),
    ) {
        let text = spoiled(&caso::imprimir(&case).unwrap(), at, change, with);
        if let Ok(read) = forma::leer_caso(&text) {
            prop_assert_eq!(caso::imprimir(read.datos()).unwrap(), without_comments(&text));
        }
        let relation = Relacion::from_datos(&relation).unwrap();
        let text = spoiled(&relacion::imprimir(&relation).unwrap(), at, change, with);
        if let Ok(read) = forma::leer_relacion(&text) {
            prop_assert_eq!(relacion::imprimir(&read).unwrap(), without_comments(&text));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*|[a-z :\"$#(),.=<>\n-]{0,80}", head in select(vec!["", "medida a.b:\n    ", "ninguno a.b:\n    ", "defmacro m(a):\n    ", "caso 1:\n    ", "relacion r:\n    "])) {
        let text = head.to_owned() + &text;
        let (read, _, _) = (leer(&text, &Macros::estandar()), caso::leer(&text), relacion::leer(&text));
        if let Err(error) = read {
            prop_assert!(error.linea >= 1 && error.columna >= 1);
        }
    }
}
