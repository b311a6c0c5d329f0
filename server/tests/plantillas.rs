//! The closed list of domain codes: every one is answered by some conversation, with the contract's very template, and
//! no conversation is answered with another.
//!
//! The list is taken from where the server writes it, so that a code which joins it has to be in the contract too.

use nucleo::valor::{Valor, prefix};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Contract, "Rechazos y forma de los errores": code and message; `<…>` stands for what differs from call to call.
const TEMPLATES: [(&str, &str); 18] = [
    ("ARGUMENTOS_INVALIDOS", "<ruta JSON>: <valor recibido>; se esperaba <forma>."),
    ("PROYECTO_INVALIDO", "<raíz>: <motivo de nucleo.proyecto>."),
    ("CATALOGO_INVALIDO", "<fuente>: <motivo de carga>. No se devolvió un catálogo parcial."),
    (
        "MEDIDA_DESCONOCIDA",
        "«<id>» no aparece en las fuentes seleccionadas; consultá oracle_catalogo_efectivo sin ids.",
    ),
    ("MEDIDA_NO_EFECTIVA", "«<id>» existe en <origen>, pero su ambito «<ambito>» no obliga a «<proyecto>»."),
    ("MEDIDA_NO_APLICABLE", "«<id>» requiere las relaciones <relaciones>, no presentes en la evidencia."),
    ("MEDIDA_INVALIDA", "<id o texto>: <motivo> en <línea y columna o ruta canónica>."),
    ("EVIDENCIA_INVALIDA", "$.<relación>: <motivo>."),
    (
        "EVIDENCIA_INCOMPLETA",
        "no se pudo juzgar la fijación: <motivo>. No se devolvieron fijaciones parciales.",
    ),
    ("CASO_REPETIDO", "«<id>» aparece en <origen 1> y <origen 2>; ninguno tiene precedencia."),
    (
        "ESCALARES_NO_AUTORIZADAS",
        "<archivo> es código externo; autorizalo en la configuración de arranque del servidor, no en esta llamada.",
    ),
    ("TRACKER_AUSENTE", "el proyecto no tiene tracker de tareas: falta <ruta tareas>."),
    ("TRACKER_INVALIDO", "se detectaron <N> registro(s) inválido(s) en <ruta tareas>:"),
    ("TAREA_NO_ENCONTRADA", "no se encontró ninguna tarea con prefijo «<id>»."),
    ("ID_AMBIGUO", "el prefijo «<prefijo>» coincide con <N> tareas: <ids>."),
    ("LIMITE_DE_ALGEBRA", "<nombre>: se observó <valor> y el límite activo es <límite>."),
    (
        "PROYECTO_CAMBIO_DURANTE_LA_CONSULTA",
        "huella inicial <sha> y final <sha>; reintentá sobre un estado estable.",
    ),
    ("EVALUACION_FALLO", "<tipo de excepción>: <mensaje>. No se produjo un veredicto."),
];

/// Whether `message` is the template with something in each of its places.
fn fits(template: &str, message: &str) -> bool {
    let pieces: Vec<&str> =
        template.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect();
    let [first, middle @ .., last] = pieces.as_slice() else { return false };
    let ends = message.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
    let Some(mut rest) = ends else { return false };
    for piece in middle {
        // Something stands in the place, so the text behind it begins later than here.
        let later = rest.char_indices().skip(1).find(|(at, _)| rest[*at..].starts_with(piece));
        let Some((at, _)) = later else { return false };
        rest = &rest[at + piece.len()..];
    }
    !rest.is_empty()
}

/// The file of every conversation.
fn conversations(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            conversations(&path, found);
        } else if path.extension().is_some_and(|it| it == "conv") {
            found.push(path);
        }
    }
}

/// Whether a word is written as codes are.
fn is_code(word: &str) -> bool {
    word.contains('_') && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase())
}

/// The first line of every failure that a conversation expects, by its code.
fn answered() -> BTreeMap<String, Vec<String>> {
    let mut files = Vec::new();
    conversations(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../conversaciones"), &mut files);
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let content = fs::read_to_string(&file).expect("a conversation is text");
        for (at, key) in content.match_indices("\"text\":") {
            let Ok((Valor::Text(text), _)) =
                prefix(content[at + key.len()..].lines().next().unwrap_or_default())
            else {
                continue;
            };
            let line = text.lines().next().unwrap_or_default();
            if let Some((code, message)) = line.split_once(" — ").filter(|(code, _)| is_code(code)) {
                found.entry(code.to_owned()).or_default().push(message.to_owned());
            }
        }
    }
    found
}

#[test]
fn every_code_is_answered_with_its_template_and_no_other_is() {
    let answered = answered();
    let listed: BTreeSet<&str> = TEMPLATES.iter().map(|(code, _)| *code).collect();
    assert_eq!(answered.keys().map(String::as_str).collect::<BTreeSet<_>>(), listed);
    for (code, template) in TEMPLATES {
        for message in &answered[code] {
            assert!(fits(template, message), "{code}: {message}");
        }
    }
}

#[test]
fn the_server_writes_these_codes_and_no_other() {
    let source = include_str!("../src/fault.rs");
    let quoted: BTreeSet<&str> = source.split('"').skip(1).step_by(2).filter(|word| is_code(word)).collect();
    assert_eq!(quoted, TEMPLATES.iter().map(|(code, _)| *code).collect());
}

#[test]
fn a_template_is_more_than_its_first_words() {
    let template = "<a>: <b>. Fin.";
    assert!(fits(template, "x: y. Fin."));
    assert!(fits(template, "x: y: z. y. Fin."));
    for message in ["x: y", "x: . Fin.", ": y. Fin.", "x: y. Fin", "x; y. Fin.", "x: y. Fin. Y"] {
        assert!(!fits(template, message), "{message}");
    }
}
