//! What makes a canonical form a declaration of a relation.

use super::{Campo, Relacion, RelacionError, Tipo, Variante, Variantes};
use crate::algebra::is_blank;
use crate::sintaxis::fragment::is_space;
use crate::sintaxis::tree::{exactly, is_lower_name, items_of};
use crate::valor::{Text, Valor};

type Checked<T> = Result<T, RelacionError>;

pub(super) fn relation(datos: &Valor) -> Checked<Relacion> {
    let shape = || {
        RelacionError::new(
            "una relación es [\"relacion\", nombre, [\"campos\", …], ([\"variantes\", …],) [\"alcance\", …]]",
        )
    };
    let (name, common, variants, scope) = match items_of(datos, "relacion").ok_or_else(shape)? {
        [name, common, scope] => (name, common, None, scope),
        [name, common, variants, scope] => (name, common, Some(variants), scope),
        _ => return Err(shape()),
    };
    let Valor::Text(nombre) = name else {
        return Err(RelacionError::new("el nombre de una relación es un texto"));
    };
    if !is_lower_name(nombre) {
        return Err(RelacionError::new(format!(
            "«{nombre}» no es un nombre de relación: lleva minúsculas ASCII, dígitos y «_»"
        )));
    }
    let wrong = |reason: String| RelacionError::new(format!("{nombre}: {reason}"));
    let items = items_of(common, "campos").ok_or_else(|| wrong("faltan los campos".to_owned()))?;
    let campos = fields(items, &[]).map_err(&wrong)?;
    if campos.is_empty() {
        return Err(wrong("la relación declara al menos un campo".to_owned()));
    }
    let variantes = variants.map(|tree| variants_of(tree, &campos)).transpose().map_err(&wrong)?;
    let alcance = match exactly(scope, "alcance") {
        Some([Valor::Text(text)]) if !is_blank(text) => Text::from(text.trim_matches(is_space)),
        _ => return Err(wrong("falta «alcance»: hay que declarar qué no observa el sensor".to_owned())),
    };
    Ok(Relacion { nombre: nombre.clone(), campos, variantes, alcance })
}

/// The fields that `items` declare; none may repeat another nor one of `taken`.
fn fields(items: &[Valor], taken: &[Campo]) -> Result<Vec<Campo>, String> {
    let mut found: Vec<Campo> = Vec::with_capacity(items.len());
    for item in items {
        let Some([Valor::Text(nombre), tipo, unidad]) = exactly(item, "campo") else {
            return Err("un campo es [\"campo\", nombre, tipo, unidad]".to_owned());
        };
        if !is_lower_name(nombre) {
            return Err(format!("«{nombre}» no es un nombre de campo"));
        }
        if found.iter().chain(taken).any(|known| known.nombre == *nombre) {
            return Err(format!("el campo «{nombre}» está repetido"));
        }
        let tipo = tipo.as_str().and_then(Tipo::parse).ok_or_else(|| {
            let known = Tipo::TODOS.map(Tipo::as_str).join(", ");
            format!("el tipo de «{nombre}» es uno de {known}")
        })?;
        match unidad {
            Valor::Text(unit) if !is_blank(unit) => {
                let unidad = Text::from(unit.trim_matches(is_space));
                found.push(Campo { nombre: nombre.clone(), tipo, unidad });
            }
            _ => return Err(format!("falta la unidad de «{nombre}»: una magnitud o «sin_unidad»")),
        }
    }
    Ok(found)
}

fn variants_of(tree: &Valor, common: &[Campo]) -> Result<Variantes, String> {
    let Some([discriminant, items @ ..]) = items_of(tree, "variantes") else {
        return Err("las variantes son [\"variantes\", discriminante, [\"variante\", …], …]".to_owned());
    };
    if items.is_empty() {
        return Err("se declara al menos una variante".to_owned());
    }
    let by = discriminant.as_str().and_then(|name| common.iter().find(|field| *field.nombre == *name));
    let discriminante = match by {
        Some(field) if field.tipo == Tipo::Texto => field.nombre.clone(),
        Some(field) => {
            return Err(format!("el discriminante «{}» tiene que ser de tipo texto", field.nombre));
        }
        None => return Err("el discriminante tiene que ser un campo común".to_owned()),
    };
    let mut variantes: Vec<Variante> = Vec::with_capacity(items.len());
    for item in items {
        let variant = variant(item, common)?;
        if variantes.iter().any(|known| known.valor == variant.valor) {
            return Err(format!("la variante «{}» está repetida", variant.valor));
        }
        let known = variantes.iter().flat_map(|known| &known.campos);
        for (known, field) in known.flat_map(|known| variant.campos.iter().map(move |field| (known, field))) {
            if known.nombre == field.nombre && known != field {
                let name = &field.nombre;
                return Err(format!("el campo «{name}» tiene otro tipo u otra unidad en otra variante"));
            }
        }
        variantes.push(variant);
    }
    Ok(Variantes { discriminante, variantes })
}

fn variant(item: &Valor, common: &[Campo]) -> Result<Variante, String> {
    let Some([valor, items @ ..]) = items_of(item, "variante") else {
        return Err("una variante es [\"variante\", valor, [\"campo\", …], …]".to_owned());
    };
    let valor = match valor {
        Valor::Text(text) if !is_blank(text) => text.clone(),
        _ => return Err("el valor de una variante es un texto no vacío".to_owned()),
    };
    if items.is_empty() {
        return Err(format!("la variante «{valor}» declara al menos un campo"));
    }
    let campos = fields(items, common).map_err(|reason| format!("variante «{valor}»: {reason}"))?;
    Ok(Variante { valor, campos })
}
