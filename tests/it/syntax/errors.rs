//! New syntax errors: right edits have none, broken ones have their line.

use editd::edit::Deadline;
use editd::syntax::{Language, SyntaxError, SyntaxErrorKind, new_errors};

use super::samples::{sample, samples};

fn errors(name: &str, before: &str, after: &str) -> Vec<SyntaxError> {
    let language = Language::of_path(name.as_ref()).expect("a language");
    new_errors(before, after, language, Deadline::NONE).expect("a parse")
}

#[test]
fn samples_have_no_errors() {
    for file in samples() {
        let found = new_errors("", &file.text, file.language, Deadline::NONE).expect("a parse");
        assert_eq!(found, [], "{}", file.path.display());
    }
}

#[test]
fn right_edits_add_no_error() {
    for (name, before, after) in [
        ("shop.java", "return items.get(name);", "return items.getOrDefault(name, null);"),
        ("queue.go", "q.mu.Lock()", "q.mu.Lock() // held"),
        ("panel.tsx", "setOpen(false);", "setOpen((it) => !it);"),
        ("page.html", "<p>One</p>", "<p>One<br>Two</p>"),
        ("site.css", "padding: 0;", "padding: 0 calc(1px + var(--gap));"),
        ("compose.yaml", "version: \"3\"", "version: &v \"3\""),
        ("package.json", "\"dist\", \"src\"", "\"dist\", /* built */ \"src\""),
        ("deploy.sh", "make \"$TARGET\"", "make \"${TARGET%%-*}\" || exit 1"),
        ("tool.toml", "log.version = \"0.4\"", "log = '0.4'"),
        ("module.lua", "return a + b", "return a // b"),
        ("list.c", "if (!added)", "if (added == NULL)"),
        ("store.py", "return self.items[0]", "return self.items[0] if self.items else None"),
        ("guide.md", "- one", "- [one](x"),
    ] {
        let file = sample(name);
        assert!(file.text.contains(before), "{name}");
        assert_eq!(errors(name, &file.text, &file.text.replacen(before, after, 1)), [], "{name}");
    }
}

#[test]
fn broken_edits_are_reported_with_their_line() {
    for (name, before, after) in [
        ("shop.java", "return items.get(name);", "return items.get(name;"),
        ("queue.go", "q.mu.Lock()", "q.mu.Lock("),
        ("panel.tsx", "setOpen(false);", "setOpen(false;"),
        ("site.css", "padding: 0;", "padding: 0;;)"),
        ("compose.yaml", "version: \"3\"", "version: \"3"),
        ("package.json", "\"build\": \"tsc -p .\",", "\"build\": \"tsc -p .\""),
        ("deploy.sh", "cd \"$ROOT\"", "if cd \"$ROOT\""),
        ("tool.toml", "name = \"one\"", "name = "),
        ("module.lua", "return a + b", "return a +"),
        ("list.c", "if (!added)", "if (!added"),
        ("store.py", "return self.items[0]", "return self.items[0"),
    ] {
        let file = sample(name);
        let at = file.text.find(before).unwrap_or_else(|| panic!("{name}"));
        let line = editd::text::lines(&file.text[..at]).count().max(1);
        let found = errors(name, &file.text, &file.text.replacen(before, after, 1));
        assert!(!found.is_empty(), "{name} has an error");
        let distance = found.iter().map(|error| error.line.abs_diff(line)).min();
        assert!(distance <= Some(2), "{name}: line {line}, {found:?}");
    }
}

#[test]
fn errors_of_before_do_not_count() {
    let before = "fn a() {\n    let x = ;\n}\n\nfn b() {\n    1\n}\n";
    assert_eq!(errors("a.rs", before, &before.replace("    1\n", "    2\n")), []);
    assert_eq!(errors("a.rs", before, &format!("// A comment.\n{before}")), []);
    // The text of the old error changes, but there are not more errors.
    assert_eq!(errors("a.rs", before, &before.replace("let x = ;", "let y = = ;")), []);
    assert_eq!(errors("a.rs", before, &before.replace("let x = ;", "let x = 1;")), []);
    let worse = errors("a.rs", before, &before.replace("    1\n", "    1 +\n"));
    assert_eq!(worse.len(), 1, "{worse:?}");
    assert_eq!((worse[0].line, worse[0].excerpt.as_str()), (6, "1 +"));
}

#[test]
fn files_that_grammars_misunderstand_are_not_judged() {
    let c = "MODULE_LICENSE(\"GPL\")\nEXPORT(foo) bar baz;\n\nint f(void)\n{\n    return 1;\n}\n";
    assert_eq!(errors("a.c", c, &c.replace("return 1", "return 2")), []);
    let template = "<ul>\n{% for x in y %}\n  <li id=\"{{ x }}\">{{ x }}</li>\n{% endfor %}\n</ul>\n";
    assert_eq!(errors("a.html", template, &template.replace("<li", "<li class=\"a\"")), []);
    let helm = "a: {{ .Values.a }}\n{{- if .b }}\nb: 1\n{{- end }}\nc: 2\n";
    assert_eq!(errors("a.yaml", helm, &helm.replace("c: 2", "c: 3")), []);
    let comments = "{\n  // One.\n  \"a\": 1,\n}\n";
    assert_eq!(errors("a.json", comments, &comments.replace('1', "2")), []);
}

#[test]
fn kinds_tell_what_is_wrong() {
    let found = errors("a.c", "int f(void) { return 1; }\n", "int f(void) { return 1 }\n");
    assert_eq!(
        found,
        [SyntaxError {
            line: 1,
            excerpt: "int f(void) { return 1 }".to_owned(),
            kind: SyntaxErrorKind::Missing { token: ";".to_owned() }
        }]
    );
}
