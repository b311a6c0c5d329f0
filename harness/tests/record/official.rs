//! The workspace's own server under a client of either era: what is recorded replays, and holds what it should.

use harness::suite::{Workspace, build};

use super::between::Bench;
use super::{Check, named};

/// Every one of them.
pub const ALL: &[Check] =
    named![own_server_in_the_flow_of_both_eras, own_server_with_a_fingerprint_that_is_left_to_a_let];

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn own_server() -> (Bench, String) {
    let built = build(&Workspace::own().root).unwrap_or_else(|fault| panic!("{fault}"));
    let executable = built.executable.to_str().expect("UTF-8");
    (Bench::command(&[executable, "--proyecto", "{{project}}"]), built.version)
}

fn own_server_in_the_flow_of_both_eras() {
    let (bench, version) = own_server();
    let mut client = bench.record(&["--project", "tienda"]);
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    assert!(client.line(initialize).read().contains("serverInfo"));
    client.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(
        client.line(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).read().contains("oracle_evaluar")
    );
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"oracle_evaluar","arguments":{"medida":{"id":"tienda.stock_no_negativo"},"evidencia":{"articulo":[{"sku":"A","stock":null}]}}}}"#;
    assert!(client.line(call).read().contains("EVIDENCIA_INVALIDA"));
    let discover = format!(r#"{{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{{{META}}}}}"#);
    let list = format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{{{META}}}}}"#);
    client.send(format!("{discover}\n{list}\n")).close();
    client.end().check(0, &["a fresh server says the same", "replay it: "]);
    let text = bench.text();
    for part in ["\nproject: tienda\n", "\"version\":\"{{version}}\"", "\neof\n", "\nexit 0\n"] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    assert_eq!(bench.replay(&["--server-version", &version]).0, 0);
}

fn own_server_with_a_fingerprint_that_is_left_to_a_let() {
    let (bench, _) = own_server();
    let mut client = bench.record(&["--project", "tienda", "--volatile"]);
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"oracle_catalogo_efectivo","arguments":{{"ids":["tienda.stock_no_negativo"]}},{META}}}}}"#
    );
    assert!(client.line(&call).read().contains("huella_proyecto"));
    let told = client.end();
    told.check(1, &["$.result.structuredContent.huella_proyecto was ", "no placeholder stands for both"]);
    assert_eq!(told.err.matches("$.result").count(), 1, "{}", told.err);
    let text = bench.text();
    for part in [
        "\"proyecto\":\"{{project}}\"",
        "\"{{sha256:catalogos/tienda/tienda.stock_no_negativo.oracle}}\"",
        "\"{{text}}\"",
    ] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
