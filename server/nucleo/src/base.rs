//! The base set that ships inside the program: the base catalogue, the relations it reads, and the profiles.
//!
//! Owns their texts and their identity. They load like any other source; nothing here is privileged, except
//! that a project needs no installation to be judged by them.

use crate::proyecto::Fuente;

/// The measure that says which measures nothing exercises; `fijacion` is what it answers.
pub const EJERCITADA: &str = "meta.toda_medida_esta_ejercitada";
/// The measure that says which fingerprints of a differential are stale.
pub const FRESCURA: &str = "meta.ninguna_evidencia_se_juzga_con_referente_vencido";

/// Path under `base/` and text of a source.
type Embebida = (&'static str, &'static str);

/// One source, by the parts of its path under `base/`.
macro_rules! embebida {
    ($($parte:literal)*) => {
        (concat!($($parte),*), include_str!(concat!("../base/", $($parte),*)))
    };
}

/// The measures under one `catalogos/`, by domain: a measure is written without its domain, which its file and
/// its folder repeat.
macro_rules! catalogo {
    ($carpeta:literal, $($dominio:literal: [$($nombre:literal)*])*) => {
        &[$($(embebida!($carpeta "/" $dominio "/" $dominio "." $nombre ".oracle"),)*)*]
    };
}

/// The declarations under `relaciones/`, by name.
macro_rules! relaciones {
    ($($nombre:literal)*) => {
        &[$(embebida!("relaciones/" $nombre ".relacion"),)*]
    };
}

/// The base catalogue, ordered by path.
const CATALOGO: &[Embebida] = catalogo! {
    "catalogos",
    "meta": [
        "agrupar_no_agranda_la_relacion"
        "agrupar_sin_claves_es_el_resumen_global"
        "donde_compone"
        "donde_nunca_agrega_filas"
        "el_caso_reclama_una_medida_que_existe"
        "el_caso_se_pone_como_debe"
        "el_diagnostico_no_publica_el_dominio"
        "el_hueco_declarado_explica_por_que"
        "el_nivel_no_se_confunde_con_el_dominio"
        "la_medida_no_se_fija_solo_con_evidencia_fabricada"
        "los_logicos_evaluan_todos_sus_operandos"
        "ningun_campo_sin_unidad_declarada"
        "ningun_flotante_comparado_por_igualdad_en_un_filtro"
        "ningun_umbral_de_igualdad"
        "ningun_umbral_flotante_de_igualdad"
        "ninguna_cota_mas_alta_que_su_deuda"
        "ninguna_evidencia_declara_un_referente_sin_huella"
        "ninguna_evidencia_se_juzga_con_referente_vencido"
        "ninguna_exclusion_de_mutador_se_aplica_globalmente"
        "ninguna_medida_declara_un_ambito_mas_amplio_que_sus_dependencias"
        "ninguna_medida_sin_alcance"
        "ninguna_sombra_envejece_sin_revisarse"
        "ninguna_sombra_sobre_una_medida_que_no_existe"
        "ninguna_sombra_supera_su_cota"
        "ninguna_sombra_ya_en_verde"
        "se_escribe_en_superficie"
        "sin_nunca_agrega_filas"
        "sintaxis_casos_cubre_casos"
        "sintaxis_casos_ida_y_vuelta"
        "sintaxis_cubre_algebra"
        "sintaxis_ida_y_vuelta"
        "toda_cantidad_comparada_tiene_unidad_derivable"
        "toda_medida_de_ausencia_declara_requiere"
        "toda_medida_declara_su_ambito"
        "toda_medida_esta_ejercitada"
        "toda_medida_esta_fijada"
        "toda_medida_filtra_o_agrupa"
        "toda_medida_lee_campos_que_existen"
        "toda_opcion_del_vocabulario_declara_su_sentido"
        "toda_relacion_del_lenguaje_esta_en_la_referencia"
        "toda_sombra_declara_desde_y_porque"
        "toda_sombra_declara_una_fecha_real"
        "todo_caso_observado_declara_de_donde_salio"
        "todo_tanteo_explica_por_que"
        "todo_umbral_declara_de_donde_sale"
        "todo_verbo_del_cli_esta_en_la_ayuda"
        "todo_vocabulario_cerrado_esta_en_el_manual"
        "una_macro_equivale_a_su_expansion"
        "unir_conmuta"
        "unir_materializa_el_producto"
    ]
    "proceso": [
        "afirmacion_declara_alcance"
        "codigo_con_mutante_que_lo_mata"
        "ronda_mutacion_concluyente"
        "sintaxis_valida_tras_edicion_masiva"
        "test_con_mutante_que_lo_mata"
        "verificacion_vigente"
        "verificador_sin_falsos_rojos"
    ]
    "simulacion": [
        "corrida_reproducible"
        "la_traza_no_tiene_huecos"
        "no_se_agoto_el_presupuesto"
    ]
};

/// The relations that come with the base catalogue, ordered by path.
const RELACIONES: &[Embebida] = relaciones! {
    "afirmacion"
    "alcanzable"
    "archivo"
    "archivo_de_autoria"
    "cambio"
    "corrida"
    "corrida_mutacion"
    "evento"
    "hallazgo"
    "importa"
    "modulo"
    "mutante"
    "pieza"
};

/// The catalogue of the profile `python`, ordered by path.
const PYTHON: &[Embebida] = catalogo! {
    "perfiles/python/catalogos",
    "proceso": [
        "arnes_con_bytecode_frio"
        "modulo_alcanzable"
        "modulo_con_consumidor"
    ]
};

/// The sources of the base catalogue, in order.
pub(crate) fn catalogo() -> impl Iterator<Item = Fuente> {
    CATALOGO.iter().map(fuente)
}

/// The declarations of relations that come with the base catalogue, in order.
pub(crate) fn relaciones() -> impl Iterator<Item = Fuente> {
    RELACIONES.iter().map(fuente)
}

/// The catalogue of a profile, in order; `None` when there is no profile of that name.
pub(crate) fn perfil(nombre: &str) -> Option<impl Iterator<Item = Fuente>> {
    (nombre == "python").then(|| PYTHON.iter().map(fuente))
}

fn fuente((ruta, texto): &Embebida) -> Fuente {
    Fuente::embebida(format!("embebido:{ruta}"), texto)
}
