//! Laws of JSON over generated values: reading undoes printing, canonical text is one, a reader never fails twice in
//! two ways.

use nucleo::valor::{Integer, Valor, members, parse, prefix};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

fn scalar() -> impl Strategy<Value = Valor> {
    prop_oneof![
        Just(Valor::Null),
        any::<bool>().prop_map(Valor::from),
        any::<i64>().prop_map(Valor::from),
        "-?[1-9][0-9]{20,60}".prop_map(|digits| Valor::Int(Integer::parse(&digits).unwrap())),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(Valor::Float),
        any::<String>().prop_map(Valor::from),
        "[a-c]{0,3}".prop_map(Valor::from),
    ]
}

fn value() -> BoxedStrategy<Valor> {
    scalar()
        .prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Valor::List),
                btree_map(prop_oneof![any::<String>(), "[a-c]{1,2}"], inner, 0..4).prop_map(Valor::map),
            ]
        })
        .boxed()
}

/// The value with the members of every map in the opposite order.
fn reversed(value: &Valor) -> Valor {
    match value {
        Valor::List(items) => Valor::list(items.iter().map(reversed)),
        Valor::Map(map) => {
            let mut members: Vec<_> =
                map.iter().map(|(name, value)| (name.clone(), reversed(value))).collect();
            members.reverse();
            Valor::map(members)
        }
        scalar => scalar.clone(),
    }
}

/// JSON with white space wherever it may stand.
fn spaced(value: &Valor, space: &str) -> String {
    let join = |items: Vec<String>| items.join(&format!("{space},{space}"));
    match value {
        Valor::List(items) => {
            let items = items.iter().map(|item| spaced(item, space)).collect();
            format!("[{space}{}{space}]", join(items))
        }
        Valor::Map(map) => {
            let name = |name: &str| Valor::from(name).to_compact();
            let one = |(key, item): (&_, &_)| format!("{}{space}:{space}{}", name(key), spaced(item, space));
            format!("{{{space}{}{space}}}", join(map.iter().map(|(key, item)| one((&**key, item))).collect()))
        }
        scalar => scalar.to_compact(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_comes_back(value in value()) {
        prop_assert_eq!(&parse(&value.to_compact()).unwrap(), &value);
    }

    #[test]
    fn canonical_text_is_one_whatever_the_order_of_members(value in value()) {
        let canonical = value.to_canonical();
        prop_assert_eq!(reversed(&value).to_canonical(), canonical.clone());
        prop_assert_eq!(parse(&canonical).unwrap().to_canonical(), canonical);
    }

    #[test]
    fn white_space_says_nothing(value in value(), space in "[ \t\r\n]{0,2}") {
        let text = format!("{space}{}{space}", spaced(&value, &space));
        prop_assert_eq!(&parse(&text).unwrap(), &value);
    }

    #[test]
    fn a_value_is_read_off_the_start_of_a_text(value in value(), rest in "[,;a-z\\]} ].{0,8}|") {
        let text = value.to_compact();
        let (read, length) = prefix(&format!("{text}{rest}")).unwrap();
        prop_assert_eq!(length, text.len());
        prop_assert_eq!(read, value);
    }

    #[test]
    fn members_are_those_of_the_map(value in value()) {
        let text = value.to_compact();
        let found = members(&text).unwrap();
        match value.as_map() {
            None => prop_assert!(found.is_none()),
            Some(map) => {
                let found = found.unwrap();
                prop_assert_eq!(found.len(), map.len());
                for member in found {
                    prop_assert_eq!(map.get(&member.key), Some(&member.value));
                    prop_assert_eq!(&parse(member.raw).unwrap(), &member.value);
                }
            }
        }
    }

    /// Any text is read by all readers or by none, and the place of a fault is inside of it.
    #[test]
    fn readers_agree(text in "[\\[\\]{}\",:0-9.eE+\\-a-z\\\\ \n]{0,24}|\\PC{0,16}") {
        match (parse(&text), members(&text)) {
            (Ok(value), Ok(outer)) => prop_assert_eq!(outer.is_some(), value.as_map().is_some()),
            (Err(one), Err(other)) => {
                prop_assert_eq!(&one, &other);
                let line = text.split('\n').nth(one.line - 1).unwrap();
                prop_assert!(one.column <= line.chars().count() + 1);
            }
            (one, other) => prop_assert!(false, "{one:?} and {other:?}"),
        }
    }
}
