//! The report as JUnit's XML, for the machines that read test results.
//!
//! JUnit knows passed, failed and skipped. What is broken and not red passes with a word on its output; what was not
//! looked at is skipped with its reason, so that no reader takes it for passed.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::super::certificate::{Certificate, Judged};
use super::super::rule::Verdict;

/// The report as XML.
///
/// # Errors
/// The writer fails, which it does for no certificate.
pub fn junit(certificate: &Certificate) -> io::Result<Vec<u8>> {
    let profile = certificate.profile.name();
    let red = certificate.rules.iter().filter(|judged| judged.is_red(certificate.strict)).count();
    let skipped = certificate.rules.iter().filter(|judged| is_skipped(judged)).count();
    let tests = (certificate.rules.len() + certificate.stale.len()).to_string();
    let failures = (red + certificate.stale.len()).to_string();
    let skipped = skipped.to_string();
    let counts = [("tests", tests.as_str()), ("failures", &failures), ("errors", "0"), ("skipped", &skipped)];
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer
        .create_element("testsuites")
        .with_attributes([("name", "harness certify")])
        .with_attributes(counts)
        .write_inner_content(|writer| {
            let suite = writer.create_element("testsuite").with_attribute(("name", profile));
            suite.with_attributes(counts).write_inner_content(|writer| {
                for judged in &certificate.rules {
                    case(writer, judged, certificate, profile)?;
                }
                for (rule, verdict) in &certificate.stale {
                    stale(writer, rule, *verdict, profile)?;
                }
                Ok(())
            })?;
            Ok(())
        })?;
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    Ok(bytes)
}

fn is_skipped(judged: &Judged) -> bool {
    matches!(judged.verdict, Verdict::Inconclusive | Verdict::NotApplicable | Verdict::NotObserved)
}

fn words(judged: &Judged) -> String {
    let notes = judged.notes.iter().flat_map(|note| [&note.what].into_iter().chain(&note.lines));
    let lines: Vec<_> =
        [judged.rule.says.to_owned()].into_iter().chain(notes.map(|line| clean(line))).collect();
    lines.join("\n")
}

/// A text without the characters that XML has no way to write.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

fn case(
    writer: &mut Writer<Vec<u8>>,
    judged: &Judged,
    certificate: &Certificate,
    profile: &str,
) -> io::Result<()> {
    let name = format!("{} {}", judged.rule.id, judged.rule.says);
    let first = judged.notes.first().map(|note| clean(&note.what)).unwrap_or_default();
    let text = words(judged);
    let element =
        writer.create_element("testcase").with_attributes([("classname", profile), ("name", &name)]);
    if judged.is_red(certificate.strict) {
        element.write_inner_content(|writer| {
            let failure = writer.create_element("failure").with_attribute(("message", first.as_str()));
            failure
                .with_attribute(("type", judged.rule.level.word()))
                .write_text_content(BytesText::new(&text))?;
            Ok(())
        })?;
    } else if is_skipped(judged) {
        let message = format!("{}: {first}", judged.verdict.word());
        element.write_inner_content(|writer| {
            writer.create_element("skipped").with_attribute(("message", message.as_str())).write_empty()?;
            Ok(())
        })?;
    } else if judged.verdict == Verdict::Broken {
        let accepted = judged.accepted.as_deref().map(|why| format!("accepted: {why}\n")).unwrap_or_default();
        element.write_inner_content(|writer| {
            let text = format!("broken, {}\n{accepted}{text}", judged.rule.level.word());
            writer.create_element("system-out").write_text_content(BytesText::new(&text))?;
            Ok(())
        })?;
    } else {
        element.write_empty()?;
    }
    Ok(())
}

fn stale(writer: &mut Writer<Vec<u8>>, rule: &str, verdict: Verdict, profile: &str) -> io::Result<()> {
    let name = format!("baseline {rule}");
    let message = super::stale(rule, verdict);
    writer
        .create_element("testcase")
        .with_attributes([("classname", profile), ("name", name.as_str())])
        .write_inner_content(|writer| {
            writer
                .create_element("failure")
                .with_attributes([("message", message.as_str()), ("type", "stale")])
                .write_empty()?;
            Ok(())
        })?;
    Ok(())
}
