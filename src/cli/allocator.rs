use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// How glibc's allocator is to work for the daemon. By itself it keeps a pool for each of many threads, and
/// what large buffers it has seen it keeps for more of them: after some edits of large files more than twice
/// the memory of the texts stays resident. With few pools, and large buffers given back at once, it does not,
/// and no figure of the benches is worse for it.
const SETTINGS: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "4"), ("MALLOC_MMAP_THRESHOLD_", "524288"), ("MALLOC_TRIM_THRESHOLD_", "1048576")];

/// Starts this process anew with the allocator's settings, unless some are set already: it reads them from
/// the environment once, before anything of the program runs. Where that is not possible, all goes on
/// without them; they are only about memory.
pub(super) fn settle() {
    let is_set = SETTINGS.iter().any(|(name, _)| env::var_os(name).is_some());
    let (false, true, Ok(program)) = (is_set, cfg!(target_env = "gnu"), env::current_exe()) else { return };
    let mut arguments = env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // Returns only where it fails.
    let _ = command.args(arguments).envs(SETTINGS).exec();
}
