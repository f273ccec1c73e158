//! The tree of column sets that hit every edge, minimally.
//!
//! # Method
//! A node is a set and the columns that may still join it. Some edge that it does not hit is
//! chosen; each of its columns makes a child, and a column that was tried may join below those
//! tried later, so every set is met once (the MMCS search of Murakami and Uno). A child is left out
//! when one of the set's columns would no longer be the only one to hit some edge: then nothing
//! below is minimal. The edge chosen is the one with the fewest such children, so that an edge that
//! cannot be hit any more ends the search below a node at once, in whatever order threads learned. A child that hits all edges is judged. If it falls short there are new edges,
//! and the search goes on below it. Where a key was looked for, judging looks at all pairs of rows
//! that a few columns leave together, the *block*; a set with these columns that hits all edges is
//! a key without a further look.
//!
//! # Why it is complete
//! A column that is not needed for the edges known now may be needed for an edge that comes later,
//! so a pass during which edges came may have left something out. The search therefore goes over
//! the tree until a pass brings no new edge. During that pass the edges were fixed, every minimal
//! set that hits them all was met, and each was judged to reach the target. A set that reaches the
//! target hits every edge, so it contains one of them: they are all there is. Passes are cheap: a
//! set is judged once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

use hashbrown::HashSet;
use muslin_engine::Run;
use rayon::Scope;

use super::classes::Scratch;
use super::count::Together;
use super::judge::{Judge, Known, Verdict};
use crate::mask::Mask;
use crate::{Error, Result};

/// Nodes this deep are near the root: where threads work on different sets, only those are shared
/// out.
const SHARED_DEPTH: usize = 5;

/// In which order threads take nodes and how soon they see what others learned. The operating system
/// decides about both; here they can be set, so that a test meets the unlucky cases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// Whether a thread begins with the first children, those that may be joined by fewest columns, as
    /// one does that takes over what another left.
    pub(super) first_children_first: bool,
    /// Nodes after which a thread looks for new edges.
    pub(super) sees_edges_after: usize,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { first_children_first: false, sees_edges_after: 1 }
    }
}

/// What is known so far, shared by all threads.
pub(super) struct Search<'a, const W: usize> {
    judge: &'a Judge<'a, W>,
    run: &'a Run,
    shared_depth: usize,
    schedule: Schedule,
    edges: RwLock<Vec<Mask<W>>>,
    edge_count: AtomicUsize,
    /// Column sets of which every pair of rows that they leave together was looked at.
    blocks: RwLock<Vec<Mask<W>>>,
    found: RwLock<Found<W>>,
    found_count: AtomicUsize,
    judged: AtomicUsize,
    nodes: AtomicUsize,
    /// More nodes than this end a pass.
    most_nodes: AtomicUsize,
    /// Something larger than was looked for may exist.
    cut: AtomicBool,
    failed: Mutex<Option<Error>>,
    has_failed: AtomicBool,
    workers: Mutex<Vec<Worker<W>>>,
}

/// The sets that reach the target.
#[derive(Default)]
struct Found<const W: usize> {
    /// In the order in which they were found.
    sets: Vec<(Mask<W>, Together)>,
    are_known: HashSet<Mask<W>, foldhash::fast::FixedState>,
}

/// The sets of some nodes above a node, the highest first.
type Above<const W: usize> = [Mask<W>; 4];

/// What one thread needs at a node.
struct Worker<const W: usize> {
    edges: Vec<Mask<W>>,
    found: Vec<Mask<W>>,
    /// Edges that the set looked at last does not hit.
    open: Vec<Mask<W>>,
    /// Nodes that this worker looked at.
    looks: usize,
    /// For each column of the set, what is in all edges that only it hits.
    only: Vec<Mask<W>>,
    scratch: Scratch,
}

/// A node: a set, and the columns that may join it.
#[derive(Clone, Copy)]
struct Node<const W: usize> {
    set: Mask<W>,
    above: Above<W>,
    free: Mask<W>,
    size: usize,
}

impl<'a, const W: usize> Search<'a, W> {
    pub(super) fn new(judge: &'a Judge<'a, W>, schedule: Schedule, run: &'a Run) -> Self {
        Self {
            judge,
            run,
            // Threads that judge different sets at a time would look at the same pairs of rows.
            shared_depth: if judge.is_parallel() { 0 } else { SHARED_DEPTH },
            schedule,
            edges: RwLock::default(),
            edge_count: AtomicUsize::new(0),
            blocks: RwLock::default(),
            found: RwLock::default(),
            found_count: AtomicUsize::new(0),
            judged: AtomicUsize::new(0),
            nodes: AtomicUsize::new(0),
            most_nodes: AtomicUsize::new(usize::MAX),
            cut: AtomicBool::new(false),
            failed: Mutex::new(None),
            has_failed: AtomicBool::new(false),
            workers: Mutex::default(),
        }
    }

    /// Finds every minimal set of at most `most` columns that reaches the target. Returns whether
    /// larger ones may exist; nothing when a pass was given up after `most_nodes` nodes.
    pub(super) fn find(&self, most: usize, most_nodes: usize) -> Result<Option<bool>> {
        self.most_nodes.store(most_nodes, Ordering::Relaxed);
        if self.edge_count.load(Ordering::Relaxed) == 0 {
            // The first edges, before any pass: a small table gives all of them at once.
            self.judge(Mask::EMPTY, [Mask::EMPTY; 4], &mut self.worker());
        }
        loop {
            let before = self.edge_count.load(Ordering::Relaxed);
            self.cut.store(false, Ordering::Relaxed);
            self.nodes.store(0, Ordering::Relaxed);
            let free = Mask::first(self.judge.columns());
            let root = Node { set: Mask::EMPTY, above: [Mask::EMPTY; 4], free, size: 0 };
            self.run.install(|| rayon::scope(|scope| self.take(root, most, scope)));
            if let Some(error) = self.failed.lock().expect("nobody panics while holding it").take()
            {
                return Err(error);
            }
            if self.nodes() > most_nodes {
                self.drop_wide_edges();
                return Ok(None);
            }
            if self.edge_count.load(Ordering::Relaxed) == before {
                return Ok(Some(self.cut.load(Ordering::Relaxed)));
            }
            self.drop_wide_edges();
        }
    }

    /// Nodes of the last pass.
    fn nodes(&self) -> usize {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Sets that were judged.
    pub(super) fn judged(&self) -> usize {
        self.judged.load(Ordering::Relaxed)
    }

    /// Edges that are known.
    pub(super) fn edges(&self) -> usize {
        self.edges.read().expect("nobody panics while holding it").len()
    }

    /// What was found so far, in any order.
    pub(super) fn found(&self) -> Vec<(Mask<W>, Together)> {
        self.found.read().expect("nobody panics while holding it").sets.clone()
    }

    /// Whether an edge without a column is known: nothing reaches the target.
    pub(super) fn is_hopeless(&self) -> bool {
        let edges = self.edges.read().expect("nobody panics while holding it");
        edges.iter().any(Mask::is_empty)
    }

    /// Leaves out edges that contain another: who hits that one hits them.
    fn drop_wide_edges(&self) {
        let mut edges = self.edges.write().expect("nobody panics while holding it");
        edges.sort_unstable_by(Mask::order);
        let mut kept: Vec<Mask<W>> = Vec::new();
        for edge in edges.drain(..) {
            if !kept.iter().any(|smaller| smaller.is_within(edge)) {
                kept.push(edge);
            }
        }
        *edges = kept;
        self.edge_count.store(edges.len(), Ordering::Relaxed);
        self.workers.lock().expect("nobody panics while holding it").clear();
    }

    /// Works on a node with a worker that is free.
    fn take<'s>(&'s self, node: Node<W>, most: usize, scope: &Scope<'s>) {
        let idle = self.workers.lock().expect("nobody panics while holding it").pop();
        let mut worker = idle.unwrap_or_else(|| self.worker());
        // A node is taken with all that was known where it was made.
        self.learn(&mut worker);
        self.node(node, most, &mut worker, scope);
        self.workers.lock().expect("nobody panics while holding it").push(worker);
    }

    fn worker(&self) -> Worker<W> {
        Worker {
            edges: Vec::new(),
            found: Vec::new(),
            open: Vec::new(),
            looks: 0,
            only: vec![Mask::EMPTY; self.judge.columns()],
            scratch: Scratch::default(),
        }
    }

    fn is_over(&self) -> bool {
        if self.has_failed.load(Ordering::Relaxed) {
            return true;
        }
        match self.run.check() {
            Ok(()) => false,
            Err(error) => {
                self.fail(error.into());
                true
            }
        }
    }

    fn fail(&self, error: Error) {
        self.has_failed.store(true, Ordering::Relaxed);
        self.failed.lock().expect("nobody panics while holding it").get_or_insert(error);
    }

    /// Brings the worker's edges up to date.
    fn learn(&self, worker: &mut Worker<W>) {
        if self.edge_count.load(Ordering::Relaxed) != worker.edges.len() {
            let edges = self.edges.read().expect("nobody panics while holding it");
            worker.edges.extend_from_slice(&edges[worker.edges.len()..]);
        }
    }

    /// Brings the worker's sets up to date.
    fn learn_found(&self, worker: &mut Worker<W>) {
        if self.found_count.load(Ordering::Relaxed) != worker.found.len() {
            let found = self.found.read().expect("nobody panics while holding it");
            let new = &found.sets[worker.found.len()..];
            worker.found.extend(new.iter().map(|(set, _)| *set));
        }
    }

    fn teach(&self, new: &[Mask<W>]) {
        let mut edges = self.edges.write().expect("nobody panics while holding it");
        // Another thread may have learned the same from another set.
        let known = edges.len();
        for &edge in new {
            if !edges.iter().any(|smaller| smaller.is_within(edge)) {
                edges.push(edge);
            }
        }
        if edges.len() > known {
            self.edge_count.store(edges.len(), Ordering::Relaxed);
        }
    }

    /// Judges a set that hits every edge known. Returns whether it reaches the target.
    fn judge(&self, set: Mask<W>, above: Above<W>, worker: &mut Worker<W>) -> bool {
        let is_known = |found: &Found<W>| found.are_known.contains(&set);
        if is_known(&self.found.read().expect("nobody panics while holding it")) {
            return true;
        }
        if self.judge.has_blocks() && self.is_in_block(set) {
            // The block's edges were taught before it was known.
            self.learn(worker);
            if worker.edges.iter().all(|edge| !(*edge & set).is_empty()) {
                self.keep(set, self.judge.all_alone());
                return true;
            }
            return false;
        }
        self.judged.fetch_add(1, Ordering::Relaxed);
        self.learn_found(worker);
        let Worker { edges, found, scratch, .. } = worker;
        match self.judge.judge(set, &above, Known { edges, found }, scratch) {
            Ok(Verdict { reaches, edges, block }) => {
                self.teach(&edges);
                if let Some(block) = block {
                    self.blocks.write().expect("nobody panics while holding it").push(block);
                }
                self.learn(worker);
                reaches.is_some_and(|together| {
                    self.keep(set, together);
                    true
                })
            }
            Err(error) => {
                self.fail(error);
                true
            }
        }
    }

    /// Whether all pairs of rows that part of a set leaves together were looked at.
    fn is_in_block(&self, set: Mask<W>) -> bool {
        let blocks = self.blocks.read().expect("nobody panics while holding it");
        blocks.iter().any(|block| block.is_within(set))
    }

    /// Keeps a set that reaches the target.
    fn keep(&self, set: Mask<W>, together: Together) {
        let mut found = self.found.write().expect("nobody panics while holding it");
        if found.are_known.insert(set) {
            found.sets.push((set, together));
        }
        let count = found.sets.len();
        self.found_count.store(count, Ordering::Relaxed);
        drop(found);
        self.run.reporter().advance(1);
        let bytes = count * (size_of::<Mask<W>>() * 3 + size_of::<Together>()) * 2;
        if let Err(error) = self.run.check_memory(bytes as u64) {
            self.fail(error.into());
        }
    }

    fn node<'s>(&'s self, node: Node<W>, most: usize, worker: &mut Worker<W>, scope: &Scope<'s>) {
        let nodes = self.nodes.fetch_add(1, Ordering::Relaxed);
        if nodes >= self.most_nodes.load(Ordering::Relaxed) || self.is_over() {
            return;
        }
        let Node { set, above, free, size } = node;
        worker.looks += 1;
        if worker.looks.is_multiple_of(self.schedule.sees_edges_after) {
            self.learn(worker);
        }
        let branch = loop {
            match worker.look(set, free) {
                Look::NotMinimal | Look::DeadEnd => return,
                Look::Branch(branch) => break branch,
                Look::HitsAll => {
                    if self.judge(set, above, worker) {
                        return;
                    }
                }
            }
        };
        if size >= most {
            self.cut.store(true, Ordering::Relaxed);
            return;
        }
        let known = worker.edges.len();
        let rest = free.without(branch.edge);
        let here = [above[1], above[2], above[3], set];
        let mut done = Mask::EMPTY;
        let mut children = Vec::new();
        for column in branch.children.iter() {
            let one = Mask::one(column);
            let child = Node { set: set | one, above: here, free: rest | done, size: size + 1 };
            done |= one;
            if self.schedule.sees_edges_after == 1 {
                self.learn(worker);
            }
            let hits = |edge: &Mask<W>| !(*edge & child.set).is_empty();
            let completes =
                !(branch.completing & one).is_empty() && worker.edges[known..].iter().all(hits);
            if completes && self.judge(child.set, child.above, worker) {
                continue;
            }
            if child.size >= most {
                self.cut.store(true, Ordering::Relaxed);
            } else {
                children.push(child);
            }
        }
        if size < self.shared_depth {
            // The last one that is shared out is the first that is taken.
            if self.schedule.first_children_first {
                children.reverse();
            }
            for child in children {
                scope.spawn(move |scope| self.take(child, most, scope));
            }
            return;
        }
        // A set is settled sooner when its parts were: those are met in the first children. Near the
        // root, where a look costs most, sets of unselective columns bring more edges and go first.
        if size < SHARED_DEPTH {
            children.reverse();
        }
        for child in children {
            self.node(child, most, worker, scope);
        }
    }
}

/// What a set looks like beside the edges.
enum Look<const W: usize> {
    /// Some column of it is not needed.
    NotMinimal,
    /// Some edge cannot be hit any more.
    DeadEnd,
    /// It hits every edge.
    HitsAll,
    Branch(Branch<W>),
}

/// How a set goes on.
struct Branch<const W: usize> {
    /// The edge that is hit next.
    edge: Mask<W>,
    /// Its columns that may join.
    children: Mask<W>,
    /// Those of them that hit all the other edges too.
    completing: Mask<W>,
}

impl<const W: usize> Worker<W> {
    fn look(&mut self, set: Mask<W>, free: Mask<W>) -> Look<W> {
        let all = Mask([u64::MAX; W]);
        set.iter().for_each(|column| self.only[column] = all);
        let (mut completing, mut needed) = (all, Mask::EMPTY);
        self.open.clear();
        for &edge in &self.edges {
            let hit = edge & set;
            match hit.len() {
                0 => {
                    completing &= edge;
                    self.open.push(edge);
                }
                1 => {
                    needed |= hit;
                    self.only[hit.iter().next().expect("one")] &= edge;
                }
                _ => {}
            }
        }
        if needed != set {
            return Look::NotMinimal;
        }
        let needless =
            set.iter().fold(Mask::EMPTY, |needless, column| needless | self.only[column]);
        // Only columns that may join count as ways. An edge all of whose free columns are needless is
        // a dead end; seen late, it would be met again below every combination of all other edges.
        let may_join = free.without(needless);
        let ways = |edge: &&Mask<W>| (**edge & may_join).len();
        let Some(&edge) = self.open.iter().min_by_key(ways) else { return Look::HitsAll };
        let children = edge & may_join;
        if children.is_empty() {
            return Look::DeadEnd;
        }
        Look::Branch(Branch { edge, children, completing })
    }
}
