//! Git is read, whatever state it is in, and nothing of it moves or runs.

use super::*;
use crate::algebra::Cancellation;
use crate::tareas::git::{GitFault, run};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) {
    let settings = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=principal"];
    let output = Command::new("git").arg("-C").arg(folder).args(who).args(arguments).envs(settings).output();
    let output = output.expect("these tests need git");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn commit(folder: &Path, subject: &str) {
    git(folder, &["commit", "-q", "--allow-empty", "-m", subject]);
}

/// One task, committed.
fn committed() -> Disk {
    let disk = one("cuerpo");
    git(&disk.raiz(), &["init", "-q"]);
    git(&disk.raiz(), &["add", "-A"]);
    commit(&disk.raiz(), &format!("{ONE}: arranca"));
    disk
}

/// The state of the task's document, as Git's columns have it.
fn tracking(disk: &Disk) -> String {
    let files = rows(disk, "archivo_seguimiento", true).unwrap();
    let columns = ["git_comprobado", "en_indice", "en_head", "ignorado", "indice", "trabajo"];
    columns.map(|name| column(&files[..1], name).concat().replace('"', "")).join(",")
}

fn reading(disk: &Disk) -> String {
    let reading = rows(disk, "lectura_seguimiento", true).unwrap();
    column(&reading, "git").concat()
}

/// Everything under a folder with its times.
fn snapshot(folder: &Path) -> Vec<(PathBuf, u64, i64, i64, u32)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            found.push((path.clone(), data.ino(), data.mtime_nsec(), data.ctime_nsec(), data.mode()));
            if data.is_dir() {
                pending.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn without_a_repository_it_says_so() {
    let disk = one("");
    assert_eq!(reading(&disk), "\"sin_repositorio\"");
    assert_eq!(tracking(&disk), "false,false,false,false,,");
    assert!(rows(&disk, "commit_seguimiento", true).unwrap().is_empty());
}

#[test]
fn git_is_not_asked_unless_asked_for() {
    let disk = committed();
    let reading = rows(&disk, "lectura_seguimiento", false).unwrap();
    assert_eq!(
        (column(&reading, "git"), column(&reading, "head")),
        (vec!["\"no_solicitado\"".to_owned()], vec!["\"\"".to_owned()])
    );
    assert!(rows(&disk, "commit_seguimiento", false).unwrap().is_empty());
}

#[test]
fn each_state_of_a_file_is_told() {
    let disk = committed();
    let path = format!("tareas/{ONE}/TAREA.md");
    assert_eq!(tracking(&disk), "true,true,true,false, , ");
    disk.write(&path, document("CERRADA", "otro cuerpo"));
    assert_eq!(tracking(&disk), "true,true,true,false, ,M");
    git(&disk.raiz(), &["add", "-A"]);
    assert_eq!(tracking(&disk), "true,true,true,false,M, ");
    git(&disk.raiz(), &["rm", "-q", "--cached", "-f", &path]);
    assert_eq!(tracking(&disk), "true,false,true,false,D, ");
    commit(&disk.raiz(), "sin nombre");
    assert_eq!(tracking(&disk), "true,false,false,false,?,?");
    disk.write(".gitignore", "*.md\n");
    assert_eq!(tracking(&disk), "true,false,false,true, , ");
}

#[test]
fn a_file_that_only_git_knows_is_told() {
    let disk = committed();
    disk.write(&format!("tareas/{ONE}/ñandú nuevo.md"), "x");
    git(&disk.raiz(), &["add", "-A"]);
    fs::remove_file(disk.path(&format!("tareas/{ONE}/ñandú nuevo.md"))).unwrap();
    let files = rows(&disk, "archivo_seguimiento", true).unwrap();
    assert_eq!(column(&files, "tipo"), ["\"regular\"", "\"ausente\""]);
    assert_eq!(column(&files, "existe"), ["true", "false"]);
}

#[test]
fn a_subject_names_a_task_and_may_close_it() {
    let disk = committed();
    for subject in [
        &format!("{ONE}: done"),
        &format!("{ONE}:\u{3000}done "),
        &format!("{ONE}: done!"),
        "20200101-000000: done",
        "٢٠٢٦٠١٠١-000000: x",
        "20260101-000000_x: done",
        "20260101-000000-: done",
        " 20260101-000000: done",
        "nada",
        "a\u{2028}b\u{b}c",
    ] {
        commit(&disk.raiz(), subject);
    }
    let commits = rows(&disk, "commit_seguimiento", true).unwrap();
    let named = column(&commits, "tarea_nombrada");
    let one = format!("\"{ONE}\"");
    let none = "\"\"";
    // The newest first; a subject is one commit whatever signs it holds.
    assert_eq!(
        named,
        [none, none, none, none, none, "\"٢٠٢٦٠١٠١-000000\"", "\"20200101-000000\"", &one, &one, &one, &one]
    );
    assert_eq!(column(&commits, "es_cierre")[6..], ["true", "false", "true", "true", "false"]);
    assert_eq!(column(&commits, "tarea_existe")[5..8], ["false", "false", "true"]);
}

#[test]
fn a_repository_without_commits_has_no_history() {
    let disk = one("");
    git(&disk.raiz(), &["init", "-q"]);
    assert_eq!(reading(&disk), "\"comprobado\"");
    assert_eq!(tracking(&disk), "true,false,false,false,?,?");
    assert!(rows(&disk, "commit_seguimiento", true).unwrap().is_empty());
}

#[test]
fn a_project_below_the_root_of_its_repository_is_found_there() {
    let disk = one("");
    let parent = disk.raiz().parent().unwrap().to_owned();
    git(&parent, &["init", "-q"]);
    git(&parent, &["add", "-A"]);
    commit(&parent, "x");
    assert_eq!(tracking(&disk), "true,true,true,false, , ");
}

#[test]
fn clones_cut_short_and_worktrees_of_bare_repositories_are_read() {
    let disk = committed();
    commit(&disk.raiz(), "dos");
    let parent = disk.raiz().parent().unwrap().to_owned();
    let clone = |folder: &Path, arguments: &[&str]| {
        git(folder, arguments);
        let root = parent.join("otro");
        fs::create_dir_all(root.join("catalogos")).unwrap();
        let proyecto = crate::proyecto::Proyecto::open(&root).unwrap();
        let lectura = proyecto.lectura(crate::proyecto::Opciones::default());
        let vista = Vista::new(&lectura);
        let facts = Tracker::abrir(&vista).unwrap().hechos(true).unwrap().evidencia();
        fs::remove_dir_all(&root).unwrap();
        let count = |relation: &str| facts.as_map().unwrap().get(relation).unwrap().as_list().unwrap().len();
        (count("commit_seguimiento"), count("omision_seguimiento"))
    };
    let url = format!("file://{}", disk.raiz().display());
    assert_eq!(clone(&parent, &["clone", "-q", "--depth", "1", &url, "otro"]), (1, 1));
    git(&parent, &["clone", "-q", "--bare", &url, "desnudo.git"]);
    let worktree = ["worktree", "add", "-q", "../otro", "-b", "rama"];
    assert_eq!(clone(&parent.join("desnudo.git"), &worktree), (2, 0));
}

#[test]
fn nothing_of_the_repository_moves() {
    let disk = committed();
    // The index no longer knows these by heart, so it would be worth refreshing.
    disk.write(&format!("tareas/{ONE}/TAREA.md"), document("ABIERTA", "cuerpo"));
    disk.write(&format!("tareas/{ONE}/nuevo"), "");
    let before = snapshot(&disk.raiz());
    assert_eq!(tracking(&disk), "true,true,true,false, , ");
    assert_eq!(snapshot(&disk.raiz()), before);
    // Nor does it wait for whoever holds the lock.
    disk.write(".git/index.lock", "");
    assert_eq!(tracking(&disk), "true,true,true,false, , ");
}

/// Puts a commit that claims a signature at HEAD.
fn sign(folder: &Path) {
    let object = folder.join("firmado");
    let signed = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor a <a@example.com> 1 +0000\n\
        committer a <a@example.com> 1 +0000\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n \
        -----END PGP SIGNATURE-----\n\nfirmado\n";
    fs::write(&object, signed).unwrap();
    let hash = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["hash-object", "-t", "commit", "-w", "firmado"])
        .output();
    let hash = String::from_utf8(hash.unwrap().stdout).unwrap();
    git(folder, &["hash-object", "-t", "tree", "-w", "/dev/null"]);
    git(folder, &["update-ref", "HEAD", hash.trim()]);
    fs::remove_file(object).unwrap();
}

#[test]
fn nothing_that_a_repository_configures_is_run() {
    let disk = committed();
    disk.write(&format!("tareas/{ONE}/nota.txt"), "uno");
    git(&disk.raiz(), &["add", "-A"]);
    sign(&disk.raiz());
    let script = disk.path("trampa");
    let touched = disk.path("corrio");
    fs::write(&script, format!("#!/bin/sh\ntouch {}\ncat\n", touched.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let trap = script.to_str().unwrap();
    for key in [
        "core.fsmonitor",
        "filter.trampa.clean",
        "filter.trampa.process",
        "filter.a=b.c.clean",
        "core.pager",
        "gpg.program",
        "diff.external",
        "diff.trampa.textconv",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
    ] {
        git(&disk.raiz(), &["config", key, trap]);
    }
    git(&disk.raiz(), &["config", "log.showSignature", "true"]);
    for hook in ["post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-commit"] {
        disk.write(&format!(".git/hooks/{hook}"), fs::read(&script).unwrap());
        let path = disk.path(&format!(".git/hooks/{hook}"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Of the same size as what the index knows, so that Git has to look into them.
    disk.write(".gitattributes", "*.md filter=trampa diff=trampa\n*.txt filter=a=b.c\n");
    disk.write(&format!("tareas/{ONE}/TAREA.md"), document("ABIERTA", "cuerpa"));
    disk.write(&format!("tareas/{ONE}/nota.txt"), "dos");
    assert_eq!(tracking(&disk), "true,true,false,false,A,M");
    assert!(!touched.exists());
}

#[test]
fn a_repository_that_cannot_be_read_is_no_tracker_without_history() {
    for (path, text) in [(".git/HEAD", "no es una referencia"), (".git/index", "basura")] {
        let disk = committed();
        disk.write(path, text);
        let outcome = rows(&disk, "archivo_seguimiento", true);
        // Without a valid HEAD it is, to Git, no repository at all.
        match path {
            ".git/HEAD" => assert_eq!(reading(&disk), "\"sin_repositorio\""),
            _ => assert!(matches!(outcome, Err(TareasError::Git { .. })), "{outcome:?}"),
        }
    }
    let elsewhere = committed();
    git(&elsewhere.raiz(), &["config", "core.worktree", "/usr"]);
    assert!(matches!(rows(&elsewhere, "archivo_seguimiento", true), Err(TareasError::Git { .. })));
}

#[test]
fn a_commit_in_the_middle_is_seen() {
    let disk = committed();
    let lectura = disk.lectura();
    let vista = Vista::new(&lectura);
    let tracker = Tracker::abrir(&vista).unwrap();
    assert!(tracker.hechos(true).is_ok());
    assert_eq!(vista.huella(), vista.huella_actual());
    commit(&disk.raiz(), "otro");
    assert_ne!(vista.huella(), vista.huella_actual());
}

#[test]
fn a_cancelled_question_is_not_waited_for() {
    let disk = committed();
    let lectura = disk.lectura();
    let vista = Vista::new(&lectura);
    let tracker = Tracker::abrir(&vista).unwrap();
    lectura.cancellation().cancel();
    assert!(matches!(tracker.hechos(true), Err(TareasError::Cancelado)));
}

#[test]
fn a_question_that_hangs_is_given_up_when_nobody_wants_it() {
    let disk = committed();
    // Git waits for somebody to write to the pipe, and nobody will.
    disk.pipe("tubo");
    let pipe = disk.path("tubo").to_str().unwrap().to_owned();
    let question = ["config", "--file", &pipe, "--list"].map(str::to_owned);
    let cancellation = Cancellation::new();
    cancellation.cancel();
    assert!(matches!(run(&disk.raiz(), &question, &cancellation), Err(GitFault::Cancelled)));
}
