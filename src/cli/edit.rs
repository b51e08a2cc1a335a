//! Commands that change a file: `editd edit`, `editd move`, `editd rename` and `editd write`.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value, json};

use editd_daemon::transport::Client;
use editd_protocol::{Discard, Propose, Read, ReadContent};
use editd_text::{ContentHash, HashTag};
use editd_workspace::{NamedVersion, NewMode};

use super::arguments::{Consent, EditArguments, MoveArguments, RenameArguments, WriteArguments};
use super::root::Target;
use super::{CliError, Context, End, consent, paint, root};

/// `editd edit`.
pub(crate) fn edit(context: &Context, arguments: EditArguments) -> Result<End, CliError> {
    if let Some(source) = &arguments.json {
        return edit_json(context, source, &arguments.consent);
    }
    if arguments.glob.is_some() {
        return edit_all(context, &arguments);
    }
    let Some(path) = &arguments.path else { return Err(CliError::usage("PATH is required")) };
    if arguments.delete && arguments.lines.is_none() {
        return Err(CliError::usage("--delete requires --lines"));
    }
    if (arguments.all || arguments.expect.is_some()) && arguments.old.is_none() {
        return Err(CliError::usage("--all and --expect require --old"));
    }
    if arguments.old.is_some() && arguments.new.is_none() {
        return Err(CliError::usage("--old requires --new"));
    }
    let wrap = arguments.wrap_before.is_some() || arguments.wrap_after.is_some();
    let wrap = wrap.then(|| {
        json!({
            "before": arguments.wrap_before.unwrap_or_default(), "after": arguments.wrap_after.unwrap_or_default(),
        })
    });
    // An operation has a default, which only the edit of a symbol itself has.
    let has_other_form = arguments.old.is_some()
        || arguments.indent.is_some()
        || arguments.indent_from.is_some()
        || wrap.is_some();
    let file = Versioned::of(path)?;
    let mut edit = Map::new();
    let fields = [
        ("oldText", arguments.old.map(Value::from)),
        ("lines", arguments.lines.map(Value::from)),
        ("after", arguments.after.map(Value::from)),
        ("before", arguments.before.map(Value::from)),
        ("symbol", arguments.symbol.map(Value::from)),
        ("op", arguments.op.filter(|_| !has_other_form).map(Value::from)),
        ("indent", arguments.indent.map(Value::from)),
        ("indentFrom", arguments.indent_from.map(Value::from)),
        ("indentTo", arguments.indent_to.map(Value::from)),
        ("wrap", wrap),
        ("newText", arguments.new.map(Value::from)),
        ("first", arguments.first.map(Value::from)),
        ("last", arguments.last.map(Value::from)),
        ("expectedReplacements", arguments.expect.map(Value::from)),
        ("word", arguments.word.then_some(true.into())),
        ("regex", arguments.regex.then_some(true.into())),
        ("replaceAll", arguments.all.then_some(true.into())),
        ("delete", arguments.delete.then_some(true.into())),
    ];
    edit.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    change(context, &[file], json!({ "kind": "edit", "edits": [edit] }), &arguments.consent)
}

/// `editd move`.
pub(crate) fn move_parts(context: &Context, arguments: &MoveArguments) -> Result<End, CliError> {
    let file = Versioned::of(&arguments.path)?;
    let (to, made) = match &arguments.to {
        Some(path) if arguments.create.is_some() => {
            let (target, made) = root::of_new_file(path)?;
            (Some(Versioned { target, version: None }), made)
        }
        Some(path) => (Some(Versioned::of(path)?), None),
        None => (None, None),
    };
    let mut place = Map::new();
    let fields = [
        ("path", to.as_ref().map(|to| tagged(&to.target.path, to.version.clone()).into())),
        ("after", arguments.after.map(Value::from)),
        ("before", arguments.before.map(Value::from)),
        ("afterSymbol", arguments.after_symbol.clone().map(Value::from)),
        ("beforeSymbol", arguments.before_symbol.clone().map(Value::from)),
        ("create", arguments.create.clone().map(Value::from)),
    ];
    place.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    let form = if arguments.copy { "copy" } else { "move" };
    let part = match &arguments.lines {
        Some(lines) => json!({ "lines": lines }),
        None => json!({ "symbols": arguments.symbol }),
    };
    let edit = json!({ form: part, "to": place, "reindent": arguments.reindent });
    let files: Vec<_> = [file].into_iter().chain(to).collect();
    let end = change(context, &files, json!({ "kind": "edit", "edits": [edit] }), &arguments.consent);
    remove_if_empty(made.as_deref());
    end
}

/// `editd edit --glob`: replaces a text in all files that match.
fn edit_all(context: &Context, arguments: &EditArguments) -> Result<End, CliError> {
    if !arguments.all && arguments.expect.is_none() {
        return Err(CliError::usage("--glob requires --all or --expect"));
    }
    let Some(new) = &arguments.new else { return Err(CliError::usage("--old requires --new")) };
    let (target, root) = root::of_file_or_here(arguments.path.as_deref())?;
    let asks = consent::should_ask(context, arguments.consent.yes || arguments.consent.purpose.review);
    let mut client = context.session_for_change(root.as_deref(), asks)?;
    let mut request = json!({
        "glob": arguments.glob, "path": target.map(|target| target.path), "oldText": arguments.old, "newText": new,
        "word": arguments.word, "regex": arguments.regex, "replaceAll": arguments.all,
        "expect": arguments.expect,
    });
    arguments.consent.purpose.add_to(&mut request);
    if arguments.expect.is_none() && (asks || arguments.consent.yes || arguments.consent.purpose.review) {
        // The person sees or accepts all places; the number makes the change of files possible that were not read.
        request["expect"] = count_places(&mut client, &request)?.into();
    }
    consent::make(context, &mut client, &request, asks)
}

/// Returns the number of places that a replacement in several files would change; `None` if it is not needed.
fn count_places(client: &mut Client, request: &Value) -> Result<Option<u64>, CliError> {
    match client.call::<Propose>(request).map_err(CliError::from) {
        Ok(proposal) => {
            client.call::<Discard>(&json!({ "id": proposal.id }))?;
            Ok(None)
        }
        Err(error) => match error.number("found").filter(|_| error.kind() == Some("unread")) {
            Some(found) => Ok(Some(found)),
            None => Err(error),
        },
    }
}

/// `editd rename`.
pub(crate) fn rename(context: &Context, arguments: &RenameArguments) -> Result<End, CliError> {
    let file = Versioned::of(&arguments.path)?;
    let edit = json!({
        "symbol": arguments.symbol, "op": "rename", "newText": arguments.name, "comments": arguments.comments,
        "glob": arguments.glob, "expect": arguments.expect,
    });
    change(context, &[file], json!({ "kind": "edit", "edits": [edit] }), &arguments.consent)
}

/// A file, and the version that the arguments name.
struct Versioned {
    target: Target,
    /// The tag after the path, or the hash of `--base`.
    version: Option<String>,
}

impl Versioned {
    /// Resolves a path. What follows `#` is a tag, unless a file has this name.
    fn of(path: &Path) -> Result<Self, CliError> {
        let split = path.to_str().filter(|_| !path.exists()).and_then(|path| path.rsplit_once('#'));
        Ok(match split.filter(|(_, tag)| tag.parse::<HashTag>().is_ok()) {
            Some((path, tag)) => {
                Self { target: root::of_file(Path::new(path))?, version: Some(tag.to_owned()) }
            }
            None => Self { target: root::of_file(path)?, version: None },
        })
    }

    /// Returns the version of the file: the hash of `--base`, else the tag. Refuses a hash of another version
    /// than that of the tag.
    fn version_with(&self, base: Option<&str>) -> Result<Option<String>, CliError> {
        let named = |text: Option<&str>| text?.parse::<NamedVersion>().ok();
        // The daemon refuses a text that is not a hash.
        if let (Some(tag), Some(hash)) = (named(self.version.as_deref()), named(base))
            && hash.and(tag).is_none()
        {
            let text = "the hash of --base and the tag after the path are of different versions";
            return Err(
                CliError::usage(text).with_hint("pass only the one of the version that you have read")
            );
        }
        Ok(base.map(str::to_owned).or_else(|| self.version.clone()))
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
    let end = change(context, &[Versioned { target, version: None }], wanted, &arguments.consent);
    remove_if_empty(made.as_deref());
    end
}

/// Removes the folder that was made for a new file, if nothing was written into it.
fn remove_if_empty(made: Option<&Path>) {
    if let Some(folder) = made {
        // Succeeds only if the folder is empty.
        let _ = std::fs::remove_dir(folder);
    }
}

/// Makes one change, with the consent of the person. The first file is the changed one; a move concerns others
/// as well.
fn change(
    context: &Context,
    files: &[Versioned],
    mut change: Value,
    consent: &Consent,
) -> Result<End, CliError> {
    let [file, others @ ..] = files else { return Ok(End::Done) };
    let base = file.version_with(consent.base.as_deref())?;
    // With --review, the question is asked in the review and not here.
    let is_settled = consent.yes || consent.purpose.review;
    let asks = consent::should_ask(context, is_settled);
    let open = || context.session_for_change(Some(&file.target.root), asks);
    let mut client = open()?;
    // A session may change only the lines that it was shown, and no read shows all lines of a long file. So the
    // hashes are read in another session: to a session that has read nothing, a hash stands for the whole file.
    let mut reader = (asks || is_settled).then(open).transpose()?;
    change["uri"] = file.target.uri().into();
    if let Some(base) = &base {
        change["baseHash"] = base.as_str().into();
    }
    let mut request = json!({ "changes": [change] });
    consent.purpose.add_to(&mut request);
    let is_tagged = consent.base.is_none() && files.iter().any(|file| file.version.is_some());
    if (asks || is_settled) && is_tagged {
        consent::take_later_changes(&mut request);
    }
    let takes_current = base.is_none() && others.iter().all(|other| other.version.is_none());
    consent::retry_while_stale(is_settled && takes_current, || {
        // The person sees or accepts a change of the current text. If a read fails, the change itself is refused
        // with a better reason.
        let mut current = |target: &Target| {
            let uri = target.uri();
            let read = reader
                .as_mut()
                .filter(|_| target.path.exists())?
                .call::<Read>(&json!({ "uri": uri, "limit": 1 }));
            // A file that is not text becomes known by its read, too.
            let _ = read.is_err().then(|| client.call::<Read>(&json!({ "uri": uri })));
            read.ok().map(|read| read.hash)
        };
        if base.is_none() {
            request["changes"][0]["baseHash"] = current(&file.target).into();
        }
        for other in others.iter().filter(|other| other.version.is_none()) {
            let tag =
                current(&other.target).and_then(|hash| hash.parse::<ContentHash>().ok()).map(HashTag::from);
            let to = &mut request["changes"][0]["edits"][0]["to"]["path"];
            *to = tagged(&other.target.path, tag.map(|tag| tag.to_string())).into();
        }
        let edit = &request["changes"][0]["edits"][0];
        if (asks || is_settled) && edit["glob"].is_string() && edit["expect"].is_null() {
            // The person sees or accepts all places; the number makes the change of files possible that were not read.
            let mut counted = request.clone();
            counted["changes"][0]["edits"][0]["expect"] = count_places(&mut client, &request)?.into();
            return consent::make(context, &mut client, &counted, asks);
        }
        consent::make(context, &mut client, &request, asks)
    })
}

/// Returns a path with the tag of a version, if there is one.
fn tagged(path: &Path, tag: Option<String>) -> String {
    let tag = tag.map(|tag| format!("#{tag}")).unwrap_or_default();
    format!("{}{tag}", path.display())
}

/// `editd edit --json`: takes the parameters of the method from a file.
fn edit_json(context: &Context, source: &Path, consent: &Consent) -> Result<End, CliError> {
    let mut params: Map<String, Value> = serde_json::from_slice(&read_source(source)?).map_err(|error| {
        let name = if source == Path::new("-") { "standard input".to_owned() } else { paint::path(source) };
        CliError::usage(format!("{name} does not contain a JSON object: {error}"))
            .with_hint("docs/protocol.md has the parameters of `editd/edit`")
    })?;
    let paths = paths_in(&params);
    let (_, root) = root::of_file_or_here(paths.first().map(|(path, _)| Path::new(path)))?;
    let mut client = context.agent_on_wire(root.as_deref())?;
    if let Some(base) = &consent.base {
        params.insert("baseHash".to_owned(), base.as_str().into());
    }
    let is_settled = consent.yes || consent.purpose.review;
    let names_rule = params.contains_key("onStale") || params.contains_key("on_stale");
    let mut request = Value::from(params);
    let is_tagged = paths.iter().any(|(_, is_tagged)| *is_tagged);
    let names_version = is_tagged || names_a_base(&request);
    consent.purpose.add_to(&mut request);
    if is_settled && is_tagged && !names_a_base(&request) && !names_rule {
        consent::take_later_changes(&mut request);
    }
    consent::retry_while_stale(is_settled && !names_version, || {
        for (path, _) in paths.iter().filter(|(_, is_tagged)| is_settled && !is_tagged) {
            read_whole(&mut client, path);
        }
        consent::make(context, &mut client, &request, false)
    })
}

/// Reads all lines of a file, which may take several calls. If a read fails, the edit itself is refused with a better
/// reason.
fn read_whole(client: &mut Client, path: &str) {
    let mut offset = 1;
    while let Ok(read) = client.call::<Read>(&json!({ "path": path, "offset": offset }))
        && let ReadContent::Text(text) = read.content
        && text.truncated
        && text.end_line >= offset
    {
        offset = text.end_line + 1;
    }
}

/// Returns `true` if a request carries a base hash.
fn names_a_base(request: &Value) -> bool {
    let changes = request["changes"].as_array().into_iter().flatten();
    [request].into_iter().chain(changes).any(|it| !it["baseHash"].is_null() || !it["base_hash"].is_null())
}

/// Returns the paths of all files that a request changes, also those of the ends of moves. `true` is for a path
/// that ends with a tag.
fn paths_in(params: &Map<String, Value>) -> Vec<(String, bool)> {
    let listed = |fields: &Map<String, Value>, name: &str| objects_in(fields.get(name));
    let changes: Vec<_> = listed(params, "changes").into_iter().chain([params.clone()]).collect();
    let edits: Vec<_> = changes.iter().flat_map(|change| listed(change, "edits")).collect();
    let end = |edit: &Map<String, Value>, name| edit.get(name).and_then(Value::as_object).cloned();
    let ends = edits.iter().flat_map(|edit| ["move", "copy", "to"].map(|name| end(edit, name))).flatten();
    let named = |fields: Map<String, Value>| {
        let names = ["path", "filePath", "file_path"];
        let path = names.iter().find_map(|name| fields.get(*name)?.as_str())?;
        let tag = path.rsplit_once('#').filter(|_| !Path::new(path).exists());
        Some((path.to_owned(), tag.is_some_and(|(_, tag)| tag.parse::<HashTag>().is_ok())))
    };
    changes.iter().cloned().chain(ends).chain(edits.iter().cloned()).filter_map(named).collect()
}

/// Returns the objects of a list, which may be sent as a JSON string.
fn objects_in(list: Option<&Value>) -> Vec<Map<String, Value>> {
    let parsed = list.and_then(Value::as_str).and_then(|text| serde_json::from_str::<Value>(text).ok());
    let items = parsed.as_ref().or(list).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_object).cloned().collect()
}

/// Reads a file, or standard input if the path is `-`.
pub(super) fn read_source(source: &Path) -> std::io::Result<Vec<u8>> {
    if source != Path::new("-") {
        return std::fs::read(source).map_err(root::with_path(source));
    }
    let mut content = Vec::new();
    std::io::stdin().lock().read_to_end(&mut content)?;
    Ok(content)
}
