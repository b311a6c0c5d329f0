//! Trackers on disk: what may lie in them, what may not, and what each query makes of it.

use super::*;
use crate::proyecto::FILE_LIMIT_BYTES;
use std::fs;
use std::os::unix::ffi::OsStrExt;

fn two() -> Disk {
    tracker(&[
        ("20260101-000000-uno/TAREA.md", &document("ABIERTA", "Un Ñandú")),
        ("20260101-000000-dos/TAREA.md", &document("CERRADA", "otro ñANDÚ")),
    ])
}

#[test]
fn without_a_folder_there_is_no_tracker() {
    let absent = |disk: &Disk| {
        let ruta = disk.path("tareas").to_str().unwrap().to_owned();
        assert_eq!(listed(disk, Estado::Abierta, None), Err(TareasError::Ausente { ruta }));
    };
    let disk = Disk::new();
    absent(&disk);
    disk.write("tareas", "un archivo");
    absent(&disk);
    let broken = Disk::new();
    broken.link("tareas", "nada");
    absent(&broken);
    let linked = Disk::new();
    linked.link("tareas", "catalogos");
    assert_eq!(records(listed(&linked, Estado::Abierta, None)), ["tareas: es un enlace simbólico"]);
    let empty = tracker(&[]);
    assert_eq!(listed(&empty, Estado::Abierta, None), Ok(vec![]));
}

#[test]
fn every_bad_record_is_told() {
    let disk = two();
    disk.write("tareas/suelto.md", "");
    disk.write("tareas/sin-id/TAREA.md", "");
    disk.write("tareas/20260102-000000/otro.md", "");
    disk.write("tareas/20260103-000000/TAREA.md", "sin título");
    disk.write("tareas/20260104-000000/TAREA.md", b"# a\xff");
    fs::create_dir_all(disk.path("tareas/20260105-000000/TAREA.md")).unwrap();
    disk.pipe("tareas/20260106-000000/TAREA.md");
    disk.link("tareas/20260107-000000/TAREA.md", "/etc/hosts");
    disk.link("tareas/20260108-000000", "..");
    disk.link("tareas/20260109-000000", "nada");
    disk.link("tareas/20260110-000000", "20260110-000000");
    let told = records(listed(&disk, Estado::Abierta, None));
    let expected = [
        ("tareas/20260102-000000/TAREA.md", "falta"),
        ("tareas/20260103-000000/TAREA.md", "título"),
        ("tareas/20260104-000000/TAREA.md", "UTF-8"),
        ("tareas/20260105-000000/TAREA.md", "archivo regular"),
        ("tareas/20260106-000000/TAREA.md", "archivo regular"),
        ("tareas/20260107-000000/TAREA.md", "sale de tareas/"),
        ("tareas/20260108-000000", "sale de tareas/"),
        ("tareas/20260109-000000", "roto"),
        ("tareas/20260110-000000", "roto"),
        ("tareas/sin-id", "id de tarea"),
        ("tareas/suelto.md", "no es una tarea"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (record, (path, why)) in told.iter().zip(expected) {
        assert!(record.starts_with(&format!("{path}: ")) && record.contains(why), "{record}");
    }
    // Whatever is asked, a tracker with a bad record answers nothing else.
    assert_eq!(records(seen(&disk, "uno")), told);
    assert_eq!(records(searched(&disk, "x")), told);
    assert_eq!(records(rows(&disk, "tarea_seguimiento", false)), told);
}

#[test]
fn what_is_no_record_may_lie_beside_them() {
    let disk = two();
    for name in ["README.md", "README", ".gitignore", "etiquetas", ".oculta/x", ".hg/y"] {
        disk.write(&format!("tareas/{name}"), "x");
    }
    disk.pipe("tareas/20260101-000000-tubo");
    assert_eq!(listed(&disk, Estado::Abierta, None), Ok(vec![ONE.to_owned()]));
    assert_eq!(seen(&disk, "tubo"), Err(TareasError::NoEncontrada { id: "tubo".to_owned() }));
}

#[test]
fn a_symlink_may_stay_inside() {
    let disk = two();
    disk.link("tareas/20260201-000000-copia", ONE);
    disk.write("tareas/20260202-000000-otra/nota.md", "");
    disk.link("tareas/20260202-000000-otra/TAREA.md", format!("../{ONE}/TAREA.md"));
    disk.link("tareas/etiquetas", "/etc/hosts");
    let ids = listed(&disk, Estado::Abierta, None).unwrap();
    assert_eq!(ids, [ONE, "20260201-000000-copia", "20260202-000000-otra"]);
    let physical = disk.path(&format!("tareas/{ONE}/TAREA.md")).to_str().unwrap().to_owned();
    let ruta = ask(&disk, |tracker| tracker.ver(&Prefijo::parse("copia").unwrap()).map(|t| t.ruta.clone()));
    assert_eq!(ruta, Ok(physical));
    assert_eq!(
        records(seen(&disk, "etiquetas")),
        ["tareas/etiquetas: es un enlace simbólico y no una tarea"]
    );
    // Facts are taken of physical tasks only.
    assert_eq!(
        records(rows(&disk, "tarea_seguimiento", false)),
        [
            "tareas/20260201-000000-copia: es un enlace simbólico",
            "tareas/20260202-000000-otra/TAREA.md: es un enlace simbólico",
        ]
    );
}

#[test]
fn tasks_are_listed_by_priority_and_id() {
    let disk = tracker(&[]);
    for (id, priority, labels) in [
        ("20260101-000000-b", "5", "x"),
        ("20260101-000000-a", "5", "Ñ, y"),
        ("20260103-000000", "99999999999999999999", ""),
        ("20260104-000000", "-1", "ñ"),
    ] {
        let text = format!("# T\n- ESTADO: ABIERTA\n- PRIORIDAD: {priority}\n- ETIQUETAS: {labels}\n");
        disk.write(&format!("tareas/{id}/TAREA.md"), text);
    }
    let ids = |label| listed(&disk, Estado::Abierta, label).unwrap();
    let all = ["20260103-000000", "20260101-000000-a", "20260101-000000-b", "20260104-000000"];
    assert_eq!(ids(None), all);
    assert_eq!(ids(Some("")), all);
    assert_eq!(ids(Some(" ñ ")), ["20260101-000000-a", "20260104-000000"]);
    assert!(ids(Some("  ")).is_empty() && ids(Some("nadie")).is_empty());
    assert!(listed(&disk, Estado::Cerrada, None).unwrap().is_empty());
}

#[test]
fn one_task_is_meant_or_it_is_told() {
    let disk = two();
    for asked in ["20260101-000000-uno", "20260101-000000-u", "uno"] {
        assert_eq!(seen(&disk, asked), Ok(ONE.to_owned()), "{asked}");
    }
    assert_eq!(seen(&disk, "dos"), Ok("20260101-000000-dos".to_owned()));
    let ids = vec!["20260101-000000-dos".to_owned(), ONE.to_owned()];
    assert_eq!(seen(&disk, "2026"), Err(TareasError::Ambiguo { prefijo: "2026".to_owned(), ids }));
    for asked in ["un", "UNO", "20260101-000000-uno-2", "nadie"] {
        assert_eq!(seen(&disk, asked), Err(TareasError::NoEncontrada { id: asked.to_owned() }));
    }
    // An id that is the beginning of another means itself.
    disk.write("tareas/20260101-000000/TAREA.md", document("ABIERTA", ""));
    assert_eq!(seen(&disk, "20260101-000000"), Ok("20260101-000000".to_owned()));
}

#[test]
fn a_search_is_literal_and_takes_no_notice_of_case() {
    let disk = two();
    let hits = |texto: &str| searched(&disk, texto).unwrap().0;
    let both = ["tareas/20260101-000000-dos/TAREA.md:6", "tareas/20260101-000000-uno/TAREA.md:6"];
    assert_eq!(hits("ñandú"), both);
    assert_eq!(hits(" ÑANDÚ "), both);
    assert!(hits("ñ.ndú").is_empty() && hits("nandu").is_empty());
    disk.write(&format!("tareas/{ONE}/n"), "ΟΔΟΣ\nstraße\nİ\nﬁ");
    for (texto, line) in [("οδος", 1), ("STRASSE", 0), ("Straße", 2), ("i\u{307}", 3), ("fi", 0), ("ﬁ", 4)]
    {
        let expected = (line > 0).then(|| format!("tareas/{ONE}/n:{line}"));
        assert_eq!(hits(texto), expected.into_iter().collect::<Vec<_>>(), "{texto}");
    }
}

#[test]
fn a_search_tells_what_it_did_not_look_through() {
    let disk = two();
    let within = |name: &str| format!("tareas/{ONE}/{name}");
    disk.write("tareas/.oculta/x", "aguja");
    disk.link("tareas/README", "/etc/hosts");
    fs::remove_file(disk.path("tareas/README")).unwrap();
    disk.link("tareas/etiquetas", "nada");
    for name in [".x.md", "a.png", "a.xyz", "b.git/.git", ".c/d.md", "e.", "sub/f.TXT", ".git/config"] {
        disk.write(&within(name), "aguja");
    }
    disk.write(&within("nulo"), "aguja\0");
    disk.write(&within("latin.md"), b"aguja \xf1");
    disk.write(&within("grande.md"), "aguja\n".repeat(400_000));
    disk.link(&within("l.md"), "TAREA.md");
    disk.link(&within("carpeta"), "..");
    disk.pipe(&within("tubo.md"));
    let (hits, omitted) = searched(&disk, "AGUJA").unwrap();
    let hits_expected = [".c/d.md:1", ".git/config:1", "e.:1", "sub/f.TXT:1"].map(within);
    assert_eq!(hits, hits_expected);
    assert_eq!(
        omitted,
        [
            "tareas/.oculta: entrada oculta".to_owned(),
            within(".x.md: archivo oculto"),
            within("a.png: archivo binario"),
            within("a.xyz: extensión no admitida (.xyz)"),
            within("b.git: repositorio anidado"),
            within("carpeta: enlace simbólico de directorio"),
            within("grande.md: archivo supera el límite de 2 MiB"),
            within("l.md: enlace simbólico"),
            within("latin.md: codificación no UTF-8"),
            within("nulo: archivo binario (contiene bytes nulos)"),
            within("tubo.md: archivo especial (FIFO/dispositivo/socket)"),
            "tareas/etiquetas: enlace simbólico".to_owned(),
        ]
    );
}

#[test]
fn a_name_that_cannot_be_told_is_an_error_where_it_would_be_told() {
    let disk = two();
    let name = std::ffi::OsStr::from_bytes(b"a\xff.md");
    if fs::write(disk.path("tareas").join(ONE).join(name), "").is_err() {
        return; // a file system that only takes UTF-8 cannot show it
    }
    assert_eq!(seen(&disk, "uno"), Ok(ONE.to_owned()));
    assert!(records(searched(&disk, "x"))[0].contains("UTF-8"));
    assert!(records(rows(&disk, "archivo_seguimiento", false))[0].contains("UTF-8"));
}

#[test]
fn facts_count_every_file() {
    let disk = two();
    disk.write("tareas/README.md", "");
    disk.write(&format!("tareas/{ONE}/sub/TAREA.md"), "x");
    disk.link(&format!("tareas/{ONE}/l"), "nada");
    disk.pipe(&format!("tareas/{ONE}/tubo"));
    disk.write(&format!("tareas/{ONE}/repo/.git/x"), "");
    disk.write(&format!("tareas/{ONE}/.svn/x"), "");
    let files = rows(&disk, "archivo_seguimiento", false).unwrap();
    let shown: Vec<String> = files
        .iter()
        .map(|row| {
            ["ruta", "clase", "tipo", "existe", "tarea_id"]
                .map(|c| column(std::slice::from_ref(row), c).concat())
                .join(" ")
                .replace('"', "")
        })
        .collect();
    assert_eq!(
        shown,
        [
            "tareas/20260101-000000-dos/TAREA.md documento regular true 20260101-000000-dos",
            "tareas/20260101-000000-uno/TAREA.md documento regular true 20260101-000000-uno",
            "tareas/20260101-000000-uno/l adjunto enlace true 20260101-000000-uno",
            "tareas/20260101-000000-uno/sub/TAREA.md adjunto regular true 20260101-000000-uno",
            "tareas/20260101-000000-uno/tubo adjunto especial true 20260101-000000-uno",
            "tareas/README.md auxiliar regular true ",
        ]
    );
    let omitted = rows(&disk, "omision_seguimiento", false).unwrap();
    assert_eq!(
        column(&omitted, "motivo"),
        [
            "\"metadatos de control de versiones\"",
            "\"enlace simbólico en el tracker\"",
            "\"repositorio anidado\"",
            "\"archivo especial en el tracker (FIFO/dispositivo/socket)\"",
        ]
    );
    assert_eq!(column(&rows(&disk, "lectura_seguimiento", false).unwrap(), "completa"), ["false"]);
    assert_eq!(column(&rows(&two(), "lectura_seguimiento", false).unwrap(), "completa"), ["true"]);
}

#[test]
fn facts_are_evidence_that_a_measure_takes() {
    let facts = ask(&two(), |tracker| tracker.hechos(false).map(|facts| facts.evidencia())).unwrap();
    assert!(crate::algebra::Evidencia::from_valor(facts).is_ok());
}

#[test]
fn documents_are_bounded() {
    let grow = |disk: &Disk, name: &str, size: u64| {
        let file =
            fs::File::options().write(true).open(disk.path(&format!("tareas/{name}/TAREA.md"))).unwrap();
        file.set_len(size).unwrap();
    };
    let large = two();
    grow(&large, ONE, 3 * 1024 * 1024);
    assert_eq!(listed(&large, Estado::Abierta, None), Ok(vec![ONE.to_owned()]));
    assert!(records(rows(&large, "tarea_seguimiento", false))[0].contains("2097152"));
    let huge = two();
    grow(&huge, ONE, FILE_LIMIT_BYTES + 1);
    assert!(records(listed(&huge, Estado::Abierta, None))[0].contains("máximo"));
    let sum = two();
    grow(&sum, ONE, 1 << 40);
    assert!(records(listed(&sum, Estado::Abierta, None))[0].contains("pasan"));
}

#[test]
fn a_cancelled_query_reads_nothing_more() {
    let disk = two();
    let lectura = disk.lectura();
    lectura.cancellation().cancel();
    let vista = Vista::new(&lectura);
    assert!(matches!(Tracker::abrir(&vista), Err(TareasError::Cancelado)));
}
