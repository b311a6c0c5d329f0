//! `oracle-mcp`: options, the order of start-up, exit code. Must not know a method's name.

use lexopt::Arg::{Long, Short, Value};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Servidor MCP de sólo lectura sobre un proyecto Oracle, por stdin y stdout.

Uso: oracle-mcp [--proyecto DIR] | --help | --version

  --proyecto DIR       raíz del proyecto, fija mientras viva el proceso; si falta, vale
                       $ORACLE_PROYECTO, y si tampoco está, la carpeta actual
  --confiar-escalares  autoriza a ejecutar escalares.py del proyecto (esta versión no lo ejecuta todavía)
  --help               muestra esta ayuda
  --version            muestra la versión
";

/// Exit code of a server that could not start, or that could not go on reading.
const FAILURE: u8 = 2;

/// What the command line asks for.
enum Request {
    Serve(Option<PathBuf>),
    Show(String),
}

fn main() -> ExitCode {
    match start() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // When stderr is closed too, nobody is left to tell.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(FAILURE)
        }
    }
}

fn start() -> Result<u8, Box<dyn Error>> {
    match read_options(lexopt::Parser::from_env())? {
        Request::Serve(option) => Ok(server::run(server::open(&root(option))?)?),
        Request::Show(text) => {
            io::stdout().write_all(text.as_bytes())?;
            Ok(0)
        }
    }
}

fn read_options(mut options: lexopt::Parser) -> Result<Request, Box<dyn Error>> {
    let mut root: Option<PathBuf> = None;
    while let Some(option) = options.next()? {
        match option {
            Long("proyecto") if root.is_none() => {
                root = Some(options.value().map_err(|_| "a --proyecto le falta la carpeta")?.into());
            }
            Long("proyecto") => return Err("--proyecto se repite".into()),
            Long("confiar-escalares") => {
                return Err("--confiar-escalares: esta versión todavía no ejecuta escalares.py".into());
            }
            Long("help") => return Ok(Request::Show(HELP.to_owned())),
            Long("version") => return Ok(Request::Show(format!("oracle-mcp {}\n", server::VERSION))),
            Long(name) => return Err(format!("opción desconocida: --{name}").into()),
            Short(name) => return Err(format!("opción desconocida: -{name}").into()),
            Value(value) => return Err(format!("argumento inesperado: {}", value.display()).into()),
        }
    }
    Ok(Request::Serve(root))
}

/// The root of the project: the option, else the environment, else the current folder.
fn root(option: Option<PathBuf>) -> PathBuf {
    let variable = || std::env::var_os("ORACLE_PROYECTO").map(PathBuf::from);
    option.or_else(variable).unwrap_or_else(|| PathBuf::from("."))
}
