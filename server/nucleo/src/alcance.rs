//! What of its relations a measure does not read, worked out from what the relations declare.
//!
//! Owns the reading of a canonical form for the fields it touches. Says nothing about what a sensor did not
//! see, and does not compare itself with the scope that the author wrote.

use crate::medida::Medida;
use crate::relacion::Relacion;
use crate::valor::{Text, Valor};
use std::collections::{BTreeMap, BTreeSet};

/// One sentence for each relation that the measure reads, in the order of its aliases: the declared fields it
/// does not read, the undeclared ones it does, or that nobody declared the relation. Empty when the project
/// declares no relation at all, which says nothing about what the measure reads.
pub fn alcance_derivado(medida: &Medida, relaciones: &[Relacion]) -> Vec<String> {
    if relaciones.is_empty() {
        return Vec::new();
    }
    let mut leido = Leido::default();
    leido.medida(&medida.datos());
    let declared: BTreeMap<&str, &Relacion> = relaciones.iter().map(|r| (&**r.nombre(), r)).collect();
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for relacion in leido.aliases.values().filter(|relacion| seen.insert(*relacion)) {
        let fields = leido.campos.get(relacion).cloned().unwrap_or_default();
        match declared.get(&**relacion) {
            Some(declared) => describe(relacion, declared, &fields, &mut lines),
            None => {
                lines.push(format!("de «{relacion}» no se sabe qué deja afuera: nadie declaró sus campos"))
            }
        }
    }
    lines
}

fn describe(relacion: &str, declared: &Relacion, leidos: &BTreeSet<Text>, lines: &mut Vec<String>) {
    let names: Vec<&Text> = declared.todos_los_campos().into_iter().map(|campo| &campo.nombre).collect();
    let undeclared: Vec<&str> = leidos.iter().filter(|c| !names.contains(c)).map(|c| &**c).collect();
    let unread: Vec<&str> = names.iter().filter(|c| !leidos.contains(**c)).map(|c| &***c).collect();
    if !undeclared.is_empty() {
        lines.push(format!(
            "de «{relacion}» lee campos que la relación no declara: {}",
            undeclared.join(", ")
        ));
    }
    if !unread.is_empty() {
        lines.push(format!("de «{relacion}» no lee: {}", unread.join(", ")));
    } else if undeclared.is_empty() {
        lines.push(format!("de «{relacion}» lee todos los campos que la relación declara"));
    }
}

/// What a canonical form reads.
#[derive(Default)]
struct Leido {
    /// Relation by alias of the pipeline.
    aliases: BTreeMap<Text, Text>,
    /// Fields by relation.
    campos: BTreeMap<Text, BTreeSet<Text>>,
}

impl Leido {
    /// Takes in `["medida", id, pipeline, summary, threshold, ...]`. An alias of `requiere` lives only inside
    /// its own condition.
    fn medida(&mut self, datos: &Valor) {
        let parts = datos.as_list().unwrap_or_default();
        let pipeline = parts.get(2).and_then(Valor::as_list).unwrap_or_default();
        for step in pipeline {
            match step.head() {
                Some("sin") => self.fuente(step.as_list().and_then(|step| step.get(1))),
                _ => self.fuente(Some(step)),
            }
        }
        let aliases = self.aliases.clone();
        for part in parts {
            match part.head() {
                Some("requiere") => self.requiere(part),
                _ => self.expresion(part, &aliases),
            }
        }
    }

    fn fuente(&mut self, fuente: Option<&Valor>) {
        match fuente.and_then(Valor::as_list) {
            Some([head, Valor::Text(relacion), Valor::Text(alias)]) if head.as_str() == Some("de") => {
                self.aliases.insert(alias.clone(), relacion.clone());
            }
            Some([head, left, right]) if head.as_str() == Some("unir") => {
                self.fuente(Some(left));
                self.fuente(Some(right));
            }
            _ => {}
        }
    }

    fn requiere(&mut self, requiere: &Valor) {
        for entrada in requiere.as_list().unwrap_or_default() {
            if let Some([_, Valor::Text(relacion), Valor::Text(alias), condicion]) = entrada.as_list() {
                let own = BTreeMap::from([(alias.clone(), relacion.clone())]);
                self.expresion(condicion, &own);
            }
        }
    }

    fn expresion(&mut self, nodo: &Valor, aliases: &BTreeMap<Text, Text>) {
        let Some(items) = nodo.as_list() else { return };
        if let [head, Valor::Text(alias), Valor::Text(campo)] = items
            && head.as_str() == Some("campo")
            && let Some(relacion) = aliases.get(alias)
        {
            self.campos.entry(relacion.clone()).or_default().insert(campo.clone());
        }
        for item in items {
            self.expresion(item, aliases);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proyecto::disk::Disk;
    use crate::valor::parse;

    const ITEM: &str = r#"["relacion","item",["campos",["campo","n","entero","sin_unidad"],
        ["campo","tipo","texto","sin_unidad"]],["variantes","tipo",["variante","x",["campo","largo","entero","cm"]]],
        ["alcance","no ve más"]]"#;
    const PIEZA: &str =
        r#"["relacion","pieza",["campos",["campo","n","entero","sin_unidad"]],["alcance","no ve más"]]"#;

    /// The lines for a measure with this pipeline and these requirements.
    fn lines(pipeline: &str, requiere: &str, relaciones: &[&str]) -> Vec<String> {
        let datos = format!(
            r#"["medida","a.b",{pipeline},["resumen","contar",1],["umbral","<=",0,"","contrato"],{requiere}
            ["alcance","x"]]"#
        );
        let lectura = Disk::new().lectura();
        let medida = Medida::from_datos(&parse(&datos).unwrap(), &lectura.contexto()).unwrap();
        let declared: Vec<Relacion> =
            relaciones.iter().map(|text| Relacion::from_datos(&parse(text).unwrap()).unwrap()).collect();
        alcance_derivado(&medida, &declared)
    }

    const ALL: &str = r#"["desde",["de","item","a"],["donde",["y",["<",["campo","a","n"],["campo","a","largo"]],
        ["==",["campo","a","tipo"],"x"]]]]"#;

    #[test]
    fn without_declarations_nothing_is_derived() {
        assert!(lines(ALL, "", &[]).is_empty());
        assert_eq!(
            lines(ALL, "", &[PIEZA]),
            ["de «item» no se sabe qué deja afuera: nadie declaró sus campos"]
        );
    }

    #[test]
    fn what_is_read_is_held_against_what_is_declared() {
        assert_eq!(lines(ALL, "", &[ITEM]), ["de «item» lee todos los campos que la relación declara"]);
        assert_eq!(
            lines(r#"["desde",["de","item","a"]]"#, "", &[ITEM]),
            ["de «item» no lee: n, tipo, largo"]
        );
        let undeclared =
            r#"["desde",["de","item","a"],["donde",["==",["campo","a","z"],["campo","a","n"]]]]"#;
        assert_eq!(
            lines(undeclared, "", &[ITEM]),
            ["de «item» lee campos que la relación no declara: z", "de «item» no lee: tipo, largo"]
        );
    }

    #[test]
    fn each_relation_has_its_lines_once_in_the_order_of_aliases() {
        let pipeline = r#"["desde",["unir",["de","pieza","z"],["de","item","m"]],
            ["sin",["de","pieza","b"],["==",["campo","b","n"],["campo","m","n"]]]]"#;
        assert_eq!(
            lines(pipeline, "", &[ITEM, PIEZA]),
            ["de «pieza» lee todos los campos que la relación declara", "de «item» no lee: tipo, largo"]
        );
    }

    #[test]
    fn a_requirement_reads_its_own_relation_under_its_own_alias() {
        let pipeline = r#"["desde",["de","item","a"]]"#;
        let requiere = r#"["requiere",["filas","pieza","a",["<",["campo","a","n"],0]]],"#;
        assert_eq!(lines(pipeline, requiere, &[ITEM, PIEZA]), ["de «item» no lee: n, tipo, largo"]);
        let same = r#"["requiere",["filas","item","q",["<",["campo","q","n"],0]]],"#;
        assert_eq!(lines(pipeline, same, &[ITEM]), ["de «item» no lee: tipo, largo"]);
    }
}
