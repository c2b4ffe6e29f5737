//! How an expression uses its variables.

use smallvec::{SmallVec, smallvec};

use super::demand::{Shape, Use};
use crate::core::expr::LocalId;

/// The most variables that are put into the list of others one by one.
const FEW: usize = 4;

/// How an expression uses its variables, when it is evaluated. A variable that is not listed
/// is not used.
#[derive(Clone, Debug)]
pub(super) struct Uses {
    /// Whether the expression always diverges or fails. Then any claim holds of every variable.
    pub(super) fails: bool,
    /// The variables that are used, in the order of the locals.
    of: List,
}

/// Most expressions use few variables: those are not allocated.
type List = SmallVec<[(LocalId, Use); FEW]>;

impl Uses {
    /// The uses of an expression without variables.
    pub(super) const EMPTY: Uses = Uses { fails: false, of: SmallVec::new_const() };
    /// The uses of an expression that always diverges or fails.
    pub(super) const FAILS: Uses = Uses { fails: true, of: SmallVec::new_const() };

    /// Returns the use of one variable.
    pub(super) fn one(local: LocalId, use_: Use) -> Uses {
        Uses { fails: false, of: smallvec![(local, use_)] }
    }

    /// Returns the uses of variables of which nothing is certain.
    pub(super) fn unknown(mut locals: Vec<LocalId>) -> Uses {
        locals.sort_unstable();
        locals.dedup();
        let of = locals.into_iter().map(|local| (local, Use::UNKNOWN)).collect();
        Uses { fails: false, of }
    }

    /// Returns how many variables are used.
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }

    /// Returns the use of a variable, which goes out of scope.
    pub(super) fn take(&mut self, local: LocalId) -> Use {
        if self.fails {
            return Use::now(Shape::All);
        }
        match self.of.binary_search_by_key(&local, |&(of, _)| of) {
            Ok(at) => self.of.remove(at).1,
            Err(_) => Use::ABSENT,
        }
    }

    /// Changes the shape that a variable is used in, if it is used.
    pub(super) fn limit(&mut self, local: LocalId, change: impl FnOnce(Shape) -> Shape) {
        if let Ok(at) = self.of.binary_search_by_key(&local, |&(of, _)| of) {
            let use_ = &mut self.of[at].1;
            use_.shape = change(use_.shape);
        }
    }

    /// Returns these uses as ones that come later, if at all.
    pub(super) fn later(mut self) -> Uses {
        self.fails = false;
        self.of.iter_mut().for_each(|(_, use_)| *use_ = use_.later());
        self
    }

    /// Returns what two expressions do that are both evaluated.
    pub(super) fn and(self, other: Uses) -> Uses {
        if self.fails || other.fails {
            return Uses::FAILS;
        }
        let (mut many, few) = match self.of.len() < other.of.len() {
            true => (other, self),
            false => (self, other),
        };
        if few.of.len() > FEW {
            return many.merge(few, Use::and);
        }
        for (local, use_) in few.of {
            match many.of.binary_search_by_key(&local, |&(of, _)| of) {
                Ok(at) => many.of[at].1 = many.of[at].1.and(use_),
                Err(at) => many.of.insert(at, (local, use_)),
            }
        }
        many
    }

    /// Returns what two expressions do of which one is evaluated.
    pub(super) fn or(self, other: Uses) -> Uses {
        match (self.fails, other.fails) {
            (true, _) => other,
            (_, true) => self,
            _ => self.merge(other, Use::or),
        }
    }

    fn merge(self, other: Uses, with: impl Fn(Use, Use) -> Use) -> Uses {
        let mut of = List::with_capacity(self.of.len() + other.of.len());
        let (mut ones, mut others) =
            (self.of.into_iter().peekable(), other.of.into_iter().peekable());
        loop {
            let first = match (ones.peek(), others.peek()) {
                (Some(&(one, _)), Some(&(other, _))) => one.min(other),
                (Some(&(local, _)), None) | (None, Some(&(local, _))) => local,
                (None, None) => return Uses { fails: false, of },
            };
            let one = ones.next_if(|(local, _)| *local == first);
            let other = others.next_if(|(local, _)| *local == first);
            let of_one =
                |found: Option<(LocalId, Use)>| found.map_or(Use::ABSENT, |(_, use_)| use_);
            of.push((first, with(of_one(one), of_one(other))));
        }
    }
}
