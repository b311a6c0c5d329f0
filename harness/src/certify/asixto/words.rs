//! What the words of a catalogue look like; none of it understands them.

/// Whether a word looks like an infinitive of Spanish.
pub fn is_infinitive(word: &str) -> bool {
    let word = word.to_lowercase();
    let bare = ["se", "lo", "la", "le"].iter().find_map(|tail| word.strip_suffix(tail)).unwrap_or(&word);
    [word.as_str(), bare].iter().any(|word| {
        word.chars().count() >= 3 && ["ar", "er", "ir", "ír"].iter().any(|end| word.ends_with(end))
    })
}

/// Whether a description is a bare list of values, as `alta, media o baja`.
pub fn is_a_list_of_values(description: &str) -> bool {
    let text = description.trim().trim_end_matches('.').to_lowercase();
    let listed = text.rsplit_once(':').map_or(text.as_str(), |(_, values)| values);
    let parts: Vec<_> = listed
        .split([',', '|', '/'])
        .flat_map(|part| part.split(" o "))
        .flat_map(|part| part.split(" or "))
        .map(str::trim)
        .collect();
    parts.len() > 1 && parts.iter().all(|part| !part.is_empty() && part.split_whitespace().count() == 1)
}

/// Whether a description says when not to use a tool.
pub fn says_when_not(description: &str) -> bool {
    let words = description.to_lowercase();
    words.split(|c: char| !c.is_alphabetic()).any(|word| matches!(word, "no" | "nunca" | "not" | "never"))
}

/// The first word of a description that instructions to a model begin with.
pub fn instruction(description: &str) -> Option<&'static str> {
    const WORDS: [&str; 12] = [
        "responde",
        "contesta",
        "contéstale",
        "respóndele",
        "saluda",
        "despídete",
        "amablemente",
        "discúlpate",
        "eres",
        "recuerda",
        "ignora",
        "always",
    ];
    let words = description.to_lowercase();
    let mut words = words.split(|c: char| !c.is_alphabetic());
    words.find_map(|word| WORDS.into_iter().find(|known| *known == word))
}

/// Whether a text holds a price or an hour.
pub fn is_volatile(text: &str) -> bool {
    let chars: Vec<_> = text.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    (0..chars.len()).any(|at| match chars[at] {
        '$' | '€' => digit(at + 1) || digit(at + 2),
        ':' => at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2),
        _ => false,
    })
}

/// What a text holds that must not leave a server, if anything.
pub fn secret(text: &str) -> Option<&'static str> {
    if text.split(|c: char| !c.is_ascii_hexdigit() && c != '-').any(is_uuid) {
        return Some("a UUID");
    }
    if text.contains("Traceback (most recent call last)")
        || text.contains("\n    at ")
        || text.contains("panicked at")
    {
        return Some("a stack trace");
    }
    (text.contains("Bearer ") || text.contains("eyJhbGciOi")).then_some("a token")
}

fn is_uuid(word: &str) -> bool {
    let lengths: Vec<_> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12]
}

/// Whether a parameter's name is that of an internal identifier.
pub fn is_identifier(name: &str) -> bool {
    let lower = name.to_lowercase();
    let whole = matches!(lower.as_str(), "id" | "uuid" | "guid");
    whole
        || lower.ends_with("_id")
        || lower.starts_with("id_")
        || lower.ends_with("_uuid")
        || name.ends_with("Id") && name.len() > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(is: fn(&str) -> bool, yes: &[&str], no: &[&str]) {
        for word in yes {
            assert!(is(word), "{word}");
        }
        for word in no {
            assert!(!is(word), "{word}");
        }
    }

    #[test]
    fn words_look_like_what_they_are() {
        check(
            is_infinitive,
            &["abrir", "Consultar", "mover", "agendarse", "reír"],
            &["caso", "abre", "ir", "ser ", ""],
        );
        check(
            is_a_list_of_values,
            &["abierta o cerrada", "alta, media o baja.", "El nivel: alto, bajo", "a|b", "x or y"],
            &["El documento, sin puntos", "", "abierta", "lo que pide el cliente o su familia", "a, "],
        );
        check(says_when_not, &["No la uses para X.", "Nunca antes."], &["Notas de un caso.", ""]);
        check(
            is_volatile,
            &["Cuesta $ 5", "a $5", "€9", "abre a las 8:00"],
            &["USD", "razón: 2", "1:2", "$x", ":00"],
        );
        check(
            is_identifier,
            &["id", "cliente_id", "id_cliente", "clienteId", "UUID", "Id", "a_uuid"],
            &["documento", "identidad", "idea", "valid"],
        );
    }

    #[test]
    fn what_must_not_leave_is_named() {
        assert_eq!(secret("caso 123e4567-e89b-12d3-a456-426614174000."), Some("a UUID"));
        assert_eq!(secret("x\n    at f (a.js:1)"), Some("a stack trace"));
        assert_eq!(secret("Traceback (most recent call last)"), Some("a stack trace"));
        assert_eq!(secret("Bearer x"), Some("a token"));
        assert_eq!(secret("radicado 2026-11-30-0001, a las 8"), None);
        assert_eq!(instruction("Registra. Responde con calma."), Some("responde"));
        assert_eq!(instruction("Úsala solo cuando hay respuesta."), None);
    }
}
