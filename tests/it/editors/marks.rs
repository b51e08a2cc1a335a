//! Documents that begin with U+FEFF: byte order marks that an editor keeps in its text, and further ones.

use rstest::rstest;

use crate::support::{Chance, Editor, Kind, Machine, Outcome, Workspace};

const MARK: &str = "\u{feff}";

/// A file that is open in an editor, with a text of its own.
struct Scene {
    machine: Machine,
    workspace: Workspace,
    editor: Editor,
    uri: String,
}

fn scene(file: &str, shown: &str, (kind, encoding): (Kind, &str)) -> Scene {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", file));
    let editor = Editor::named(&machine, &workspace, kind, "editor", encoding);
    let uri = editor.open_as_is(&workspace, "a.txt", shown);
    Scene { machine, workspace, editor, uri }
}

impl Scene {
    /// Returns the text of the document as agents read it.
    fn content(&self) -> String {
        let read = self.machine.agent(&self.workspace).read("a.txt");
        read["text"].as_str().expect("a text").to_owned()
    }
}

#[rstest]
fn typing_and_edits_meet_the_same_places(
    #[values(("", MARK), ("\u{feff}", MARK), ("\u{feff}\u{feff}", MARK), ("\u{feff}\u{feff}", "\u{feff}\u{feff}"))]
    (in_file, shown): (&str, &str),
    #[values(Kind::Plugin, Kind::Plain)] kind: Kind,
    #[values("utf-8", "utf-16", "utf-32")] encoding: &str,
) {
    let text = "ab😀cd\nef\n";
    let scene = scene(&format!("{in_file}{text}"), &format!("{shown}{text}"), (kind, encoding));
    // A decoder takes one mark off a file, so the second one is content.
    let rest = if in_file.len() > MARK.len() { MARK } else { "" };
    assert_eq!(scene.content(), format!("{rest}{text}"));
    scene.editor.replace(&scene.uri, "b😀", "b1😀2");
    assert_eq!(scene.content(), format!("{rest}ab1😀2cd\nef\n"));
    let mut agent = scene.machine.agent(&scene.workspace);
    agent.read("a.txt");
    agent.edit("a.txt", "2cd", "2CD").done();
    assert_eq!(scene.editor.text(&scene.uri), format!("{shown}ab1😀2CD\nef\n"));
    agent.edit("a.txt", "ab1", "AB").done();
    assert_eq!(scene.editor.text(&scene.uri), format!("{shown}AB😀2CD\nef\n"));
    assert_eq!(scene.content(), format!("{rest}AB😀2CD\nef\n"));
}

#[rstest]
#[case::deleted("\u{feff}a", "a", "abc\n")]
#[case::behind_another_character("\u{feff}a", "Z\u{feff}a", "Z\u{feff}abc\n")]
#[case::typed_again("\u{feff}abc\n", "\u{feff}\u{feff}abc\n", "\u{feff}abc\n")]
#[case::all_replaced("\u{feff}abc\n", "\u{feff}xyz\n", "xyz\n")]
fn a_person_may_change_the_mark(#[case] old: &str, #[case] new: &str, #[case] content: &str) {
    let scene = scene("\u{feff}abc\n", "\u{feff}abc\n", (Kind::Plugin, "utf-16"));
    scene.editor.replace(&scene.uri, old, new);
    assert_eq!(scene.content(), content);
    let mut agent = scene.machine.agent(&scene.workspace);
    agent.read("a.txt");
    let (last, changed) = (&content[content.len() - 3..], "!\n");
    agent.edit("a.txt", last, changed).done();
    let expected = scene.editor.text(&scene.uri);
    assert!(expected.ends_with(changed) && expected.len() == "\u{feff}abc\n".replace(old, new).len() - 1);
}

#[test]
fn random_typing_in_a_document_with_a_mark_stays_in_step() {
    let text = "a😀b\n".repeat(3);
    let scene = scene(&format!("{MARK}{text}"), &format!("{MARK}{text}"), (Kind::Plain, "utf-16"));
    scene.editor.type_many(&scene.uri, 500, &mut Chance::new("keys around a mark"));
    let shown = scene.editor.text(&scene.uri);
    assert_eq!(scene.content(), shown.strip_prefix(MARK).unwrap_or(&shown));
}
