//! `oracle_desafiar`: whether a measure says what its cases expect, and whether they would notice its mutants.

use super::Call;
use crate::arguments::{self, Challenge, MeasureSource};
use crate::fault::Fault;
use crate::stability::stable;
use crate::wire;
use nucleo::caso::Espera;
use nucleo::catalogo::{Catalogo, medida_de_texto};
use nucleo::desafio::{Casos, Desafio, desafiar};
use nucleo::diferencial;
use nucleo::fallo::Fallo;
use nucleo::huella::{Conjunto, entrada_sha256_de_desafio};
use nucleo::medida::Medida;
use nucleo::proyecto::Lectura;
use nucleo::valor::{Map, Text, Valor};

/// The cases of a call.
type Ephemeral = Vec<(Text, Espera, Valor)>;

/// Challenges a measure of the effective catalogue or one that is only text.
///
/// # Errors
/// Any domain fault that loading, reading the measure or gathering cases has. What comes of evaluating a case
/// is part of the answer.
pub fn run(call: &Call, arguments: Map) -> Result<Valor, Fault> {
    let Challenge { measure, project_evidence, cases } = arguments::challenge(arguments)?;
    let (subject, outcome) = match measure {
        MeasureSource::Id(id) => ("$.medida.id", by_id(call, &id, project_evidence, cases)),
        MeasureSource::Text(text) => ("$.medida.texto", by_text(call, &text, project_evidence, cases)),
    };
    outcome.map_err(|fallo| Fault::of(&fallo, call.proyecto.raiz(), subject))
}

fn by_id(call: &Call, id: &str, evidencia: bool, cases: Ephemeral) -> Result<Valor, Fallo> {
    let lectura = call.lectura();
    lectura.escalares()?;
    let catalogo = lectura.catalogo(&lectura.macros()?)?;
    stable(&lectura, Conjunto::Desafio { catalogo: true, evidencia }, Some(&catalogo), |_| {
        let medida = &catalogo.efectiva(id)?.medida;
        challenge(&lectura, medida, gather(&lectura, medida, evidencia, Some(&catalogo), cases)?)
    })
}

/// A text needs the catalogue only where differentials are held against it.
fn by_text(call: &Call, text: &str, evidencia: bool, cases: Ephemeral) -> Result<Valor, Fallo> {
    let lectura = call.lectura();
    lectura.escalares()?;
    let macros = lectura.macros()?;
    let medida = medida_de_texto(text, &macros, &lectura.contexto());
    let needed = medida.is_ok() && evidencia && diferencial::hay(&lectura)?;
    let catalogo = if needed { Some(lectura.catalogo(&macros)?) } else { None };
    let read = Conjunto::Desafio { catalogo: needed, evidencia };
    stable(&lectura, read, catalogo.as_ref(), |_| {
        let medida = &medida?;
        challenge(&lectura, medida, gather(&lectura, medida, evidencia, catalogo.as_ref(), cases)?)
    })
}

/// The cases of the project, if they take part, and those of the call.
fn gather(
    lectura: &Lectura,
    medida: &Medida,
    evidencia: bool,
    catalogo: Option<&Catalogo>,
    cases: Ephemeral,
) -> Result<Casos, Fallo> {
    let own = if evidencia { Casos::del_proyecto(lectura, medida.id(), catalogo)? } else { Casos::new() };
    own.y_efimeros(cases)
}

fn challenge(lectura: &Lectura, medida: &Medida, casos: Casos) -> Result<Valor, Fallo> {
    let entrada = entrada_sha256_de_desafio(medida, &casos);
    let desafio = desafiar(medida, casos, &lectura.contexto())?;
    let mut members = wire::head("oracle.mcp/desafio/v1", lectura.proyecto().raiz());
    members.push(("entrada_sha256", Valor::from(entrada)));
    members.extend(wire::challenge(&desafio));
    members.push(("advertencias", Valor::list(warnings(&desafio))));
    Ok(Valor::map(members))
}

/// What a reader might take for granted and should not.
fn warnings(desafio: &Desafio) -> Vec<Valor> {
    let unsaid = desafio.discordancias.iter().filter(|it| it.esperado == Espera::SinEvidencia).map(|it| {
        format!(
            "El caso «{}» esperaba sin_evidencia: en discordancias figura como rojo, la única otra polaridad del \
             esquema.",
            it.caso
        )
    });
    let ephemeral = (desafio.casos.del_proyecto() == 0).then(|| {
        "Ningún caso salió del proyecto: una evidencia escrita para la medida puede repetir su mismo error.".to_owned()
    });
    let mutated =
        desafio.mutacion.is_some().then(|| "La mutación no demuestra corrección semántica.".to_owned());
    unsaid.chain(ephemeral).chain(mutated).map(Valor::from).collect()
}
