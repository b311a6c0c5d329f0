//! Values of the core → their JSON objects, in the order in which the contract lists the fields.
//!
//! Projects and decides nothing.

pub mod tracker;

use crate::message::{cut, quote};
use nucleo::caso::Espera;
use nucleo::catalogo::Entrada;
use nucleo::desafio::{Desafio, Destino, Discordancia, Mutacion};
use nucleo::fallo::Fallo;
use nucleo::fijacion::Fijacion;
use nucleo::juicio::{Dictamen, Informe, Juzgada, Sombra};
use nucleo::medida::{Medida, Requiere, Umbral, Veredicto};
use nucleo::sintaxis::imprimir_expr;
use nucleo::valor::{Text, Valor};

/// Members of an object, in order.
pub type Members = Vec<(&'static str, Valor)>;

/// Most witnesses that an answer shows.
const WITNESSES: usize = 5;

/// Longest reason of a measure that could not judge, in characters.
const REASON_CHARS: usize = 2000;

/// What every successful answer opens with: its schema, who says it, and over which project.
pub fn head(schema: &str, raiz: &str) -> Members {
    vec![
        ("esquema", Valor::from(schema)),
        ("oracle_version", Valor::from(crate::VERSION)),
        ("proyecto", Valor::from(raiz)),
    ]
}

/// One measure of the catalogue: `id`, `origen`, `fijacion`.
pub fn index_row(entrada: &Entrada, fijacion: Fijacion) -> Members {
    vec![
        ("id", text(entrada.medida.id())),
        ("origen", Valor::from(entrada.origen.to_string())),
        ("fijacion", Valor::from(fijacion.as_str())),
    ]
}

/// What the detail of a measure adds to its row.
pub fn detail(entrada: &Entrada) -> [(&'static str, Valor); 7] {
    let medida = &entrada.medida;
    [
        ("relaciones", Valor::list(medida.relaciones().iter().map(text))),
        ("ambito", Valor::from(medida.ambito().as_str())),
        ("requiere", Valor::list(medida.requiere().iter().map(requirement))),
        ("umbral", threshold(medida.umbral())),
        ("alcance", text(medida.alcance())),
        ("fuente", Valor::from(entrada.fuente.presentada())),
        ("fuente_sha256", Valor::from(entrada.fuente.sha256())),
    ]
}

/// What a verdict of `oracle_evaluar` says, from `medida` to `alcance`.
///
/// # Errors
/// [`Fallo::EvaluacionFallo`] when the value is no number, which the published schema cannot carry.
pub fn verdict(medida: &Medida, veredicto: &Veredicto, sombra: Option<Sombra<'_>>) -> Result<Members, Fallo> {
    if !matches!(veredicto.valor, Valor::Int(_) | Valor::Float(_)) {
        return Err(Fallo::EvaluacionFallo {
            tipo: "ValorNoNumerico".to_owned(),
            mensaje: format!(
                "el resumen de «{}» dio {} y el valor de un veredicto es un número",
                veredicto.medida,
                quote(&veredicto.valor.to_compact())
            ),
        });
    }
    let mut members = vec![("medida", text(&veredicto.medida))];
    members.extend(measured(medida, veredicto, sombra));
    Ok(members)
}

/// What a verdict says of its evidence, from `estado` to `alcance`.
fn measured(medida: &Medida, veredicto: &Veredicto, sombra: Option<Sombra<'_>>) -> Members {
    let shown = veredicto.testigos.first(WITNESSES);
    let left_out = veredicto.testigos.len() - shown.len();
    vec![
        ("estado", Valor::from(veredicto.estado.as_str())),
        ("valor", veredicto.valor.clone()),
        ("umbral", threshold(medida.umbral())),
        ("sombra", sombra.map_or(Valor::Null, shadow)),
        ("testigos", Valor::List(shown)),
        ("testigos_omitidos", Valor::from(left_out)),
        ("alcance", text(medida.alcance())),
    ]
}

/// What a judgement came to, from `medidas` to `no_juzgaron`.
pub fn report(informe: Informe<'_>) -> Members {
    let (mut medidas, mut no_aplicadas, mut no_juzgaron) = (Vec::new(), Vec::new(), Vec::new());
    for Juzgada { medida, dictamen } in informe.juzgadas {
        let mut members = vec![("id", text(medida.id()))];
        let list = match dictamen {
            Dictamen::Veredicto(veredicto, sombra) => {
                members.extend(measured(medida, &veredicto, sombra));
                &mut medidas
            }
            Dictamen::NoAplicada(faltan) => {
                members.push(("faltan", Valor::list(faltan.iter().map(text))));
                &mut no_aplicadas
            }
            Dictamen::NoJuzgo(motivo) => {
                members.push(("motivo", Valor::from(cut(&motivo, REASON_CHARS))));
                &mut no_juzgaron
            }
        };
        list.push(Valor::map(members));
    }
    vec![
        ("medidas", Valor::List(medidas)),
        ("no_aplicadas", Valor::List(no_aplicadas)),
        ("no_juzgaron", Valor::List(no_juzgaron)),
    ]
}

/// What a challenge came to, from `medida` to `mutacion`.
pub fn challenge(desafio: &Desafio) -> Members {
    let cuenta = desafio.casos;
    let casos = [
        ("total", cuenta.total),
        ("del_proyecto", cuenta.del_proyecto()),
        ("efimeros", cuenta.efimeros),
        ("esperan_verde", cuenta.esperan_verde),
        ("esperan_rojo", cuenta.esperan_rojo()),
    ];
    vec![
        ("medida", text(&desafio.medida)),
        ("conclusion", Valor::from(desafio.conclusion().as_str())),
        ("casos", Valor::map(casos.map(|(name, count)| (name, Valor::from(count))))),
        ("discordancias", Valor::list(desafio.discordancias.iter().map(mismatch))),
        ("mutacion", mutation(desafio)),
    ]
}

/// `esperado` has two values in the published schema: whatever is not green is told as red.
fn mismatch(discordancia: &Discordancia) -> Valor {
    let esperado = match discordancia.esperado {
        Espera::Verde => Espera::Verde,
        Espera::Rojo | Espera::SinEvidencia => Espera::Rojo,
    };
    Valor::map([
        ("caso", text(&discordancia.caso)),
        ("esperado", Valor::from(esperado.as_str())),
        ("obtenido", Valor::from(discordancia.obtenido.as_str())),
    ])
}

/// Where no mutant was generated every count is zero.
fn mutation(desafio: &Desafio) -> Valor {
    let mutacion = desafio.mutacion.as_ref();
    let count = |destino| Valor::from(mutacion.map_or(0, |mutacion| mutacion.cuantos(destino)));
    let undetected = mutacion.into_iter().flat_map(Mutacion::no_detectados).map(|(nombre, destino)| {
        Valor::map([
            ("id", Valor::from(desafio.id_de_mutante(nombre))),
            ("cambio", Valor::from(nombre)),
            ("estado", Valor::from(destino.as_str())),
        ])
    });
    Valor::map([
        ("generados", Valor::from(mutacion.map_or(0, Mutacion::generados))),
        ("detectados_por_conducta", count(Destino::Detectado)),
        ("rechazados_por_el_algebra", count(Destino::Rechazado)),
        ("no_detectados", Valor::list(undetected)),
    ])
}

fn threshold(umbral: &Umbral) -> Valor {
    Valor::map([
        ("operador", Valor::from(umbral.operador.as_str())),
        ("valor", umbral.valor.clone()),
        ("segun", text(&umbral.segun)),
        ("porque", text(&umbral.porque)),
    ])
}

fn shadow(sombra: Sombra<'_>) -> Valor {
    let declared = sombra.declarada;
    Valor::map([
        ("desde", text(&declared.desde)),
        ("porque", text(&declared.porque)),
        ("cota", declared.cota.clone().map_or(Valor::Null, Valor::Int)),
        ("perdona", Valor::from(sombra.perdona)),
    ])
}

/// A requirement as the surface writes it.
fn requirement(requiere: &Requiere) -> Valor {
    match requiere {
        Requiere::Relacion(relacion) => text(relacion),
        Requiere::Filas { relacion, alias, condicion } => {
            Valor::from(format!("{relacion} {alias} donde {}", imprimir_expr(condicion)))
        }
    }
}

fn text(text: &Text) -> Valor {
    Valor::Text(text.clone())
}
