//! Facts about this process and the kernel, mostly from `/proc`, and calls for sockets and random numbers.

use rustix::io::Errno;
use rustix::net::sockopt::{set_tcp_user_timeout, socket_acceptconn};
use rustix::rand::{GetRandomFlags, getrandom};
use std::fs::read_to_string;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

/// Returns the umask of this process. There is no system call that reads it without also setting it.
pub(super) fn umask() -> u32 {
    /// Default umask of nearly every system.
    const USUAL: u32 = 0o022;
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let digits = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    digits.and_then(|digits| u32::from_str_radix(digits.trim(), 8).ok()).unwrap_or(USUAL)
}

/// Returns `true` if this process is the leader of its session.
pub fn leads_session() -> bool {
    let stat = read_to_string("/proc/self/stat").unwrap_or_default();
    session(&stat).is_some_and(|session| session == std::process::id())
}

/// Parses the session of a process. `getsid` is not used, because a session outside the process's namespace
/// has the number 0, which rustix treats as impossible.
fn session(stat: &str) -> Option<u32> {
    // The program name in parentheses may contain any characters. State, parent and group precede the
    // session.
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(3)?.parse().ok()
}

/// Returns the resident memory of this process in bytes, if the system reports it.
pub fn resident_bytes() -> Option<u64> {
    let pages: u64 = read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Returns the maximum number of folders that a user can watch, if there is one.
pub fn watch_limit() -> Option<u64> {
    read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?.trim().parse().ok()
}

/// Returns `true` if another process has other file systems than this one, as in a container; `None` if that cannot
/// be known.
pub fn has_other_files(process: i32) -> Option<bool> {
    let namespace = |process: &str| std::fs::read_link(format!("/proc/{process}/ns/mnt")).ok();
    Some(namespace(&process.to_string())? != namespace("self")?)
}

/// Returns `true` if another process can gain no privileges, nor can anything that it starts: the kernel lets it never
/// leave this state. `None` if that cannot be known.
pub fn has_no_new_privileges(process: i32) -> Option<bool> {
    let status = read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("NoNewPrivs:"))?.trim() == "1")
}

/// Returns `true` if the process that has connected a socket can gain no privileges, nor can anything that it starts.
/// `None` if that cannot be known, because it has ended for instance: then another process can have its number.
pub fn peer_has_no_new_privileges(socket: impl AsFd, process: i32) -> Option<bool> {
    match socket_peer_pidfd(socket) {
        Ok(peer) => {
            let is_it = || number_of(&peer) == Some(process);
            has_no_new_privileges(process).filter(|_| is_it())
        }
        // Before Linux 6.5, only the number of the process is known.
        Err(Errno::NOPROTOOPT) => has_no_new_privileges(process),
        Err(_) => None,
    }
}

/// Returns the number of a process by its descriptor, or `None` if it has ended.
fn number_of(process: &OwnedFd) -> Option<i32> {
    let info = read_to_string(format!("/proc/self/fdinfo/{}", process.as_raw_fd())).ok()?;
    let number = info.lines().find_map(|line| line.strip_prefix("Pid:"))?.trim().parse().ok()?;
    Some(number).filter(|number| *number > 0)
}

#[expect(unsafe_code, reason = "rustix has no `SO_PEERPIDFD`")]
fn socket_peer_pidfd(socket: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let mut peer: libc::c_int = -1;
    let mut length = libc::socklen_t::try_from(size_of::<libc::c_int>()).map_err(|_| Errno::INVAL)?;
    // SAFETY: `peer` and `length` are valid for the call, which writes at most `length` bytes.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERPIDFD,
            (&raw mut peer).cast(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL));
    }
    // SAFETY: the kernel has just created this descriptor for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(peer) })
}

/// Returns the id of this run of the system.
pub fn boot_id() -> Option<String> {
    Some(read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned())
}

/// Returns `true` if a socket accepts connections.
pub fn is_listening(socket: impl AsFd) -> bool {
    socket_acceptconn(socket).unwrap_or(false)
}

/// Ends a TCP connection whose peer acknowledges nothing for this long.
pub fn limit_unread(socket: impl AsFd, milliseconds: u32) {
    // Without it, the connection works, too.
    let _ = set_tcp_user_timeout(socket, milliseconds);
}

/// Fills a buffer with random bytes that cannot be guessed.
pub fn fill_randomly(mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let filled = getrandom(&mut *bytes, GetRandomFlags::empty())?;
        bytes = &mut bytes[filled..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_parsed_for_any_program_name() {
        assert_eq!(session("12 (editd) S 1 12 7 0 -1 4194560"), Some(7));
        assert_eq!(session("12 (a) b (c)) R 1 12 0 0 -1"), Some(0));
        assert_eq!(session(""), None);
        assert_eq!(session("12 (editd) S 1"), None);
    }

    /// The number of a process that has ended can be that of another one.
    #[test]
    fn the_peer_of_a_socket_is_not_taken_for_a_process_with_another_number() {
        let (socket, _other_end) = std::os::unix::net::UnixStream::pair().expect("sockets");
        let own = i32::try_from(std::process::id()).expect("a number");
        let parent = rustix::process::getppid().expect("a parent").as_raw_nonzero().get();
        assert_eq!(peer_has_no_new_privileges(&socket, own), has_no_new_privileges(own));
        assert_eq!(has_no_new_privileges(parent).map(|_| ()), Some(()));
        assert_eq!(peer_has_no_new_privileges(&socket, parent), None);
    }

    #[test]
    fn this_process_is_in_a_session() {
        let stat = read_to_string("/proc/self/stat").expect("/proc is mounted");
        assert!(session(&stat).is_some(), "{stat}");
    }
}
