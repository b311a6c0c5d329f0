//! The contract's own example keeps every rule, and each rule is broken by one change of it.

use super::super::super::rule::Verdict;
use super::*;

/// The example of the contract, with the metadata of its other example.
fn example() -> Value {
    json!({
        "name": "abrir_caso_soporte",
        "title": "Abrir caso de soporte",
        "description": "Registra un caso de soporte para un cliente identificado y devuelve su número de radicado. \
            Úsala solo cuando el cliente ya describió el problema. No la uses para consultar el estado de un caso \
            existente.",
        "inputSchema": {
            "type": "object",
            "additionalProperties": false,
            "required": ["documento", "tipo", "descripcion"],
            "properties": {
                "documento": {"type": "string", "maxLength": 20},
                "tipo": {"enum": ["falla", "instalacion", "cobro"]},
                "descripcion": {"type": "string", "maxLength": 400},
                "prioridad": {"type": ["string", "null"], "enum": ["alta", "normal", null]}
            }
        },
        "outputSchema": {
            "type": "object",
            "required": ["radicado", "estado"],
            "properties": {
                "radicado": {"type": "string"},
                "estado": {"enum": ["abierto", "en_cola"]},
                "sla_horas": {"type": "integer"}
            }
        },
        "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": true},
        "_meta": {
            "com.asixto/capabilities": ["pqr", "soporte", "garantia"],
            "com.asixto/verb": "abrir un caso de soporte"
        }
    })
}

fn broken(tools: &[Value]) -> Vec<&'static str> {
    let keys = ["pqr", "soporte", "garantia"].map(ToOwned::to_owned).to_vec();
    let parameters = Parameters { capabilities: Some(keys), ..Parameters::default() };
    let mut notes = Notes::default();
    judge(tools, Some(&parameters), &mut notes);
    let rules: Vec<_> = notes.rules().collect();
    let is_broken = |rule: &&str| notes.verdict(rule).is_some_and(|(verdict, _)| verdict == Verdict::Broken);
    rules.into_iter().filter(is_broken).collect()
}

#[test]
fn the_example_of_the_contract_keeps_every_rule() {
    assert_eq!(broken(&[example()]), [""; 0]);
}

#[test]
fn each_rule_is_broken_by_one_change() {
    let check = |at: &str, value: Value, expect: &[&str]| {
        let mut tool = example();
        let (parent, member) = at.rsplit_once('/').expect("a pointer");
        tool.pointer_mut(parent).expect(at)[member.replace("~1", "/")] = value;
        assert_eq!(broken(&[tool]), expect, "{at}");
    };
    let property = |value: Value, expect: &[&str]| check("/inputSchema/properties/prioridad", value, expect);
    check("/name", json!("abrir_caso_de_soporte_para_un_cliente_que_llama"), &["AX-NOM-1"]);
    check("/name", json!("abrir_Caso"), &["AX-NOM-1"]);
    check("/name", json!("caso_abierto"), &["AX-NOM-5"]);
    check("/name", json!("abrir"), &["AX-NOM-5"]);
    check("/description", json!(format!("No. {}", "a".repeat(697))), &["AX-NOM-3"]);
    check("/description", json!(format!("No. {}", "a".repeat(696))), &[]);
    check("/description", json!("Registra un caso."), &["AX-DES-1"]);
    check("/description", json!("Abre. No la uses si no. Responde amablemente."), &["AX-DES-2"]);
    check("/description", json!("Abre, de 8:00 a 17:00. No la uses antes."), &["AX-DES-3"]);
    property(json!({"enum": ["alta", "normal"]}), &["AX-ESQ-1"]);
    property(json!({"type": "string", "maxLength": 9}), &["AX-ESQ-1"]);
    property(json!({"anyOf": [{"type": "string", "maxLength": 9}, {"type": "null"}]}), &[]);
    property(json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), &["AX-ESQ-5"]);
    property(json!({"type": ["string", "null"]}), &["AX-ESQ-5"]);
    property(json!({"type": ["string", "null"], "format": "date"}), &[]);
    property(
        json!({"type": ["string", "null"], "maxLength": 9, "description": "alta o normal"}),
        &["AX-ESQ-4"],
    );
    property(
        json!({"type": ["string", "null"], "maxLength": 9, "description": "é".repeat(201)}),
        &["AX-NOM-4"],
    );
    property(json!({"type": ["string", "null"], "maxLength": 9, "description": "é".repeat(200)}), &[]);
    property(json!({"type": ["object", "null"]}), &["AX-ESQ-3"]);
    let inner = json!({"type": ["object", "null"], "additionalProperties": false});
    property(inner.clone(), &[]);
    let mut outer = inner.clone();
    outer["properties"] = json!({"dentro": inner});
    property(outer, &["AX-ESQ-8"]);
    check("/inputSchema/properties/documento/default", json!("x"), &["AX-ESQ-2"]);
    check("/inputSchema/properties/documento/format", json!("uuid"), &["AX-ESQ-6"]);
    check("/inputSchema/properties/accion", json!({"enum": ["abrir", "cerrar", null]}), &["AX-ESQ-7"]);
    check("/inputSchema/properties/accion", json!({"enum": [null]}), &[]);
    check("/inputSchema/additionalProperties", json!(true), &["AX-ESQ-3"]);
    check("/inputSchema/anyOf", json!([{}]), &["AX-ESQ-8"]);
    check("/_meta/com.asixto~1verb", json!(null), &["AX-META-2"]);
    check("/annotations/readOnlyHint", json!(null), &["AX-ANO-1"]);
    check("/annotations/readOnlyHint", json!(true), &[]);
    check("/annotations/destructiveHint", json!(true), &["AX-ANO-4"]);
    let both = json!({"readOnlyHint": true, "destructiveHint": true, "idempotentHint": true});
    check("/annotations", both, &["AX-ANO-2", "AX-ANO-4"]);
    let meta = |capability: Value, expect: &[&str]| {
        let mut of = json!({"com.asixto/verb": "abrir un caso"});
        for (key, value) in capability.as_object().expect("keys") {
            of[key] = value.clone();
        }
        check("/_meta", of, expect);
    };
    meta(json!({}), &["AX-META-1"]);
    meta(json!({"com.asixto/capability": "pqr"}), &[]);
    meta(json!({"com.asixto/capability": "pagos"}), &["AX-META-4"]);
    meta(json!({"com.asixto/capability": "pqr", "com.asixto/capabilities": ["pqr"]}), &["AX-META-3"]);
    meta(json!({"com.asixto/capabilities": []}), &["AX-META-3"]);
    meta(json!({"com.asixto/capabilities": "pqr"}), &["AX-META-3"]);
    meta(json!({"com.asixto/capabilities": ["pqr", "otra"]}), &["AX-META-4"]);
    meta(json!({"com.asixto/capability": "pqr", "com.asixto/verb": "caso abierto"}), &["AX-META-2"]);
    let twice = [example(), example()];
    assert_eq!(broken(&twice), ["AX-NOM-2"]);
}

#[test]
fn keys_of_capabilities_are_never_invented() {
    let mut notes = Notes::default();
    judge(&[example()], None, &mut notes);
    assert_eq!(notes.verdict("AX-META-4").map(|(verdict, _)| verdict), Some(Verdict::Inconclusive));
}

#[test]
fn a_confirmation_is_a_required_parameter() {
    let mut tool = example();
    tool["annotations"]["destructiveHint"] = json!(true);
    tool["inputSchema"]["properties"]["confirmado"] = json!({"const": true});
    tool["inputSchema"]["required"] = json!(["documento", "tipo", "descripcion", "confirmado"]);
    assert_eq!(broken(&[tool]), [""; 0]);
}
