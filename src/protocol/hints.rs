//! Adaptation of messages and hints to MCP tools and to the command line.
//!
//! The daemon uses the names of the protocol in its messages, because clients send requests with these names.
//! Users of MCP tools and of the command line know other names, and sometimes have to take another next step.

/// Recipients of messages for whom the wording is adapted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Tools of the Model Context Protocol, for agents.
    Tools,
    /// The command line, for people.
    CommandLine,
}

impl Audience {
    /// Rewords a sentence of the daemon for this audience.
    pub fn say(self, sentence: &str) -> String {
        let replacements = REPLACEMENTS.iter().filter_map(|replacement| {
            let ours = match self {
                Self::Tools => replacement.tools,
                Self::CommandLine => replacement.command_line,
            };
            Some((replacement.wire, ours?))
        });
        replacements.fold(sentence.to_owned(), |sentence, (wire, ours)| sentence.replace(wire, ours))
    }
}

/// A part of a sentence on the wire, with its replacements. `None` keeps the part unchanged.
struct Replacement {
    wire: &'static str,
    tools: Option<&'static str>,
    command_line: Option<&'static str>,
}

const fn tools(wire: &'static str, tools: &'static str) -> Replacement {
    Replacement { wire, tools: Some(tools), command_line: None }
}

const fn shell(wire: &'static str, command_line: &'static str) -> Replacement {
    Replacement { wire, tools: None, command_line: Some(command_line) }
}

const fn both(wire: &'static str, tools: &'static str, command_line: &'static str) -> Replacement {
    Replacement { wire, tools: Some(tools), command_line: Some(command_line) }
}

/// Replacements in the order of their application. Longer parts come before parts that they contain.
const REPLACEMENTS: &[Replacement] = &[
    // Tools that change one file send a list with one change.
    tools("changes[0].", ""),
    shell("Parameter `changes[0].baseHash` is invalid", "--base is invalid"),
    // Unread and changed files.
    shell("has not been read in this session", "would be changed without a review of the change"),
    shell(
        "Call `editd/read` on it first, then send the change again; or send `currentHash` as `baseHash` if you mean its current content",
        "Run it on a terminal to see and confirm the change; or pass --yes, or --base with the hash that `editd read` prints",
    ),
    shell(
        "Call `editd/read` on it first, then send the patch again; or send `currentHash` in `bases` if you mean its current content",
        "Run it on a terminal to see and confirm the change; or pass --yes, or --base PATH=HASH with the hash that `editd read` prints",
    ),
    shell(
        "Send `currentHash` as `baseHash` if you mean its whole current content; or read all of it in one call, if it fits",
        "Pass --yes, or --base with the hash that `editd read` prints",
    ),
    shell(
        "Send `currentHash` in `bases`",
        "Pass --yes, or --base PATH=HASH with the hash that `editd read` prints,",
    ),
    shell("has changed since it was read", "has changed in the meantime"),
    shell("was read, but no longer exists", "no longer exists"),
    shell(
        " If you have read it before: this session is a new one, for instance because the daemon was restarted, and `currentHash` tells whether the file is still what you were given.",
        "",
    ),
    shell(
        "The proposal is closed: look at `diff`, and propose the change again with `currentHash` as `baseHash`, or with `onStale: \"rebase\"`",
        "Look at the difference, then run the command again",
    ),
    shell(
        "send it again with `currentHash` as `baseHash`, or with `onStale: \"rebase\"`",
        "run it again, and if it has --base, with the current hash of the file",
    ),
    shell(
        "send it again with `currentHash` in `bases`, or with `onStale: \"rebase\"`",
        "run it again, and if it has --base, with the current hash of the file",
    ),
    shell("Look at `diff`; if", "Look at the difference; if"),
    shell(
        "Read the file again, then make the change again",
        "Look at the file, then run the command again, and if it has --base, with the current hash of the file",
    ),
    shell(
        "Read it to confirm that it is gone; a `write` then creates it again",
        "`editd write` creates it again",
    ),
    shell("; `regions` shows both sides. Or send `onConflict: \"markers\"` to write both into the file", ""),
    // Edits without a unique match.
    shell("The `oldText` of edits[0]", "The text of --old"),
    shell("the `oldText` of edits[0]", "the text of --old"),
    shell("its `newText` is: the edit", "the text of --new is: the edit"),
    shell("`newText` of edits[0]", "text of --new"),
    shell("new text of edits[0]", "new text"),
    shell("edits[0] expects", "--expect says"),
    shell("edits[0] would leave", "The edit would leave"),
    shell("compare with `closest` and send", "compare with the lines above and give"),
    shell(
        "Compare with `closest`, where each `diff` shows asked against found, and send",
        "Compare the requested lines (-) with the found lines (+), and give",
    ),
    shell("see `closest`", "see the lines above"),
    shell(
        "is meant literally, send `literal: true`",
        "is meant literally, use `editd edit --json` with `literal: true`",
    ),
    shell("send `matching: \"exact\"`", "use `editd edit --json` with `matching: \"exact\"`"),
    shell("send `replaceAll: true`", "pass --all"),
    shell(
        "Look at `occurrences`, then send `expectedReplacements`",
        "Look at the places above, then pass --expect",
    ),
    shell("send `sequential: true`", "use `editd edit --json` with `sequential: true`"),
    shell(
        "use a `write` change for a new file or entirely new content",
        "use `editd write` for a new file or entirely new content",
    ),
    shell(
        "Nothing needs to be done; if something should change, compare what you sent with the file",
        "Nothing needs to be done",
    ),
    shell("`oldText`", "--old"),
    shell("`newText`", "--new"),
    both(
        "Change a cell with a `notebook` change; or read the file with `raw: true` and copy",
        "Change a cell with `notebook_edit`; or read the file with `raw: true` and copy",
        "Change a cell with `editd edit --json` and a `notebook` change; or look at the JSON with `editd read --raw` and copy",
    ),
    both(
        "with a `notebook` change, or edit the JSON so that it remains a valid notebook; a `write` change with `literal: true` takes any text",
        "with `notebook_edit`, or edit the JSON so that it remains a valid notebook; `write` takes any text that is meant literally",
        "so that the JSON remains a valid notebook; to replace it with another text, remove the file first",
    ),
    tools(
        "Send this request with a new `requestId`; only an identical request may reuse one",
        "Call the tool again",
    ),
    // Files.
    both("`editd/find` looks", "`find` looks", "`editd find` looks"),
    both("a `write` change does that", "`write` does that", "`editd write` does that"),
    both(
        "a new file is made by a `write` change",
        "`write` makes a new file",
        "`editd write` makes a new file",
    ),
    shell("folders are made as needed by a `write` into them", "`editd list` shows what is in a folder"),
    shell("with `edit` or `write`", "with `editd edit` or `editd write`"),
    shell("an `edit` changes the file as text", "`editd edit` changes the file as text"),
    shell(", or rewrite the file with a `write` that names `encoding`", ""),
    shell(
        "; or send that name as `encoding` with the edit, if the file reads right in it; or rewrite the file with a `write` that names `encoding`",
        "; or use `editd edit --json` with that name as `encoding`, if the file reads right in it",
    ),
    both(
        "Use a path inside one of `roots`; roots are set by `workspaceFolders` in `initialize`",
        "Use a path inside one of `roots`; roots come from the client, or from `editd mcp --root DIR`",
        "Use the actual path of the file; links and patches cannot lead out of the project",
    ),
    both(
        "Start the session with the folder of the project as its root.",
        "Ask the user to start this server with the folder of the project: `editd mcp --root DIR`.",
        "Work in a folder of a project: not in your home itself, nor in folders of the system. `read_roots` in the configuration opens folders for reading.",
    ),
    shell(" cannot be a root: ", " cannot be worked in: "),
    // Proposals, reviews, history.
    both(
        "Wait for the decision with `editd/proposal` and `waitMs`; or send one proposal with both changes that `replaces` it",
        "Wait for the decision with `proposal_status`; or send one proposal with both changes that `replaces` it",
        "Decide about it first, with `editd review`",
    ),
    shell(
        "List what there is with `editd/proposals`. If it may have been applied, read the file before you propose again",
        "`editd review` lists the waiting proposals",
    ),
    shell(
        "Look at it again with `editd/proposal`, then send the current revision",
        "Look at it again with `editd review`",
    ),
    shell("Propose the change again", "Run the command again"),
    both(
        "`editd/history` lists what there is; an author can undo its own transactions only, and without an id those that lie in its roots and are neither undone nor an undo",
        "Without `transaction`, your newest change in this session is undone that is in your roots and is neither undone nor an undo; with `path`, the newest of that file. To undo an earlier change of yours, name its transaction; you cannot undo changes of others",
        "`editd log` lists the changes; --yes undoes only changes by one author: `editd`, or the one that --author names",
    ),
    shell("There is nothing that this session could undo", "There is nothing to undo"),
    shell("that this session could undo", "that could be undone"),
    shell("undo the transaction `undoneBy`", "undo that one"),
    shell("The requestId `", "The request id `"),
    shell("with a new `requestId`", "with a new request id"),
    // Advice to ask the user, where the reader is the user.
    both(
        "Send it with `review: true` and ask the user to decide with `editd review`; or ask the user to open",
        "Ask the user to open",
        "Pass --review, then decide with `editd review`; or open",
    ),
    shell(
        "that editd is attached to, to set `review = \"always\"` in `config.toml` and run `editd stop`, or to allow it by adding",
        "that editd is attached to, set `review = \"always\"` in `config.toml` and run `editd stop`, or allow it by adding",
    ),
    shell("Only the user can allow it, by adding", "You can allow it by adding"),
    shell("The user's own policy", "Your own policy"),
    shell("The user's reason", "Your reason"),
    shell("the user's policy", "your policy"),
    shell("or ask the user to do it by hand", "or do it by hand"),
    shell("Ask the user to change it by hand, or to set", "Change it by hand, or set"),
    shell("Ask the user to make", "Make"),
    shell("Ask the user to save", "Save"),
    shell("Ask the user to reload", "Reload"),
    shell("then send the change again", "then run the command again"),
    shell("Ask the user to look at `editd doctor`", "`editd doctor` shows details"),
    shell(
        "Read the file again and send the change once more; if that fails too, ask the user to close the file",
        "Run the command again; if that fails too, close the file in the editor",
    ),
    shell("Ask the user for the image", "Get the image"),
    shell("Tell the user; the same request can be sent again", "Run the command again"),
    shell(
        "Ask the user to free disk space, then send the same request again",
        "Free disk space, then run the command again",
    ),
    shell(
        "Ask the user to allow it for the file and its folder, then send the same request again",
        "Allow it for the file and its folder, then run the command again",
    ),
    shell("The user that editd runs as may not", "You may not"),
    shell("Ask the user; this connection cannot do it", "`editd doctor` shows what is in force"),
    shell("Correct the named parameter and send the request again", "Correct it and run the command again"),
    // Search.
    shell("send `literal: true` to search", "pass -F to search"),
    shell("Narrow `pattern`, `path` or `glob`", "Narrow the pattern, the path or --glob"),
    shell("raise `limit`", "raise --limit"),
    shell("Parameter `pattern` is invalid", "The pattern is invalid"),
    // Parts of a file.
    shell("`offset: ", "`--offset "),
    // Names of methods.
    both(" (`editd/history` lists it)", "", " (`editd log` lists it)"),
    both("`editd/proposals`", "`proposal_status` without `id`", "`editd review`"),
    both("`editd/proposal`", "`proposal_status`", "`editd review`"),
    both("`editd/read`", "`read`", "`editd read`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Source files with the daemon's sentences.
    const SOURCES: [&str; 10] = [
        include_str!("../workspace/refusal/words.rs"),
        include_str!("../workspace/refusal/of_cell.rs"),
        include_str!("../workspace/refusal/of_disk.rs"),
        include_str!("../workspace/refusal/of_edit.rs"),
        include_str!("../workspace/refusal/of_editor.rs"),
        include_str!("../workspace/refusal/of_patch.rs"),
        include_str!("../workspace/refusal/of_proposal.rs"),
        include_str!("../workspace/refusal/of_review.rs"),
        include_str!("../workspace/refusal/of_undo.rs"),
        include_str!("../workspace/rules/classes.rs"),
    ];

    /// Extracts the sentences of a source file, with escapes decoded.
    fn sentences(source: &str) -> Vec<String> {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n").replace("\\\"", "\u{1}");
        let literals = code.split('"').skip(1).step_by(2).map(|literal| literal.replace('\u{1}', "\""));
        literals.filter(|literal| literal.trim_end().ends_with('.')).collect()
    }

    fn has_wire_names(sentence: &str) -> bool {
        let is_camel = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.contains(|c: char| c.is_ascii_uppercase())
        };
        sentence.contains("editd/") || sentence.split(|c: char| !c.is_alphanumeric()).any(is_camel)
    }

    #[test]
    fn the_command_line_gets_no_names_of_the_protocol() {
        let all: Vec<_> = SOURCES.into_iter().flat_map(sentences).collect();
        assert!(all.len() > 80 && all.iter().any(|it| has_wire_names(it)), "{}", all.len());
        let wrong: Vec<_> =
            all.iter().map(|it| Audience::CommandLine.say(it)).filter(|it| has_wire_names(it)).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        let asked: Vec<_> =
            all.iter().map(|it| Audience::CommandLine.say(it)).filter(|it| it.contains("he user")).collect();
        assert!(asked.is_empty(), "the reader is the user: {asked:#?}");
    }

    #[test]
    fn tools_get_no_names_of_methods() {
        let all = SOURCES.into_iter().flat_map(sentences).map(|it| Audience::Tools.say(&it));
        let wrong: Vec<_> = all.filter(|it| it.contains("editd/")).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn every_replacement_applies_to_a_sentence() {
        let sentences: String = SOURCES.concat().replace("\\\"", "\"")
            + include_str!("decode.rs")
            + include_str!("../server/handlers/search.rs")
            + include_str!("../search/query.rs");
        // Assembled from parts there, or not part of refusals.
        let assembled =
            ["edits[0]", "changes[0].", "Parameter `pattern`", "`newText`", "`oldText`", "`offset: "];
        for Replacement { wire, .. } in REPLACEMENTS {
            assert!(
                sentences.contains(wire) || assembled.iter().any(|part| wire.contains(part)),
                "no sentence contains {wire:?}"
            );
        }
    }
}
