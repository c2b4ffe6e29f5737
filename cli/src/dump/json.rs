//! JSON that is written as it is made: a tree of values of a large program would take a
//! kilobyte and more for each of its parts.

use serde::{Serialize, Serializer};

/// An array whose elements are made one by one.
pub struct Array<F>(pub F);

impl<F, I> Serialize for Array<F>
where
    F: Fn() -> I,
    I: IntoIterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_is_its_elements() {
        let array = Array(|| (0..3).map(|n| (n, "\"")));
        assert_eq!(serde_json::to_string(&array).expect("JSON"), r#"[[0,"\""],[1,"\""],[2,"\""]]"#);
        assert_eq!(serde_json::to_string(&Array(std::iter::empty::<u8>)).expect("JSON"), "[]");
    }
}
