//! What the comments of the corelib say of its functions.

use gmachine::diagnostic::SourceMap;

/// A function as its comment tells of it.
pub struct Entry<'a> {
    /// Its name and parameters: `take[n xs]`.
    pub signature: &'a str,
    /// Its comment, a line each, without semicolons.
    pub comment: Vec<&'a str>,
}

impl Entry<'_> {
    pub fn name(&self) -> &str {
        self.signature.split('[').next().unwrap_or(self.signature)
    }

    /// The first sentence, or what of it is on the first line.
    pub fn summary(&self) -> &str {
        self.comment.first().copied().unwrap_or("")
    }
}

/// The documented functions of the corelib's files among the sources, in the order of the text;
/// `module` alone, if it is given.
pub fn entries<'a>(sources: &'a SourceMap, module: Option<&str>) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for file in sources.files().iter().filter(|file| file.corelib) {
        let name = file.name.trim_matches(['<', '>']);
        if module.is_some_and(|module| module != name) {
            continue;
        }
        let mut comment = Vec::new();
        for line in file.text.lines() {
            if let Some(said) = line.strip_prefix(";;") {
                comment.push(said.strip_prefix(' ').unwrap_or(said));
            } else {
                let comment = std::mem::take(&mut comment);
                let signature = line
                    .strip_prefix("(defn ")
                    .and_then(|rest| rest.find(']').and_then(|end| rest.get(..=end)));
                if let Some(signature) = signature.filter(|_| !comment.is_empty()) {
                    entries.push(Entry { signature, comment });
                }
            }
        }
    }
    entries
}
