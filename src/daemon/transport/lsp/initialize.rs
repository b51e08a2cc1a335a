//! Parsing of the parameters of `initialize`.

use std::path::PathBuf;

use lsp_types::{InitializeParams, PositionEncodingKind};
use serde_json::{Map, Value, json};

use super::Peer;
use crate::server::Introduction;
use editd_protocol::{Invalid, path_of_uri};
use editd_text::PositionEncoding;
use editd_workspace::{Abilities, Audience, Role};

/// Experimental capability: the editor requests the text of documents with the `editd` scheme.
const CONTENT: &str = "textDocumentContent";
/// Experimental capability: the editor supports the tag for generated code.
const GENERATED: &str = "generatedTag";

/// Returns the introduction of a client of the socket with this role.
pub(super) fn introduction(
    Peer { role: socket, process }: Peer,
    params: &InitializeParams,
) -> Result<Introduction, Invalid> {
    // A person at the command line has the rights of an agent, but a name that no agent can have.
    let role = if announced(params, "agent") { Role::Agent } else { socket };
    Ok(Introduction {
        role,
        is_person: socket == Role::Editor,
        process,
        name: params.client_info.as_ref().map(|client| client.name.clone()),
        session_name: session_name(params)?,
        resumes: announced(params, "resume"),
        roots: roots(role, params)?,
        new_file: announced(params, "newFile"),
        encoding: encoding(params),
        abilities: Abilities {
            audience: audience(params)?,
            ..if role == Role::Editor { abilities(params) } else { Abilities::default() }
        },
    })
}

/// Returns the audience for which a client wants messages worded.
fn audience(params: &InitializeParams) -> Result<Audience, Invalid> {
    let options = params.initialization_options.as_ref();
    let name = match options.map(|options| &options["editd"]["audience"]) {
        None | Some(Value::Null) => return Ok(Audience::Wire),
        Some(name) => name.as_str(),
    };
    name.and_then(|name| name.parse().ok())
        .ok_or_else(|| Invalid::new("initializationOptions.editd.audience", "it is `tools` or `commandLine`"))
}

/// Maximum length of a session name, in bytes.
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

/// Returns `true` if a client announces an experimental capability of editd.
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
            // An editor may have remote or virtual folders open, which editd cannot edit.
            Err(_) if role == Role::Editor => {}
            Err(problem) => return Err(Invalid::new(field, problem)),
        }
    }
    Ok(roots)
}

/// Returns the abilities that an editor announces, by itself, through the editd plugin, or through the user's
/// settings.
fn abilities(params: &InitializeParams) -> Abilities {
    let capabilities = json!(params.capabilities);
    let can = |pointer: &str| capabilities.pointer(pointer) == Some(&Value::Bool(true));
    let announced = |name: &str| announced(params, name);
    let settings = params.initialization_options.as_ref().map(|options| &options["editd"]);
    let wanted = |name: &str| settings.is_some_and(|settings| settings[name] == true);
    Abilities {
        review: announced("review") || wanted("review"),
        review_by_setting: wanted("review") && !announced("review"),
        apply_edits: announced("applyEdits"),
        save: announced("save"),
        reload: announced("reload"),
        document_state: announced("documentState"),
        rename: announced("rename"),
        diagnostics: announced("diagnostics"),
        apply_edit: can("/workspace/applyEdit"),
        show_document: can("/window/showDocument/support"),
        code_lens: capabilities.pointer("/textDocument/codeLens").is_some_and(Value::is_object),
        text_document_content: announced(CONTENT),
        code_lens_refresh: can("/workspace/codeLens/refreshSupport"),
        generated_tag: announced(GENERATED),
        hints: wanted("review") && !settings.is_some_and(|settings| settings["hints"] == false),
        audience: Audience::Wire,
    }
}

/// Copies capabilities of LSP 3.18, which the framework's types lack, to the experimental capabilities of
/// editd.
pub(in crate::transport) fn copy_newer_capabilities(params: &mut Map<String, Value>) {
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

/// Selects the position encoding: UTF-8 if offered, UTF-32 if it is offered without UTF-16, else UTF-16,
/// which every client supports.
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
