//! Generates the parser from the grammar.

fn main() {
    println!("cargo:rerun-if-changed=grammar/coref.lalrpop");
    if let Err(error) = lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .emit_rerun_directives(false)
        .process_dir("grammar")
    {
        println!("cargo:warning=the grammar does not generate a parser: {error}");
        std::process::exit(1);
    }
}
