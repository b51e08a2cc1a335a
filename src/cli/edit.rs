use std::io::{Read, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::protocol::{
    Apply, ApplyResult, Discard, Edit, FileEntry, Propose, ProposeResult, Read as ReadMethod, uri_of,
};
use crate::transport::Client;

use super::arguments::{Consent, EditArguments, Output, WriteArguments};
use super::paint::{FAINT, GOOD};
use super::root::Place;
use super::{Complaint, Context, End, ask, paint, root, stream};

/// `editd edit`.
pub(crate) fn edit(context: &Context, arguments: EditArguments) -> Result<End, Complaint> {
    if let Some(source) = &arguments.json {
        return edit_json(context, source, &arguments.consent);
    }
    let (Some(path), Some(old), Some(new)) = (arguments.path, arguments.old, arguments.new) else {
        return Err(Complaint::Usage("PATH, --old and --new are needed".to_owned()));
    };
    let mut edit = json!({ "oldText": old, "newText": new, "replaceAll": arguments.all });
    if let Some(expected) = arguments.expect {
        edit["expectedReplacements"] = expected.into();
    }
    let place = root::of_file(&path)?;
    change(context, &place, &json!({ "kind": "edit", "edits": [edit] }), &arguments.consent)
}

/// `editd write`.
pub(crate) fn write(context: &Context, arguments: &WriteArguments) -> Result<End, Complaint> {
    let text = String::from_utf8(read_source(&arguments.from)?)
        .map_err(|_| Complaint::failed("the content is not UTF-8"))?;
    let (place, made) = root::of_new_file(&arguments.path)?;
    let end = change(context, &place, &json!({ "kind": "write", "content": text }), &arguments.consent);
    if let Some(folder) = made {
        // Goes only if it is still empty: nothing was written.
        let _ = std::fs::remove_dir(folder);
    }
    end
}

/// Makes one change of one file, with the person's consent in one of its forms.
fn change(context: &Context, place: &Place, change: &Value, consent: &Consent) -> Result<End, Complaint> {
    let mut client = context.agent(Some(&place.root))?;
    let mut change = change.clone();
    // Not as a path: a path on the wire is text, which this one need not be.
    change["uri"] = uri_of(&place.path).as_str().into();
    if let Some(base) = &consent.base {
        change["baseHash"] = base.as_str().into();
    }
    let request = json!({ "changes": [change] });
    let asks = !consent.yes && context.output == Output::Text && ask::is_interactive();
    if (asks || consent.yes) && consent.base.is_none() && place.path.exists() {
        // The text as it is now is what the person sees changed, or says yes to.
        client.call::<ReadMethod>(&json!({ "uri": uri_of(&place.path) }))?;
    }
    if asks {
        return ask_and_apply(&mut client, &request);
    }
    let result = client.request(<Edit as crate::protocol::Method>::NAME, &request)?;
    report(context, &result)
}

fn ask_and_apply(client: &mut Client, request: &Value) -> Result<End, Complaint> {
    let proposal = client.call::<Propose>(request)?;
    show(&proposal)?;
    if ask::yes("Apply this change?")? {
        let params = json!({ "id": proposal.id, "revision": proposal.revision });
        let applied = client.call::<Apply>(&params)?;
        summarize(&applied)?;
        return Ok(End::Done);
    }
    client.call::<Discard>(&json!({ "id": proposal.id, "reason": "not wanted at the terminal" }))?;
    writeln!(stream::stdout(), "Nothing was changed.")?;
    Ok(End::Undecided)
}

/// `editd edit --json`: the parameters of the method as they are.
fn edit_json(context: &Context, source: &Path, consent: &Consent) -> Result<End, Complaint> {
    let mut params: Map<String, Value> = serde_json::from_slice(&read_source(source)?)
        .map_err(|error| Complaint::Usage(format!("{} holds no JSON object: {error}", source.display())))?;
    let paths = paths_in(&params);
    let root = match paths.first() {
        Some(path) => Some(root::of_file(Path::new(path))?.root),
        None => root::of_here()?,
    };
    let mut client = context.agent(root.as_deref())?;
    if consent.yes {
        for path in paths {
            // What cannot be read is refused when it is edited, with the better reason.
            let _ = client.call::<ReadMethod>(&json!({ "path": path }));
        }
    }
    if let Some(base) = &consent.base {
        params.insert("baseHash".to_owned(), base.as_str().into());
    }
    let result = client.request(<Edit as crate::protocol::Method>::NAME, &params)?;
    report(context, &result)
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

fn read_source(source: &Path) -> std::io::Result<Vec<u8>> {
    if source != Path::new("-") {
        return std::fs::read(source);
    }
    let mut content = Vec::new();
    std::io::stdin().lock().read_to_end(&mut content)?;
    Ok(content)
}

fn report(context: &Context, result: &Value) -> Result<End, Complaint> {
    if context.output == Output::Json {
        writeln!(stream::stdout(), "{result}")?;
    } else {
        let applied: ApplyResult = serde_json::from_value(result.clone()).map_err(Complaint::failed)?;
        summarize(&applied)?;
    }
    Ok(End::Done)
}

fn show(proposal: &ProposeResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    for file in &proposal.files {
        paint::diff(&mut out, &file.diff)?;
        notes(&mut out, file)?;
    }
    Ok(())
}

/// How a tolerant edit found its place, and what else should be known before a yes.
fn notes(out: &mut impl Write, file: &FileEntry) -> std::io::Result<()> {
    for found in file.matches.iter().filter(|found| found.strategy != "exact") {
        writeln!(out, "{FAINT}matched by {} at line {}{FAINT:#}", found.strategy, found.start_line)?;
    }
    for warning in &file.warnings {
        writeln!(out, "{FAINT}note: {}{FAINT:#}", paint::visible(warning))?;
    }
    Ok(())
}

fn summarize(applied: &ApplyResult) -> std::io::Result<()> {
    let mut out = stream::stdout();
    for file in &applied.files {
        let entry = &file.entry;
        let verb = match entry.action.as_str() {
            "create" => "created",
            "delete" => "deleted",
            "rename" => "renamed",
            _ => "edited",
        };
        let path = paint::visible(&entry.path);
        writeln!(out, "{GOOD}{verb}{GOOD:#} {path} (+{} -{})", entry.added, entry.removed)?;
        if let Some(hash) = &file.hash {
            writeln!(out, "{FAINT}{hash}{FAINT:#}")?;
        }
    }
    Ok(())
}
