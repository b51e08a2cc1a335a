//! Renames of a symbol with its uses.

use serde_json::json;

use crate::client::outcome;
use crate::corpus::{KB, code};
use crate::machine::{Machine, settle};
use crate::table::{Samples, millis, row, title, verdict};

/// Size of the file with the symbol.
const SIZE: usize = 100 * KB;
/// Number of uses, in a function at the start of the file, which a read returns.
const USES: usize = 40;
/// Number of other files, which are searched for the name, and their size.
const OTHERS: usize = 200;
const OTHER_SIZE: usize = 10 * KB;
const ROUNDS: usize = 40;
const WARM_UP: usize = 3;

/// Measures renames in one file, in a project with other files.
pub(crate) fn in_one_file() {
    title(&format!("a symbol with {USES} uses in a file of 100 KB, {OTHERS} other files of 10 KB"));
    let machine = Machine::start();
    let other = code(OTHER_SIZE);
    for number in 0..OTHERS {
        machine.put(&format!("other_{number}.rs"), &other);
    }
    let name = |round: usize| format!("MEASURED_{}", 100 + round);
    let uses = format!("    sum += {};\n", name(0)).repeat(USES);
    let text = format!(
        "const {}: u32 = 1;\n\nfn measured() -> u32 {{\n    let mut sum = 0;\n{uses}    sum\n}}\n\n{}",
        name(0),
        code(SIZE)
    );
    let path = machine.put("mine.rs", &text);
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": path }));
    let mut samples = Samples::default();
    for round in 0..ROUNDS + WARM_UP {
        if round == WARM_UP {
            samples = Samples::default();
        }
        let edits = json!([{ "symbol": name(round), "op": "rename", "newText": name(round + 1) }]);
        let request = client.request("editd/edit", &json!({ "path": "mine.rs", "edits": edits }));
        let answer = samples.time(|| client.exchange(&request));
        let done = outcome(&answer).expect("a rename");
        assert!(done.to_string().contains(&format!("in {} places", USES + 1)), "{done}");
        settle(SIZE);
    }
    row("editd", &samples);
    verdict("rename, 100 KB", millis(samples.median()), " ms", 15.0, true);
}
