//! JSON as text, made piece by piece: a tree of values of a large program takes a kilobyte
//! and more for each of its parts.

use serde_json::Value;

/// An array of texts that are JSON.
pub fn array(items: impl IntoIterator<Item = String>) -> String {
    let mut out = String::from("[");
    for item in items {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

/// An object with these fields, whose values are JSON. Like in every [`Value`] they stand in
/// the order of their names.
pub fn object<const N: usize>(mut fields: [(&str, String); N]) -> String {
    fields.sort_by_key(|&(name, _)| name);
    let mut out = String::with_capacity(fields.iter().map(|field| field.1.len() + 24).sum());
    out.push('{');
    for (name, value) in fields {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&Value::from(name).to_string());
        out.push(':');
        out.push_str(&value);
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pieces_make_what_a_value_prints() {
        let items = [json!({"b": [1], "a": null}), json!("\"\n")];
        let value = json!({"z": items, "a\"": 1, "empty": []});
        let items = array(items.iter().map(Value::to_string));
        let text = object([("z", items), ("empty", array([])), ("a\"", "1".to_owned())]);
        assert_eq!(text, value.to_string());
    }
}
