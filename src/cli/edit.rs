//! Commands that change files: `editd edit`, `editd write` and `editd apply`.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::patch::{self, FilePatch, PatchFormat};
use crate::protocol::Read;
use crate::text::HashTag;
use crate::workspace::NewMode;

use super::arguments::{ApplyArguments, Consent, EditArguments, Format, MoveArguments, WriteArguments};
use super::root::Target;
use super::{CliError, Context, End, consent, paint, root};

/// `editd edit`.
pub(crate) fn edit(context: &Context, arguments: EditArguments) -> Result<End, CliError> {
    if let Some(source) = &arguments.json {
        return edit_json(context, source, &arguments.consent);
    }
    let Some(path) = &arguments.path else { return Err(CliError::usage("PATH is required")) };
    if arguments.delete && arguments.lines.is_none() {
        return Err(CliError::usage("--delete requires --lines"));
    }
    if (arguments.all || arguments.expect.is_some()) && arguments.old.is_none() {
        return Err(CliError::usage("--all and --expect require --old"));
    }
    let file = Versioned::of(path)?;
    let mut edit = Map::new();
    let fields = [
        ("oldText", arguments.old.map(Value::from)),
        ("lines", arguments.lines.map(Value::from)),
        ("after", arguments.after.map(Value::from)),
        ("before", arguments.before.map(Value::from)),
        ("symbol", arguments.symbol.map(Value::from)),
        ("op", arguments.op.map(Value::from)),
        ("newText", arguments.new.map(Value::from)),
        ("first", arguments.first.map(Value::from)),
        ("last", arguments.last.map(Value::from)),
        ("expectedReplacements", arguments.expect.map(Value::from)),
        ("replaceAll", arguments.all.then_some(true.into())),
        ("delete", arguments.delete.then_some(true.into())),
    ];
    edit.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    let consent = Consent { base: arguments.consent.base.or(file.tag), ..arguments.consent };
    change(context, &[&file.target], json!({ "kind": "edit", "edits": [edit] }), &consent)
}

/// `editd move`.
pub(crate) fn move_lines(context: &Context, arguments: MoveArguments) -> Result<End, CliError> {
    let file = Versioned::of(&arguments.path)?;
    let to = arguments.to.as_deref().map(Versioned::of).transpose()?;
    let mut place = Map::new();
    let tag = to.as_ref().and_then(|to| to.tag.as_ref()).map(|tag| format!("#{tag}")).unwrap_or_default();
    let fields = [
        ("path", to.as_ref().map(|to| format!("{}{tag}", to.target.path.display()).into())),
        ("after", arguments.after.map(Value::from)),
        ("before", arguments.before.map(Value::from)),
    ];
    place.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    let form = if arguments.copy { "copy" } else { "move" };
    let edit = json!({ form: { "lines": arguments.lines }, "to": place, "reindent": arguments.reindent });
    let consent = Consent { base: arguments.consent.base.or(file.tag), ..arguments.consent };
    let targets: Vec<_> = [&file.target].into_iter().chain(to.as_ref().map(|to| &to.target)).collect();
    change(context, &targets, json!({ "kind": "edit", "edits": [edit] }), &consent)
}

/// A file, with the tag of a version after its path.
struct Versioned {
    target: Target,
    tag: Option<String>,
}

impl Versioned {
    /// Resolves a path. What follows `#` is a tag, unless a file has this name.
    fn of(path: &Path) -> Result<Self, CliError> {
        let split = path.to_str().filter(|_| !path.exists()).and_then(|path| path.rsplit_once('#'));
        Ok(match split.filter(|(_, tag)| tag.parse::<HashTag>().is_ok()) {
            Some((path, tag)) => Self { target: root::of_file(Path::new(path))?, tag: Some(tag.to_owned()) },
            None => Self { target: root::of_file(path)?, tag: None },
        })
    }
}

/// `editd write`.
pub(crate) fn write(context: &Context, arguments: &WriteArguments) -> Result<End, CliError> {
    let text = String::from_utf8(read_source(&arguments.from)?).map_err(|_| {
        CliError::failed("the content is not UTF-8")
            .with_hint("convert it first; editd keeps the encoding that the file has")
    })?;
    let (target, made) = root::of_new_file(&arguments.path)?;
    let executable = arguments.executable.then_some(NewMode::EXECUTABLE);
    let wanted = json!({ "kind": "write", "content": text, "mode": executable });
    let end = change(context, &[&target], wanted, &arguments.consent);
    if let Some(folder) = made {
        // Succeeds only if the folder is empty, which means that nothing was written.
        let _ = std::fs::remove_dir(folder);
    }
    end
}

/// Makes one change, with the consent of the person. The first target is the changed file; a move concerns
/// others as well.
fn change(
    context: &Context,
    targets: &[&Target],
    mut change: Value,
    consent: &Consent,
) -> Result<End, CliError> {
    let target = targets[0];
    // With --review, the question is asked in the review and not here.
    let is_settled = consent.yes || consent.purpose.review;
    let asks = consent::should_ask(context, is_settled);
    let mut client = context.session_for_change(Some(&target.root), asks)?;
    change["uri"] = target.uri().into();
    if let Some(base) = &consent.base {
        change["baseHash"] = base.as_str().into();
    }
    let mut request = json!({ "changes": [change] });
    consent.purpose.add_to(&mut request);
    let takes_any = is_settled && consent.base.is_none();
    consent::retry_while_stale(takes_any, || {
        // The person sees or accepts a change of the current text, so the session must have read it. If a read
        // fails, the change itself is refused with a better reason.
        let takes_current = (asks || takes_any) && consent.base.is_none();
        for target in targets.iter().filter(|target| takes_current && target.path.exists()) {
            let _ = client.call::<Read>(&json!({ "uri": target.uri() }));
        }
        consent::make(context, &mut client, &request, asks)
    })
}

/// `editd edit --json`: takes the parameters of the method from a file.
fn edit_json(context: &Context, source: &Path, consent: &Consent) -> Result<End, CliError> {
    let mut params: Map<String, Value> = serde_json::from_slice(&read_source(source)?).map_err(|error| {
        let name = if source == Path::new("-") { "standard input".to_owned() } else { paint::path(source) };
        CliError::usage(format!("{name} does not contain a JSON object: {error}"))
            .with_hint("docs/protocol.md has the parameters of `editd/edit`")
    })?;
    let paths = paths_in(&params);
    let (_, root) = root::of_file_or_here(paths.first().map(Path::new))?;
    let mut client = context.agent_on_wire(root.as_deref())?;
    if let Some(base) = &consent.base {
        params.insert("baseHash".to_owned(), base.as_str().into());
    }
    let is_settled = consent.yes || consent.purpose.review;
    let mut request = Value::from(params);
    let takes_any = is_settled && !names_a_base(&request);
    consent.purpose.add_to(&mut request);
    consent::retry_while_stale(takes_any, || {
        for path in paths.iter().filter(|_| is_settled) {
            // If the read fails, the edit itself is refused with a better reason.
            let _ = client.call::<Read>(&json!({ "path": path }));
        }
        consent::make(context, &mut client, &request, false)
    })
}

/// Returns `true` if a request carries a base hash.
fn names_a_base(request: &Value) -> bool {
    let changes = request["changes"].as_array().into_iter().flatten();
    [request].into_iter().chain(changes).any(|it| !it["baseHash"].is_null() || !it["base_hash"].is_null())
}

fn paths_in(params: &Map<String, Value>) -> Vec<String> {
    let changes = params.get("changes").and_then(Value::as_array).into_iter().flatten();
    let named = |fields: &Map<String, Value>| {
        ["path", "filePath", "file_path"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str().map(str::to_owned))
    };
    changes.filter_map(Value::as_object).chain([params]).filter_map(named).collect()
}

/// `editd apply`.
pub(crate) fn apply(context: &Context, arguments: &ApplyArguments) -> Result<End, CliError> {
    let text = String::from_utf8(read_source(&arguments.patch)?).map_err(|_| {
        CliError::failed("the patch is not UTF-8")
            .with_hint("convert it first; the files keep their encodings")
    })?;
    if text.trim().is_empty() {
        return Err(CliError::failed("there is no patch: the input is empty")
            .with_hint("name the patch file, or pass the patch on standard input"));
    }
    // The daemon reports all other errors in a patch.
    let files = patch::parse(&text, arguments.format.known()).unwrap_or_default();
    let is_settled = arguments.yes || arguments.purpose.review;
    let asks = consent::should_ask(context, is_settled);
    let mut client = context.session_for_change(folder_of(&files)?.as_deref(), asks)?;
    let named: BTreeMap<String, String> = arguments.base.iter().cloned().collect();
    let format = arguments.format.known().map_or("auto", PatchFormat::name);
    consent::retry_while_stale(is_settled && named.is_empty(), || {
        let mut bases = named.clone();
        if asks || is_settled {
            for FilePatch { path, .. } in files.iter().filter(|file| !file.creates()) {
                // The person sees or accepts a change of the current text, so its hash is the base. If the
                // read fails, the change itself is refused with a better reason.
                if !bases.contains_key(path)
                    && let Ok(read) = client.call::<Read>(&json!({ "path": path, "limit": 1 }))
                {
                    bases.insert(path.clone(), read.hash);
                }
            }
        }
        let mut request = json!({ "patch": { "format": format, "text": text }, "bases": bases });
        arguments.purpose.add_to(&mut request);
        consent::make(context, &mut client, &request, asks)
    })
}

/// Returns the folder that the paths of a patch are relative to: the working folder if it contains a file
/// that the patch changes, else the top of the enclosing repository, as in diffs of version control.
fn folder_of(files: &[FilePatch]) -> std::io::Result<Option<PathBuf>> {
    let changed = || files.iter().filter(|file| !file.creates()).map(|file| Path::new(&file.path));
    if let Some(file) = changed().find(|path| path.is_absolute()) {
        return Ok(Some(root::of_file(file)?.root));
    }
    let here = root::here()?;
    let is_here = changed().any(|path| here.join(path).exists());
    if is_here { Ok(root::allowed(here)) } else { root::of_here() }
}

impl Format {
    fn known(self) -> Option<PatchFormat> {
        match self {
            Self::Auto => None,
            Self::SearchReplace => Some(PatchFormat::SearchReplace),
            Self::ApplyPatch => Some(PatchFormat::ApplyPatch),
            Self::UnifiedDiff => Some(PatchFormat::UnifiedDiff),
        }
    }
}

/// Reads a file, or standard input if the path is `-`.
fn read_source(source: &Path) -> std::io::Result<Vec<u8>> {
    if source != Path::new("-") {
        return std::fs::read(source).map_err(root::with_path(source));
    }
    let mut content = Vec::new();
    std::io::stdin().lock().read_to_end(&mut content)?;
    Ok(content)
}
