//! What a client says of itself in `initialize`.

use std::path::PathBuf;

use lsp_types::{InitializeParams, PositionEncodingKind};
use serde_json::{Map, Value, json};

use crate::daemon::Introduction;
use crate::protocol::{Invalid, path_of_uri};
use crate::text::PositionEncoding;
use crate::workspace::history::DISK;
use crate::workspace::{Abilities, Role};

/// In our announcement: the editor asks for the text of documents of our scheme.
const CONTENT: &str = "textDocumentContent";
/// In our announcement: it knows the tag for what a model has made.
const GENERATED: &str = "generatedTag";

pub(super) fn introduction(role: Role, params: &InitializeParams) -> Result<Introduction, Invalid> {
    let author = params.client_info.as_ref().map(|client| client.name.trim()).filter(|name| !name.is_empty());
    Ok(Introduction {
        role,
        author: author.filter(|name| !is_reserved(role, name)).unwrap_or("unknown").to_owned(),
        session_name: session_name(params)?,
        roots: roots(role, params)?,
        new_file: announced(params, "newFile"),
        encoding: encoding(params),
        abilities: if role == Role::Editor { abilities(params) } else { Abilities::default() },
    })
}

/// Bytes of a session's name.
const SESSION_NAME: usize = 64;

/// Returns the name that a client gives its session.
fn session_name(params: &InitializeParams) -> Result<Option<String>, Invalid> {
    let experimental = params.capabilities.experimental.as_ref();
    let name = match experimental.map(|experimental| &experimental["editd"]["session"]) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(name)) => name,
        Some(_) => "",
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > SESSION_NAME || !name.chars().all(is_plain) {
        let problem = format!("it is 1 to {SESSION_NAME} letters, digits or `-_.`");
        return Err(Invalid::new("capabilities.experimental.editd.session", problem));
    }
    Ok(Some(name.to_owned()))
}

/// Whether a client says of itself that it can or wants something of ours.
fn announced(params: &InitializeParams, name: &str) -> bool {
    let experimental = params.capabilities.experimental.as_ref();
    experimental.is_some_and(|experimental| experimental["editd"][name] == true)
}

fn roots(role: Role, params: &InitializeParams) -> Result<Vec<PathBuf>, Invalid> {
    let folders = params.workspace_folders.as_deref().unwrap_or_default();
    let mut uris: Vec<_> = folders
        .iter()
        .enumerate()
        .map(|(index, folder)| (format!("workspaceFolders[{index}].uri"), folder.uri.as_str()))
        .collect();
    #[expect(deprecated, reason = "clients of older LSP versions send nothing else")]
    if let (true, Some(root)) = (uris.is_empty(), &params.root_uri) {
        uris.push(("rootUri".to_owned(), root.as_str()));
    }
    let mut roots = Vec::new();
    for (field, uri) in uris {
        match path_of_uri(uri) {
            Ok(path) => roots.push(path),
            // An editor may have remote or virtual folders open; there is nothing to edit for us in them.
            Err(_) if role == Role::Editor => {}
            Err(problem) => return Err(Invalid::new(field, problem)),
        }
    }
    Ok(roots)
}

/// What an editor announces: by itself, by our plugin in it, or by its user's settings for it.
fn abilities(params: &InitializeParams) -> Abilities {
    let capabilities = &params.capabilities;
    let announced = |name: &str| announced(params, name);
    let settings = params.initialization_options.as_ref().map(|options| &options["editd"]);
    let wanted = |name: &str| settings.is_some_and(|settings| settings[name] == true);
    let (workspace, window) = (capabilities.workspace.as_ref(), capabilities.window.as_ref());
    let show_document = window.and_then(|window| window.show_document.as_ref());
    let text_document = capabilities.text_document.as_ref();
    Abilities {
        review: announced("review") || wanted("review"),
        review_by_setting: wanted("review") && !announced("review"),
        apply_edits: announced("applyEdits"),
        save: announced("save"),
        reload: announced("reload"),
        document_state: announced("documentState"),
        diagnostics: announced("diagnostics"),
        apply_edit: workspace.and_then(|workspace| workspace.apply_edit).unwrap_or_default(),
        show_document: show_document.is_some_and(|show| show.support),
        code_lens: text_document.is_some_and(|documents| documents.code_lens.is_some()),
        text_document_content: announced(CONTENT),
        code_lens_refresh: workspace
            .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
            .unwrap_or_default(),
        generated_tag: announced(GENERATED),
        hints: wanted("review") && !settings.is_some_and(|settings| settings["hints"] == false),
    }
}

/// What LSP knows since 3.18 and the framework's types do not, said in the words of our own announcement.
pub(in crate::transport) fn announce_newer(params: &mut Map<String, Value>) {
    let Some(capabilities) = params.get_mut("capabilities") else { return };
    let asks = capabilities.pointer("/workspace/textDocumentContent").is_some_and(Value::is_object);
    let tags = capabilities.pointer("/textDocument/codeAction/tagSupport/valueSet");
    let knows = tags.and_then(Value::as_array).is_some_and(|tags| tags.contains(&json!(1)));
    for (name, is_there) in [(CONTENT, asks), (GENERATED, knows)] {
        if is_there && let Some(capabilities) = capabilities.as_object_mut() {
            let ours = capabilities.entry("experimental").or_insert(Value::Null);
            if !ours.is_object() {
                *ours = json!({});
            }
            if !ours["editd"].is_object() {
                ours["editd"] = json!({});
            }
            ours["editd"][name] = true.into();
        }
    }
}

/// UTF-8 where it is offered, else what every client must know.
fn encoding(params: &InitializeParams) -> PositionEncoding {
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
    if offered.contains(&PositionEncodingKind::UTF8) {
        PositionEncoding::Utf8
    } else if offered.contains(&PositionEncodingKind::UTF32)
        && !offered.contains(&PositionEncodingKind::UTF16)
    {
        PositionEncoding::Utf32
    } else {
        PositionEncoding::Utf16
    }
}

pub(super) fn encoding_kind(encoding: PositionEncoding) -> PositionEncodingKind {
    match encoding {
        PositionEncoding::Utf8 => PositionEncodingKind::UTF8,
        PositionEncoding::Utf16 => PositionEncodingKind::UTF16,
        PositionEncoding::Utf32 => PositionEncodingKind::UTF32,
    }
}

/// Whether a name stands for somebody else: `disk` for programs that do not ask editd, `editor` for a person who
/// types.
fn is_reserved(role: Role, name: &str) -> bool {
    name == DISK || (role == Role::Agent && name == "editor")
}
