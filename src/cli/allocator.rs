use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// How many pools glibc's allocator may keep, and where that is set. By itself it makes up to eight for each
/// processor and gives little of them back: what is read on one thread and let go of on another stays
/// resident many times over, and the limit on memory would be one in name only.
///
/// Its other settings are left alone. Giving large buffers back at once saves a few megabytes more, but
/// costs a third of the time of an edit of 1 MB.
const POOLS: (&str, &str) = ("MALLOC_ARENA_MAX", "4");

/// Starts this process anew with that setting, unless there is one: the allocator reads it from the
/// environment once, before anything of the program runs. Where that is not possible all goes on without; it
/// is only about memory.
pub(super) fn settle() {
    let is_set = env::var_os(POOLS.0).is_some();
    let (false, true, Ok(program)) = (is_set, cfg!(target_env = "gnu"), env::current_exe()) else { return };
    let mut arguments = env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // Returns only where it fails.
    let _ = command.args(arguments).env(POOLS.0, POOLS.1).exec();
}
