//! Mutants of a measure: the same measure with one claim changed, each under a stable name.
//!
//! Owns which mutants there are and in what order. Judges none of them: what a mutant did to a verdict is
//! observed elsewhere. The names are the language's; the two sets of mutators have two authors, and the
//! second never saw the first's.

mod form;
mod predicate;
mod structure;
mod umbral;

use crate::valor::Valor;
use form::Form;

/// One mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutante {
    /// Stable name: the mutator, or category, path and change of a structural mutant.
    pub nombre: String,
    /// The mutated canonical form.
    pub datos: Valor,
}

/// A change of the whole measure; `None` where it does not apply.
type Mutator = fn(Form) -> Option<Valor>;

/// Every mutator, in the order their mutants are generated: first the language's author, then the second.
const MUTATORS: [(&str, Mutator); 30] = [
    ("aflojar_umbral", umbral::aflojar_umbral),
    ("invertir_comparador", umbral::invertir_comparador),
    ("quitar_filtro", predicate::quitar_filtro),
    ("quitar_requiere", umbral::quitar_requiere),
    ("negar_filtro", predicate::negar_filtro),
    ("quitar_antijunta", predicate::quitar_antijunta),
    ("aflojar_cota_superior", umbral::aflojar_cota_superior),
    ("aflojar_cota_inferior", umbral::aflojar_cota_inferior),
    ("incluir_limite_superior", umbral::incluir_limite_superior),
    ("incluir_limite_inferior", umbral::incluir_limite_inferior),
    ("igualdad_como_cota_superior", umbral::igualdad_como_cota_superior),
    ("igualdad_como_cota_inferior", umbral::igualdad_como_cota_inferior),
    ("quitar_requisitos_de_evidencia", umbral::quitar_requisitos_de_evidencia),
    ("vaciar_tuberia_si_cero_aprueba", umbral::vaciar_tuberia_si_cero_aprueba),
    ("convertir_conteo_en_existencia", umbral::convertir_conteo_en_existencia),
    ("maximo_por_minimo", umbral::maximo_por_minimo),
    ("minimo_por_maximo", umbral::minimo_por_maximo),
    ("suma_de_indicadores_por_maximo", umbral::suma_de_indicadores_por_maximo),
    ("promedio_por_minimo", umbral::promedio_por_minimo),
    ("promedio_por_maximo", umbral::promedio_por_maximo),
    ("conservar_una_rama_de_disyuncion", predicate::conservar_una_rama_de_disyuncion),
    ("hacer_estricta_comparacion_interna", predicate::hacer_estricta_comparacion_interna),
    ("alejar_limite_de_defecto", predicate::alejar_limite_de_defecto),
    ("quitar_un_termino_de_conjuncion", predicate::quitar_un_termino_de_conjuncion),
    ("incluir_frontera_interna", predicate::incluir_frontera_interna),
    ("acercar_limite_de_requisito", predicate::acercar_limite_de_requisito),
    ("eliminar_filtro_de_requisito", predicate::eliminar_filtro_de_requisito),
    ("quitar_clave_de_agrupamiento", predicate::quitar_clave_de_agrupamiento),
    ("eliminar_agrupamiento_de_requisito", predicate::eliminar_agrupamiento_de_requisito),
    ("quitar_factor_no_observado_del_producto", umbral::quitar_factor_no_observado_del_producto),
];

/// The mutants of a measure in canonical form, in a fixed order: the mutators' in the order of their
/// authors, then the structural ones by category and path.
///
/// `datos` must be the canonical form of a measure that loads.
pub fn mutantes(datos: &Valor) -> Vec<Mutante> {
    let form = Form::new(datos);
    let mut found: Vec<Mutante> = MUTATORS
        .iter()
        .filter_map(|(nombre, mutate)| Some(Mutante { nombre: (*nombre).to_owned(), datos: mutate(form)? }))
        .collect();
    found.extend(structure::mutantes(form));
    found
}
