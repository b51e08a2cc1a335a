//! Files that cannot be read as text.

use rstest::rstest;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn an_absent_file_is_missing() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let data = agent.try_read("b.txt").refused("missing");
    assert!(data["path"].as_str().is_some_and(|path| path.ends_with("b.txt")), "{data}");
    agent.try_read("no/such/folder/b.txt").refused("missing");
    agent.try_read("a.txt/b.txt").refused_as_any(&["missing", "not_a_file"]);
}

#[test]
fn a_folder_is_not_a_file() {
    let (machine, workspace) = (Machine::start(), Workspace::file("sub/a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    for path in ["sub", "sub/", ".", "sub/a.txt/"] {
        agent.try_read(path).refused("not_a_file");
    }
}

#[test]
fn a_pipe_is_not_a_file_and_does_not_block() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    mknodat(CWD, workspace.path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let mut agent = machine.agent(&workspace);
    agent.try_read("pipe").refused("not_a_file");
    agent.read("a.txt");
}

#[test]
fn a_socket_is_not_a_file() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let _listener = std::os::unix::net::UnixListener::bind(workspace.path("socket")).expect("a socket");
    machine.agent(&workspace).try_read("socket").refused("not_a_file");
}

#[rstest]
#[case::zero_bytes(b"abc\0def\n".to_vec())]
#[case::an_executable(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0".to_vec())]
#[case::a_zero_after_a_while((0..20_000).map(|at| if at == 7_000 { 0 } else { b'a' }).collect())]
fn a_file_that_is_not_text_is_binary(#[case] bytes: Vec<u8>) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.bin", &bytes));
    let mut agent = machine.agent(&workspace);
    agent.try_read("a.bin").refused("binary");
    agent.edit("a.bin", "a", "b").refused("binary");
    assert_eq!(workspace.bytes("a.bin"), bytes);
}

#[test]
fn only_a_file_above_the_limit_is_too_large_to_edit() {
    let machine = Machine::configured("[limits]\nfile_size = 1000\n");
    let workspace = Workspace::with(&[("at.txt", "x".repeat(1000)), ("above.txt", "x".repeat(1001))]);
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("at.txt", "x".repeat(1000).as_str(), "y").done();
    let data = agent.read_and_edit("above.txt", "x", "y").refused("too_large");
    assert_eq!((data["limit"].as_u64(), data["size"].as_u64()), (Some(1000), Some(1001)), "{data}");
}

#[test]
fn a_text_of_several_megabytes_can_be_read_and_edited() {
    let text = "some words that are in a line\n".repeat(100_000) + "the last\n";
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", &text));
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.read("a.txt")["totalLines"], 100_001);
    agent.edit("a.txt", "the last", "the very last").done();
    assert!(workspace.text("a.txt").ends_with("line\nthe very last\n"));
}
