//! The examples in the comments of the corelib.
use crate::common::Run;
use crate::project;

/// An example: `;;   > EXPR` (going on in `;;   | ..` lines), then what it prints, or
/// `! words` of its failure.
pub struct Example {
    /// Where it begins.
    pub line: usize,
    pub expression: String,
    /// The lines that it prints.
    pub result: Vec<String>,
    /// A program that prints it.
    pub program: String,
}

impl Example {
    /// Returns whether a run is what is expected.
    #[must_use]
    pub fn is_met(&self, run: &Run) -> bool {
        let expected = self.result.join("\n");
        match expected.strip_prefix("! ") {
            Some(words) => {
                run.failure.as_ref().is_some_and(|failure| failure.message.contains(words))
            }
            None => run.failure.is_none() && run.output.trim_end_matches('\n') == expected,
        }
    }
}

/// Returns the examples of a module.
pub fn examples(module: &str, text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut open = false;
    for (at, line) in text.lines().enumerate() {
        let Some(comment) = line.strip_prefix(";;") else {
            open = false;
            continue;
        };
        if let Some(expression) = comment.strip_prefix("   > ") {
            let expression = expression.to_string();
            examples.push(Example {
                line: at + 1,
                expression,
                result: Vec::new(),
                program: String::new(),
            });
            open = true;
        } else if let Some(more) = comment.strip_prefix("   | ").filter(|_| open) {
            let example = examples.last_mut().expect("open");
            example.expression.push('\n');
            example.expression.push_str(more);
        } else if let Some(result) = comment.strip_prefix("   ").filter(|_| open) {
            examples.last_mut().expect("open").result.push(result.to_string());
        } else {
            open = false;
        }
    }
    let import = if module == "prelude" { String::new() } else { format!("(import {module})\n") };
    for example in &mut examples {
        example.program = format!("{import}(defn main[] {})\n", example.expression);
    }
    examples
}

/// Returns the modules of the corelib: name and text.
pub fn modules() -> Vec<(String, String)> {
    let folder = project().join("corelib");
    let mut modules: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the corelib")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "core"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a module"))
        })
        .collect();
    modules.sort();
    modules
}
