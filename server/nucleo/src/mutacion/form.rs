//! A measure's canonical form seen as what mutators change: its pipeline, summary, threshold and needs, and
//! any node by its path.
//!
//! Editing never touches the original: each edit gives a new form.

use crate::valor::Valor;

/// Indices from the root of a canonical form down to a node.
pub(super) type Path = Vec<usize>;

/// Where the parts of a measure stand at the root of its canonical form.
pub(super) const TUBERIA: usize = 2;
pub(super) const RESUMEN: usize = 3;
pub(super) const UMBRAL: usize = 4;
/// `requiere`, when the measure has one, is the first of the optional nodes.
pub(super) const REQUIERE: usize = 5;

/// The first step of a pipeline after its source.
pub(super) const FIRST_STEP: usize = 2;

/// A canonical form of a valid measure.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    root: &'a Valor,
}

impl<'a> Form<'a> {
    pub(super) fn new(root: &'a Valor) -> Form<'a> {
        Form { root }
    }

    fn part(self, index: usize) -> &'a [Valor] {
        items(&items(self.root)[index])
    }

    /// `["desde", source, step...]`.
    pub(super) fn tuberia(self) -> &'a [Valor] {
        self.part(TUBERIA)
    }

    pub(super) fn source(self) -> &'a Valor {
        &self.tuberia()[1]
    }

    /// Each step after the source with its index in the pipeline.
    pub(super) fn steps(self) -> impl Iterator<Item = (usize, &'a Valor)> {
        self.tuberia().iter().enumerate().skip(FIRST_STEP)
    }

    /// The steps after the last `agrupar`: those that see the rows the summary counts.
    pub(super) fn steps_after_grouping(self) -> impl Iterator<Item = (usize, &'a Valor)> {
        let last = self.steps().filter(|(_, step)| step.head() == Some("agrupar")).last();
        let from = last.map_or(FIRST_STEP, |(index, _)| index + 1);
        self.steps().filter(move |(index, _)| *index >= from)
    }

    pub(super) fn aggregate(self) -> &'a str {
        self.part(RESUMEN)[1].as_str().unwrap_or_default()
    }

    pub(super) fn summed(self) -> &'a Valor {
        &self.part(RESUMEN)[2]
    }

    pub(super) fn operator(self) -> &'a str {
        self.part(UMBRAL)[1].as_str().unwrap_or_default()
    }

    pub(super) fn limit(self) -> &'a Valor {
        &self.part(UMBRAL)[2]
    }

    /// The entries of `requiere`, when the measure declares it.
    pub(super) fn requiere(self) -> Option<&'a [Valor]> {
        let node = items(self.root).get(REQUIERE).filter(|node| node.head() == Some("requiere"))?;
        Some(&items(node)[1..])
    }

    pub(super) fn at(self, path: &[usize]) -> &'a Valor {
        path.iter().fold(self.root, |node, index| &items(node)[*index])
    }

    /// The form with another node at `path`.
    pub(super) fn with(self, path: &[usize], node: Valor) -> Valor {
        edited(self.root, path, |_| node)
    }

    /// The form without the node at `path`.
    pub(super) fn without(self, path: &[usize]) -> Valor {
        let (last, parent) = path.split_last().expect("the root is never removed");
        edited(self.root, parent, |node| {
            let kept = items(node).iter().enumerate().filter(|(index, _)| index != last);
            Valor::list(kept.map(|(_, item)| item.clone()))
        })
    }

    /// The form with another text at `path`.
    pub(super) fn with_text(self, path: &[usize], text: &str) -> Valor {
        self.with(path, Valor::text(text))
    }

    /// The form without the steps that have one of these heads; `None` when it has none.
    pub(super) fn without_steps(self, head: &str) -> Option<Valor> {
        let kept = |step: &&Valor| step.head() != Some(head);
        let left: Vec<Valor> = self.tuberia().iter().filter(kept).cloned().collect();
        (left.len() < self.tuberia().len()).then(|| self.with(&[TUBERIA], Valor::List(left)))
    }

    /// Every expression a mutator may enter, by its path: filters, group keys and aggregates, the summary.
    pub(super) fn expressions(self) -> Vec<Path> {
        let mut roots = Vec::new();
        for (index, step) in self.steps() {
            match (step.head(), items(step)) {
                (Some("donde"), _) => roots.push(vec![TUBERIA, index, 1]),
                (Some("agrupar"), [_, keys, aggregates]) => {
                    roots.extend((0..items(keys).len()).map(|at| vec![TUBERIA, index, 1, at, 1]));
                    roots.extend((0..items(aggregates).len()).map(|at| vec![TUBERIA, index, 2, at, 2]));
                }
                _ => {}
            }
        }
        roots.push(vec![RESUMEN, 2]);
        roots
    }

    /// Every node of every expression, parents first.
    pub(super) fn expression_nodes(self) -> Vec<(Path, &'a Valor)> {
        let mut nodes = Vec::new();
        for root in self.expressions() {
            let node = self.at(&root);
            collect_nodes(node, root, &mut nodes);
        }
        nodes
    }
}

fn collect_nodes<'a>(node: &'a Valor, path: Path, nodes: &mut Vec<(Path, &'a Valor)>) {
    nodes.push((path.clone(), node));
    for (index, child) in items(node).iter().enumerate().skip(1) {
        collect_nodes(child, child_path(&path, index), nodes);
    }
}

pub(super) fn child_path(path: &[usize], index: usize) -> Path {
    [path, &[index]].concat()
}

/// The items of a list; none for anything else.
pub(super) fn items(node: &Valor) -> &[Valor] {
    node.as_list().unwrap_or_default()
}

fn edited(node: &Valor, path: &[usize], edit: impl FnOnce(&Valor) -> Valor) -> Valor {
    let Some((index, rest)) = path.split_first() else {
        return edit(node);
    };
    let mut copy = items(node).to_vec();
    copy[*index] = edited(&copy[*index], rest, edit);
    Valor::List(copy)
}

/// A path as mutants are named by it: `2.2.1`.
pub(super) fn path_text(path: &[usize]) -> String {
    path.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
}
