//! Printing a relation to the one text of its surface.

use super::{Campo, Relacion, SIN_UNIDAD};
use crate::sintaxis::fragment::{INDENT, is_space};
use crate::sintaxis::tree::is_lower_name;
use crate::sintaxis::{PrintError, quoted};

/// The one text of a declaration; refused when a field is in a unit the surface cannot write.
pub fn imprimir(relacion: &Relacion) -> Result<String, PrintError> {
    let mut lines = vec![format!("relacion {}:", relacion.nombre())];
    for field in relacion.campos() {
        lines.push(field_line(field, 1)?);
    }
    if let Some(all) = relacion.variantes() {
        lines.push(format!("{INDENT}variantes por {}:", all.discriminante));
        for variant in &all.variantes {
            let value = &variant.valor;
            let written = if is_lower_name(value) { value.to_string() } else { quoted(value)? };
            lines.push(format!("{}{written}:", INDENT.repeat(2)));
            for field in &variant.campos {
                lines.push(field_line(field, 3)?);
            }
        }
    }
    lines.push(format!("{INDENT}alcance {}", quoted(relacion.alcance())?));
    Ok(lines.join("\n") + "\n")
}

fn field_line(field: &Campo, level: usize) -> Result<String, PrintError> {
    let Campo { nombre, tipo, unidad } = field;
    let indent = INDENT.repeat(level);
    let word = tipo.as_str();
    if !tipo.is_number() {
        return match &**unidad {
            SIN_UNIDAD => Ok(format!("{indent}{nombre}: {word}")),
            _ => Err(PrintError::new(format!("«{nombre}» es {word} y no puede ir en «{unidad}»"))),
        };
    }
    if unidad.contains(|c| is_space(c) || c == '[' || c == ']') {
        return Err(PrintError::new(format!("la superficie no puede escribir la unidad «{unidad}»")));
    }
    Ok(format!("{indent}{nombre}: {word} {unidad}"))
}
