//! One declared macro: `["defmacro", name, parameters, guards, template]`.

use super::MacroError;
use crate::algebra::is_blank;
use crate::sintaxis::tree::{HOLE, as_hole, exactly, node};
use crate::valor::{Text, Valor};

/// A condition on the arguments, and what to say when it does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarda {
    /// An expression over the parameters alone.
    pub condicion: Valor,
    /// What its failure says.
    pub mensaje: Text,
}

/// A valid declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Macro {
    nombre: Text,
    parametros: Vec<Text>,
    guardas: Vec<Guarda>,
    plantilla: Valor,
}

/// Words a macro may not be named after: a form that starts with one already means something.
const RESERVADAS: [&str; 31] = [
    "defmacro", "guarda", HOLE, "medida", "desde", "resumen", "umbral", "segun", "ambito", "alcance", "de",
    "unir", "donde", "agrupar", "==", "!=", "<", "<=", ">", ">=", "y", "o", "no", "campo", "hecho", "col",
    "contar", "suma", "promedio", "max", "min",
];

/// Parameters before the last, `alcance`, that an older invocation may lack.
const LATER_PARAMETERS: [&str; 2] = ["segun", "ambito"];

impl Macro {
    /// Checks a declaration in its canonical form.
    pub fn from_datos(datos: &Valor) -> Result<Macro, MacroError> {
        let Some([name, parameters, guards, template]) = exactly(datos, "defmacro") else {
            return Err(MacroError::declaration(
                "una macro es [\"defmacro\", nombre, parámetros, guardas, plantilla]",
            ));
        };
        let nombre = valid_name(name)?;
        let wrong = |motivo: String| MacroError::declaration(format!("{nombre}: {motivo}"));
        let parametros = valid_parameters(parameters).map_err(&wrong)?;
        if !matches!(template, Valor::List(items) if !items.is_empty()) {
            return Err(wrong("la plantilla es una lista no vacía".to_owned()));
        }
        let guardas = valid_guards(guards).map_err(&wrong)?;
        let mut used = Vec::new();
        holes(template, &mut used).map_err(&wrong)?;
        for guard in &guardas {
            holes(&guard.condicion, &mut used).map_err(&wrong)?;
        }
        if let Some(unknown) = used.iter().filter(|hole| !parametros.contains(hole)).min() {
            return Err(wrong(format!("usa «${unknown}», que no es un parámetro")));
        }
        if let Some(unused) = parametros.iter().filter(|known| !used.contains(known)).min() {
            return Err(wrong(format!("nunca usa el parámetro «{unused}»")));
        }
        Ok(Macro { nombre: nombre.clone(), parametros, guardas, plantilla: template.clone() })
    }

    /// The name an invocation starts with.
    pub fn nombre(&self) -> &str {
        &self.nombre
    }

    /// The parameters, in the order of the arguments. There is at least one.
    pub fn parametros(&self) -> &[Text] {
        &self.parametros
    }

    /// The guards, in the order they are tried.
    pub fn guardas(&self) -> &[Guarda] {
        &self.guardas
    }

    /// The form an invocation expands to, with holes for the parameters.
    pub fn plantilla(&self) -> &Valor {
        &self.plantilla
    }

    /// The declaration in its canonical form.
    pub fn datos(&self) -> Valor {
        let guards = self
            .guardas
            .iter()
            .map(|guard| node("guarda", [guard.condicion.clone(), Valor::Text(guard.mensaje.clone())]));
        node(
            "defmacro",
            [
                Valor::Text(self.nombre.clone()),
                Valor::list(self.parametros.iter().cloned().map(Valor::Text)),
                Valor::list(guards),
                self.plantilla.clone(),
            ],
        )
    }

    /// How many of the parameters before `alcance` an invocation older than them may lack.
    pub(super) fn omissible(&self) -> usize {
        match self.parametros.split_last() {
            Some((last, before)) if &**last == "alcance" => {
                before.iter().rev().take_while(|name| LATER_PARAMETERS.contains(&&***name)).count()
            }
            _ => 0,
        }
    }

    /// The arguments of an invocation by parameter, where the surface can write it: all of them, or all but
    /// `segun` when it is the last parameter but one, for which `undeclared` stands.
    pub(crate) fn surface_arguments<'a>(
        &self,
        arguments: &'a [Valor],
        undeclared: &'a Valor,
    ) -> Option<Vec<&'a Valor>> {
        let mut values: Vec<&Valor> = arguments.iter().collect();
        if let [.., origin, _] = self.parametros.as_slice()
            && &**origin == "segun"
            && values.len() + 1 == self.parametros.len()
        {
            values.insert(values.len() - 1, undeclared);
        }
        (values.len() == self.parametros.len()).then_some(values)
    }
}

fn valid_name(name: &Valor) -> Result<&Text, MacroError> {
    let Valor::Text(name) = name else {
        return Err(MacroError::declaration("el nombre de una macro es un texto"));
    };
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(lower) {
        return Err(MacroError::declaration(format!(
            "«{name}» no es un nombre de macro: lleva minúsculas ASCII, dígitos, «_» y «-»"
        )));
    }
    if RESERVADAS.contains(&&**name) {
        return Err(MacroError::declaration(format!(
            "«{name}» es una palabra del lenguaje y no puede ser el nombre de una macro"
        )));
    }
    Ok(name)
}

fn valid_parameters(parameters: &Valor) -> Result<Vec<Text>, String> {
    let items = parameters.as_list().unwrap_or_default();
    if items.is_empty() {
        return Err("los parámetros son una lista no vacía".to_owned());
    }
    let mut valid: Vec<Text> = Vec::new();
    for item in items {
        match item {
            Valor::Text(name) if !is_blank(name) => {
                if valid.contains(name) {
                    return Err(format!("el parámetro «{name}» está repetido"));
                }
                valid.push(name.clone());
            }
            _ => return Err("el nombre de un parámetro es un texto no vacío".to_owned()),
        }
    }
    Ok(valid)
}

fn valid_guards(guards: &Valor) -> Result<Vec<Guarda>, String> {
    let items = guards.as_list().ok_or("las guardas son una lista; sin guardas, vacía")?;
    let mut valid = Vec::new();
    for item in items {
        match exactly(item, "guarda") {
            Some([condicion, Valor::Text(mensaje)]) if !is_blank(mensaje) => {
                valid.push(Guarda { condicion: condicion.clone(), mensaje: mensaje.clone() });
            }
            _ => return Err("una guarda es [\"guarda\", condición, mensaje]".to_owned()),
        }
    }
    Ok(valid)
}

/// Gathers the parameters that the holes of `tree` name. A list headed by `$` must be a well-formed hole.
fn holes(tree: &Valor, found: &mut Vec<Text>) -> Result<(), String> {
    let Some(items) = tree.as_list() else { return Ok(()) };
    if tree.head() != Some(HOLE) {
        return items.iter().try_for_each(|item| holes(item, found));
    }
    match as_hole(tree) {
        Some(parameter) if !is_blank(parameter) => {
            found.push(Text::from(parameter));
            Ok(())
        }
        _ => Err(format!("un hueco es [\"{HOLE}\", parámetro], no {}", tree.to_compact())),
    }
}
