//! What fuzzing started from and what it found, replayed. `scripts/fuzz` looks for more.

use std::fs;
use std::path::Path;

/// A test for each target, named as its file in `fuzz/bodies` and its folder in `fuzz/corpus`.
macro_rules! targets {
    ($($target:ident: $path:literal;)*) => {
        $(
            #[path = $path]
            #[expect(unreachable_pub, reason = "it is called from another crate too")]
            mod $target;
        )*

        mod replayed {
            $(
                #[test]
                fn $target() {
                    super::replay(stringify!($target), super::$target::run);
                }
            )*
        }
    };
}

targets! {
    anchors: "../../fuzz/bodies/anchors.rs";
    matching: "../../fuzz/bodies/matching.rs";
    notebooks: "../../fuzz/bodies/notebooks.rs";
    patches: "../../fuzz/bodies/patches.rs";
    symbols: "../../fuzz/bodies/symbols.rs";
}

fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has inputs", folder.display());
    for path in paths {
        let input = fs::read(&path).expect("an input");
        let name = path.display();
        assert!(std::panic::catch_unwind(|| run(&input)).is_ok(), "{name} fails; the reason stands above");
    }
}
