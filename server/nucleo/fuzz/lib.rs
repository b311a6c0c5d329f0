//! What the targets share: the text of an input, budgets small enough for a fuzzer, a project on disk.
//!
//! Each target checks a law besides "no panic": what is accepted is its own one form, what is printed reads back.

use nucleo::algebra::{Cancellation, Contexto, EscalaresBase, LimitesAlgebra};
use nucleo::proyecto::{Opciones, Proyecto};
use std::cell::OnceCell;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Calls `body` with the input when it is text: every reader takes text, and who hands it over decodes it.
pub fn with_text(bytes: &[u8], body: impl FnOnce(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        body(text);
    }
}

/// Calls `body` with budgets that no input can make slow.
pub fn with_context<T>(body: impl FnOnce(&Contexto<'_>) -> T) -> T {
    let limites =
        LimitesAlgebra { filas_por_relacion: 1000, producto_cartesiano: 10_000, ..LimitesAlgebra::default() };
    let cancellation = Cancellation::new();
    body(&Contexto { limites: &limites, cancellation: &cancellation, escalares: &EscalaresBase })
}

/// A text without its comment lines: what its one form is compared with. Lines end as the language ends them.
pub fn without_comments(text: &str) -> String {
    let is_break =
        |c: char| matches!(c, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
    let (mut kept, mut halved) = (String::new(), false);
    for line in text.split_inclusive(is_break) {
        let rest_of_an_end = halved && line == "\n";
        let comment = rest_of_an_end || line.trim_start_matches(is_space).starts_with('#');
        halved = comment && line.ends_with('\r');
        if !comment {
            kept += line;
        }
    }
    kept
}

/// A project whose one file of interest is written anew for each input.
struct OneFile {
    folder: TempDir,
    file: PathBuf,
}

impl OneFile {
    /// A project with `catalogos/`, room for `path`, and the files that `others` names with their texts.
    fn new(path: &str, others: &[(&str, &str)]) -> OneFile {
        let folder = TempDir::new().expect("a temporary folder");
        fs::create_dir(folder.path().join("catalogos")).expect("a folder for measures");
        let make_room = |path: &str| {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().expect("a file lies in a folder")).expect("its folder");
            file
        };
        for (path, text) in others {
            fs::write(make_room(path), text).expect("a temporary file is written");
        }
        let file = make_room(path);
        OneFile { folder, file }
    }

    fn read(&self, bytes: &[u8], body: impl FnOnce(&nucleo::proyecto::Lectura)) {
        fs::write(&self.file, bytes).expect("a temporary file is written");
        let proyecto = Proyecto::open(self.folder.path()).expect("the project opens");
        body(&proyecto.lectura(Opciones::default()));
    }
}

/// Calls `body` with a reading of a project in which `path` holds `bytes`, beside `others`.
pub fn with_file(
    path: &str,
    bytes: &[u8],
    others: &[(&str, &str)],
    body: impl FnOnce(&nucleo::proyecto::Lectura),
) {
    thread_local!(static PROJECT: OnceCell<OneFile> = const { OnceCell::new() });
    PROJECT.with(|project| project.get_or_init(|| OneFile::new(path, others)).read(bytes, body));
}
