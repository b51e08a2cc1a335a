use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Environment variable that limits the arenas of glibc's allocator, and its value. By default glibc creates
/// up to eight arenas per processor and returns little of their memory to the system. Memory that one thread
/// allocates and another frees then stays resident many times over, which defeats editd's memory limit.
///
/// Other allocator settings keep their defaults. Returning large buffers immediately saves a few more
/// megabytes, but costs a third of the time of an edit of 1 MB.
const ARENAS: (&str, &str) = ("MALLOC_ARENA_MAX", "4");

/// Re-executes this process with the limit, unless the variable is already set. The allocator reads the
/// variable once, before the program runs. If re-executing fails, the process continues without the limit,
/// which costs memory and nothing else.
pub(super) fn limit_arenas() {
    let is_set = env::var_os(ARENAS.0).is_some();
    let (false, true, Ok(program)) = (is_set, cfg!(target_env = "gnu"), env::current_exe()) else { return };
    let mut arguments = env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // `exec` returns only if it fails.
    let _ = command.args(arguments).env(ARENAS.0, ARENAS.1).exec();
}
