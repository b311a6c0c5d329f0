//! Whatever a query looked at and changed afterwards is seen; whatever it did not look at is not.

use super::*;
use std::fs;

/// Asks, changes the tree, and tells whether the fingerprints differ.
fn moved(query: impl FnOnce(&Tracker<'_>), change: impl FnOnce(&Disk)) -> bool {
    let disk = one("[a](nota.md) [b](../../catalogos/x) ñandú");
    disk.write(&format!("tareas/{ONE}/nota.md"), "x");
    disk.write(&format!("tareas/{ONE}/sub/otra.txt"), "y");
    disk.link(&format!("tareas/{ONE}/l"), "nota.md");
    let lectura = disk.lectura();
    let vista = Vista::new(&lectura);
    let tracker = Tracker::abrir(&vista).unwrap();
    query(&tracker);
    assert_eq!(vista.huella(), vista.huella_actual());
    change(&disk);
    vista.huella() != vista.huella_actual()
}

fn list(tracker: &Tracker<'_>) {
    assert_eq!(tracker.listar(Estado::Abierta, None).len(), 1);
}

fn search(tracker: &Tracker<'_>) {
    assert!(tracker.buscar(&Termino::parse("ñandú").unwrap()).is_ok());
}

fn facts(tracker: &Tracker<'_>) {
    assert!(tracker.hechos(false).is_ok());
}

#[test]
fn a_changed_document_is_seen_by_every_query() {
    for query in [list, search, facts] {
        for text in
            [document("CERRADA", ""), document("ABIERTA", "[a](nota.md) [b](../../catalogos/x) ñandu")]
        {
            assert!(moved(query, |disk| disk.write(&format!("tareas/{ONE}/TAREA.md"), text)));
        }
        assert!(moved(query, |disk| fs::remove_dir_all(disk.path(&format!("tareas/{ONE}"))).unwrap()));
        assert!(moved(query, |disk| disk.write("tareas/nuevo", "")));
        assert!(moved(query, |disk| fs::remove_dir_all(disk.path("tareas")).unwrap()));
        let same = document("ABIERTA", "[a](nota.md) [b](../../catalogos/x) ñandú");
        assert!(!moved(query, |disk| disk.write(&format!("tareas/{ONE}/TAREA.md"), same)));
        assert!(!moved(query, |disk| disk.write("corpus/x", "")));
    }
}

#[test]
fn an_attachment_matters_to_who_reads_it() {
    let changes: [fn(&Disk); 4] = [
        |disk| disk.write(&format!("tareas/{ONE}/sub/otra.txt"), "z, y más"),
        |disk| disk.write(&format!("tareas/{ONE}/sub/nueva"), ""),
        |disk| fs::remove_file(disk.path(&format!("tareas/{ONE}/nota.md"))).unwrap(),
        |disk| {
            fs::remove_file(disk.path(&format!("tareas/{ONE}/l"))).unwrap();
            disk.link(&format!("tareas/{ONE}/l"), "sub");
        },
    ];
    for change in changes {
        assert!(moved(search, change));
        assert!(!moved(list, change));
    }
    // Facts count sizes of attachments, and read only Markdown.
    assert!(moved(facts, changes[0]) && moved(facts, changes[1]) && moved(facts, changes[2]));
    assert!(moved(facts, |disk| disk.write(&format!("tareas/{ONE}/nota.md"), "z")));
}

#[test]
fn a_target_that_comes_to_be_is_seen() {
    assert!(moved(facts, |disk| disk.write("catalogos/x", "")));
    assert!(!moved(search, |disk| disk.write("catalogos/x", "")));
}

#[test]
fn a_change_in_the_middle_is_seen_even_when_it_is_taken_back() {
    let disk = one("");
    let lectura = disk.lectura();
    let vista = Vista::new(&lectura);
    let tracker = Tracker::abrir(&vista).unwrap();
    let path = format!("tareas/{ONE}/nota.md");
    facts(&tracker);
    disk.write(&path, "x");
    facts(&tracker);
    fs::remove_file(disk.path(&path)).unwrap();
    assert_ne!(vista.huella(), vista.huella_actual());
}

/// What a query answers when the tree changes while it runs.
fn asked_while<T>(
    disk: &Disk,
    outcome: Result<T, TareasError>,
    change: impl FnOnce(&Disk),
) -> Result<T, TareasError> {
    ask(disk, |tracker| {
        list(tracker);
        change(disk);
        outcome
    })
}

#[test]
fn an_answer_that_mixes_two_states_is_none() {
    let path = format!("tareas/{ONE}/TAREA.md");
    let absent = || TareasError::NoEncontrada { id: "x".to_owned() };
    let write = |disk: &Disk| disk.write(&path, document("CERRADA", ""));
    for outcome in [Ok(()), Err(absent())] {
        match asked_while(&one(""), outcome, write) {
            Err(TareasError::Cambio { inicial, actual }) => {
                assert!(inicial != actual && inicial.len() == 64 && actual.len() == 64);
            }
            other => panic!("{other:?}"),
        }
    }
    let elsewhere = |disk: &Disk| disk.write("corpus/x", "");
    assert_eq!(asked_while(&one(""), Ok(()), elsewhere), Ok(()));
    assert_eq!(asked_while(&one(""), Err::<(), _>(absent()), elsewhere), Err(absent()));
    // Nobody waits for what was cancelled to be looked at again.
    let disk = one("");
    let lectura = disk.lectura();
    let cancelled = consultar(&lectura, |_| {
        write(&disk);
        lectura.cancellation().cancel();
        Ok(())
    });
    assert_eq!(cancelled, Err(TareasError::Cancelado));
}

#[test]
fn a_failure_is_seen_to_be_old() {
    let disk = one("");
    disk.write("tareas/suelto", "");
    let lectura = disk.lectura();
    let vista = Vista::new(&lectura);
    assert!(Tracker::abrir(&vista).is_err());
    fs::remove_file(disk.path("tareas/suelto")).unwrap();
    assert_ne!(vista.huella(), vista.huella_actual());
    let absent = Disk::new();
    let lectura = absent.lectura();
    let vista = Vista::new(&lectura);
    assert!(Tracker::abrir(&vista).is_err());
    absent.write("tareas/README.md", "");
    assert_ne!(vista.huella(), vista.huella_actual());
}

#[test]
fn a_view_answers_from_what_it_read_first() {
    let disk = one("aguja");
    let lectura = disk.lectura();
    let vista = Vista::new(&lectura);
    let tracker = Tracker::abrir(&vista).unwrap();
    disk.write(&format!("tareas/{ONE}/TAREA.md"), "otra cosa");
    let found = tracker.buscar(&Termino::parse("aguja").unwrap()).unwrap();
    assert_eq!(found.coincidencias.len(), 1);
    assert_ne!(vista.huella(), vista.huella_actual());
}
