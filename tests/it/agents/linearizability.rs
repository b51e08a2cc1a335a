//! A linearizability checker for histories of operations with the times of their requests and responses. It
//! uses the algorithm of Wing and Gong with Lowe's memoization.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// The effect of an operation on one file. Contents are represented by names of complete texts.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) file: usize,
    pub(crate) before: String,
    /// `None` if the operation only read the file.
    pub(crate) after: Option<String>,
}

/// A request with its response. All its steps are supposed to happen at one moment between the two.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// Time in nanoseconds, from one clock for all clients.
    pub(crate) invoked: u128,
    pub(crate) returned: u128,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A valid order exists.
    Linearizable,
    /// No valid order exists. Contains a description of the longest attempt.
    Impossible(String),
    /// The search exceeded its budget.
    Undecided,
}

/// Number of ordered operations of each client.
type Progress = Vec<usize>;
/// Current content of each file.
type Contents = Vec<usize>;

struct Search<'a> {
    clients: &'a [Vec<Operation>],
    names: HashMap<&'a str, usize>,
    tried: HashSet<(Progress, Contents)>,
    farthest: (usize, Progress, Contents),
}

/// Searches for a valid order of all operations over all files. `clients` contains the sequential operations
/// of each client; `budget` limits the number of attempts.
pub(crate) fn judge(clients: &[Vec<Operation>], initial: &[String], budget: usize) -> Verdict {
    let mut search =
        Search { clients, names: HashMap::new(), tried: HashSet::new(), farthest: (0, vec![], vec![]) };
    for (client, operations) in clients.iter().enumerate() {
        let in_order = operations.windows(2).all(|pair| pair[0].returned <= pair[1].invoked);
        assert!(in_order, "the operations of client {client} overlap");
    }
    let contents = initial.iter().map(|name| search.name(name)).collect();
    for step in clients.iter().flatten().flat_map(|operation| &operation.steps) {
        search.name(&step.before);
        step.after.as_deref().map(|after| search.name(after));
    }
    search.run((vec![0; clients.len()], contents), budget)
}

impl<'a> Search<'a> {
    fn name(&mut self, name: &'a str) -> usize {
        let next = self.names.len();
        *self.names.entry(name).or_insert(next)
    }

    fn run(&mut self, start: (Progress, Contents), budget: usize) -> Verdict {
        let mut open = vec![start];
        while let Some((mut progress, contents)) = open.pop() {
            self.take_reads(&mut progress, &contents);
            let done: usize = progress.iter().sum();
            if done >= self.farthest.0 {
                self.farthest = (done, progress.clone(), contents.clone());
            }
            if done == self.clients.iter().map(Vec::len).sum::<usize>() {
                return Verdict::Linearizable;
            }
            if !self.tried.insert((progress.clone(), contents.clone())) {
                continue;
            }
            if self.tried.len() > budget {
                return Verdict::Undecided;
            }
            for client in self.possible(&progress, &contents) {
                let (mut progress, mut contents) = (progress.clone(), contents.clone());
                for step in &self.clients[client][progress[client]].steps {
                    if let Some(after) = &step.after {
                        contents[step.file] = self.names[after.as_str()];
                    }
                }
                progress[client] += 1;
                open.push((progress, contents));
            }
        }
        Verdict::Impossible(self.explain())
    }

    /// Takes reads as soon as they are possible, which never prevents another operation.
    fn take_reads(&self, progress: &mut Progress, contents: &Contents) {
        loop {
            let reads = self.possible(progress, contents).into_iter().filter(|&client| {
                self.clients[client][progress[client]].steps.iter().all(|step| step.after.is_none())
            });
            let reads: Vec<usize> = reads.collect();
            if reads.is_empty() {
                return;
            }
            for client in reads {
                progress[client] += 1;
            }
        }
    }

    /// Returns the clients whose next operation may come next: the operation began before any remaining one
    /// ended, and the files have the contents that it found.
    fn possible(&self, progress: &Progress, contents: &Contents) -> Vec<usize> {
        let next = |client: usize| self.clients[client].get(progress[client]);
        let all = 0..self.clients.len();
        let horizon = all.clone().filter_map(|client| Some(next(client)?.returned)).min();
        let is_possible = |operation: &Operation| {
            Some(operation.invoked) <= horizon
                && operation.steps.iter().all(|step| contents[step.file] == self.names[step.before.as_str()])
        };
        all.filter(|&client| next(client).is_some_and(is_possible)).collect()
    }

    fn explain(&self) -> String {
        let (done, progress, contents) = &self.farthest;
        let names: HashMap<usize, &str> = self.names.iter().map(|(name, id)| (*id, *name)).collect();
        let holds: Vec<&str> = contents.iter().map(|id| names[id]).collect();
        let mut text = format!("after {done} operations the files hold {holds:?}, and next would come\n");
        for (client, operations) in self.clients.iter().enumerate() {
            writeln!(text, "  client {client}: {:?}", operations.get(progress[client])).expect("a string");
        }
        text
    }
}

mod tests {
    use super::{Operation, Step, Verdict, judge};

    fn read(invoked: u128, returned: u128, file: usize, found: &str) -> Operation {
        let steps = vec![Step { file, before: found.to_owned(), after: None }];
        Operation { invoked, returned, steps }
    }

    fn change(invoked: u128, returned: u128, steps: &[(usize, &str, &str)]) -> Operation {
        let step = |&(file, before, after): &(usize, &str, &str)| Step {
            file,
            before: before.to_owned(),
            after: Some(after.to_owned()),
        };
        Operation { invoked, returned, steps: steps.iter().map(step).collect() }
    }

    fn judged(clients: &[Vec<Operation>]) -> Verdict {
        judge(clients, &["a0".to_owned(), "b0".to_owned()], 1_000)
    }

    #[test]
    fn linearizable_histories_are_accepted() {
        let set = change(10, 50, &[(0, "a0", "a1"), (1, "b0", "b1")]);
        for clients in [
            vec![],
            vec![vec![read(0, 1, 0, "a0")]],
            // During a change, a reader may see the old or the new content, but never the old after the new.
            vec![
                vec![set.clone()],
                vec![read(11, 12, 0, "a0"), read(13, 14, 0, "a1"), read(15, 16, 1, "b1")],
            ],
            vec![
                vec![set.clone()],
                vec![read(11, 12, 0, "a0"), read(13, 14, 1, "b1"), read(15, 16, 0, "a1")],
            ],
            // Two concurrent changes, in the order of their responses or in reverse.
            vec![vec![set.clone()], vec![change(5, 60, &[(0, "a1", "a2")])]],
            vec![vec![set], vec![change(5, 20, &[(1, "b1", "b2")])], vec![read(30, 40, 1, "b2")]],
        ] {
            assert_eq!(judged(&clients), Verdict::Linearizable, "{clients:?}");
        }
    }

    #[test]
    fn other_histories_are_rejected() {
        let set = change(10, 50, &[(0, "a0", "a1"), (1, "b0", "b1")]);
        for (what, clients) in [
            ("a read of content that never existed", vec![vec![read(0, 1, 0, "a9")]]),
            (
                "an update is lost",
                vec![vec![change(0, 10, &[(0, "a0", "a1")])], vec![change(0, 10, &[(0, "a0", "a2")])]],
            ),
            (
                "a read of the past",
                vec![vec![change(0, 10, &[(0, "a0", "a1")])], vec![read(20, 30, 0, "a0")]],
            ),
            (
                "a read of the future",
                vec![vec![read(0, 10, 0, "a1")], vec![change(20, 30, &[(0, "a0", "a1")])]],
            ),
            (
                "old content after new content",
                vec![vec![set.clone()], vec![read(11, 12, 0, "a1"), read(13, 14, 0, "a0")]],
            ),
            ("a partial change", vec![vec![set.clone()], vec![read(11, 12, 0, "a1"), read(13, 14, 1, "b0")]]),
            (
                "a partial change, changed further",
                vec![vec![set.clone()], vec![change(11, 12, &[(0, "a1", "a2")]), read(13, 14, 1, "b0")]],
            ),
            (
                "a multi-file change that was not atomic",
                vec![vec![set], vec![change(20, 30, &[(0, "a1", "a2")]), change(31, 40, &[(1, "b0", "b2")])]],
            ),
        ] {
            assert!(matches!(judged(&clients), Verdict::Impossible(_)), "{what}");
        }
    }

    #[test]
    fn an_aborted_search_is_undecided() {
        let independent: Vec<Vec<Operation>> = (0..2)
            .map(|file| {
                let name = |number| format!("{}{number}", ["a", "b"][file]);
                (0..5).map(|at| change(at, at, &[(file, &name(at), &name(at + 1))])).collect()
            })
            .collect();
        assert_eq!(judge(&independent, &["a0".to_owned(), "b0".to_owned()], 3), Verdict::Undecided);
        assert_eq!(judged(&independent), Verdict::Linearizable);
    }
}
