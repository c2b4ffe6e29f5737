//! What the stepper shows.

use gmachine::diagnostic::{SourceFile, Span};
use gmachine::render::{grouped, one_line};

use super::app::{App, Question};
use super::canvas::{Area, Canvas, Line, Style, line, wrapped};

const KEYS: &str = "? keys  q quit  \u{2192} \u{2190} step  . , event  o O own  p P print  c C breakpoint  u update  d demand";
const HELP: [&str; 17] = [
    "\u{2192} \u{2190}     the next, the previous reduction",
    ".  ,    the next, the previous event",
    "o  O    the next, the previous entry of a function of one's own",
    "p  P    the next, the previous print",
    "Home    the beginning",
    "End     the end of the run",
    "g       the reduction of a number",
    "\u{2191} \u{2193}     selects a node of the heap",
    "u       the next update of the selected node",
    "d       when the selected node was demanded",
    "b       sets a breakpoint on a function, or takes it away",
    "c  C    the next, the previous breakpoint",
    "/       looks for a text: in the name of a function that is entered, or in the source",
    "n  N    the next, the previous place of that text",
    "q       ends",
    "",
    "\u{25CB} not evaluated  \u{25B6} being evaluated  \u{25CF} evaluated",
];

/// The fewest rows of a panel: its frame, and a line.
const PANEL: u16 = 3;

/// Columns of a line number and the blank after it.
const NUMBER: u16 = 5;

/// Rows of the lower panels that are narrow: source, ladder, heap, output, in percent.
const SHARES: [u16; 4] = [35, 25, 25, 15];

/// Rows of the head, of the output beside the ladder and the heap.
const HEAD: u16 = 4;
const OUTPUT: u16 = 5;

/// Rows below which the head is made lower than the panels.
const BODY: u16 = 6;

/// Columns from which on panels are beside each other.
const WIDE: u16 = 70;

/// Draws everything.
pub fn draw(app: &App<'_>, canvas: &mut Canvas) {
    let (rest, keys) = canvas.area().split_top(canvas.area().height.saturating_sub(1));
    let (rest, note) = rest.split_top(rest.height.saturating_sub(1));
    let (head, body) = rest.split_top(rest.height.saturating_sub(BODY).min(HEAD));
    let state = app.stepper.state();
    let title = format!("event {}, step {}", grouped(state.time as u64), grouped(state.step));
    let says = wrapped(&one_line(&app.says), head.width.saturating_sub(2));
    let says: Vec<Line> = says.into_iter().map(|text| line(text, Style::Plain)).collect();
    canvas.panel(head, &title, &says);
    let [source, ladder, heap, output] = panels(body);
    draw_source(app, canvas, source);
    draw_output(app, canvas, output);
    draw_ladder(app, canvas, ladder);
    draw_heap(app, canvas, heap);
    let said = match &app.typed {
        Some((Question::Breakpoint, text)) => format!("function: {text}_"),
        Some((Question::Step, text)) => format!("step: {text}_"),
        Some((Question::Text, text)) => format!("text: {text}_"),
        None if !app.note.is_empty() => app.note.clone(),
        None => ending(app),
    };
    canvas.write(note, &line(one_line(&said), Style::Bold));
    canvas.write(keys, &line(KEYS, Style::Plain));
    if app.shows_help {
        draw_help(canvas, body);
    }
}

/// Returns where source, ladder, heap and output are.
fn panels(body: Area) -> [Area; 4] {
    if body.width >= WIDE {
        let (left, right) = body.split_left(body.width.div_ceil(2));
        let (source, output) = left.split_top(left.height.saturating_sub(OUTPUT).max(PANEL));
        let (ladder, heap) = right.split_top((right.height * 9 + 10) / 20);
        return [source, ladder, heap, output];
    }
    // One above the other; those for which there is no room are left out, the last ones first.
    let room = usize::from(body.height / PANEL).clamp(1, SHARES.len());
    let mut rest = body;
    let mut at = 0;
    SHARES.map(|share| {
        at += 1;
        let height = match at {
            _ if at > room => 0,
            _ if at == room => rest.height,
            _ if room == SHARES.len() => (body.height * share / 100).max(PANEL),
            _ => body.height / room as u16,
        };
        let (area, below) = rest.split_top(height);
        rest = below;
        area
    })
}

/// Returns how the run ends, if it does here; else the breakpoints.
fn ending(app: &App<'_>) -> String {
    match app.stepper.ended() {
        Some(None) => "the run is over".to_owned(),
        Some(Some(stop)) => format!("the run is over: {stop}"),
        None if app.breakpoints.is_empty() => String::new(),
        None => format!("breakpoints: {}", app.breakpoints.join(", ")),
    }
}

/// Returns how many lines a panel has for text.
fn room(area: Area) -> usize {
    usize::from(area.height.saturating_sub(2))
}

/// Returns the expression to mark: the one whose code ran, or the innermost one of the program's
/// own that waits.
fn place<'a>(app: &App<'a>) -> Option<(&'a SourceFile, Span)> {
    let state = app.stepper.state();
    let sources = app.stepper.sources();
    let here = state.last.iter().map(|item| item.here);
    let waiting = state.ladder.iter().rev().flat_map(|rung| [rung.now, rung.node]);
    let waiting = waiting.chain([state.printed]);
    let waiting = waiting.filter_map(|node| state.graph.cell(node).map(|cell| cell.span));
    here.chain(waiting).find_map(|span| {
        let file = sources.file_at(span.lo).filter(|file| !file.corelib)?;
        (span.lo <= span.hi).then_some((file, span))
    })
}

/// Returns the beginning of `main`, which stands for the output.
fn main<'a>(app: &App<'a>) -> Option<(&'a SourceFile, Span)> {
    let program = app.stepper.program();
    let main = program.globals.get(program.main?)?;
    let file = app.stepper.sources().file_at(main.span.lo)?;
    let begins = Span { lo: main.span.lo, hi: main.span.lo };
    (!main.span.is_none() && !file.corelib).then_some((file, begins))
}

fn draw_source(app: &App<'_>, canvas: &mut Canvas, area: Area) {
    let files = app.stepper.sources().files();
    let Some((file, span)) = place(app)
        .or_else(|| main(app))
        .or_else(|| files.iter().find(|file| !file.corelib).map(|file| (file, Span::NONE)))
    else {
        return canvas.panel(area, "program", &[]);
    };
    let relative = |position: u32| position.saturating_sub(file.base) as usize;
    let marked = if span.is_none() { 0..0 } else { relative(span.lo)..relative(span.hi) };
    let text = &*file.text;
    let line = text.get(..marked.start).map_or(0, |before| before.matches('\n').count());
    let first = line.saturating_sub(room(area) / 3);
    // What is marked is to be seen, also far to the right in its line.
    let line_start =
        text.get(..marked.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let column = text.get(line_start..marked.start).map_or(0, |before| before.chars().count());
    let width = usize::from(area.width.saturating_sub(NUMBER + 2));
    let shift = if column + width / 4 > width { column - width / 4 } else { 0 };
    let mut start = 0;
    let mut lines = Vec::new();
    for (number, content) in text.split('\n').enumerate().take(first + room(area)) {
        let end = start + content.len();
        if number >= first {
            let from = marked.start.clamp(start, end);
            let to = marked.end.clamp(from, end);
            let is_shifted = shift > 0 && start == line_start;
            let shift = if is_shifted { shift + 1 } else { 0 };
            let left = content.char_indices().nth(shift).map_or(end, |(at, _)| start + at);
            let part = |from: usize, to: usize| {
                one_line(text.get(from.max(left)..to.max(left)).unwrap_or(""))
            };
            let margin = format!("{:>4} {}", number + 1, if is_shifted { "…" } else { "" });
            lines.push(vec![
                (margin, Style::Plain),
                (part(start, from), Style::Plain),
                (part(from, to), Style::Reversed),
                (part(to, end), Style::Plain),
            ]);
        }
        start = end + 1;
    }
    canvas.panel(area, &one_line(&file.name), &lines);
}

fn draw_output(app: &App<'_>, canvas: &mut Canvas, area: Area) {
    let output = app.stepper.output();
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    // The last lines, as they are broken by the panel.
    let mut lines: Vec<String> = Vec::new();
    let end = output.len().saturating_sub(room(area) * width * 4);
    let tail = output.get(output.ceil_char_boundary(end)..).unwrap_or("");
    for line in tail.lines() {
        let characters: Vec<char> = line.chars().collect();
        let pieces = characters.chunks(width).map(|piece| one_line(&String::from_iter(piece)));
        lines.extend(pieces);
    }
    let hidden = lines.len().saturating_sub(room(area));
    let lines = lines.into_iter().skip(hidden).map(|text| line(text, Style::Plain));
    canvas.panel(area, "output", &lines.collect::<Vec<_>>());
}

fn draw_ladder(app: &App<'_>, canvas: &mut Canvas, area: Area) {
    let ladder = &app.stepper.state().ladder;
    let rungs: Vec<_> = ladder.iter().filter(|rung| rung.node != 0).collect();
    let hidden = rungs.len().saturating_sub(room(area));
    let lines = rungs.iter().enumerate().skip(hidden).map(|(number, rung)| {
        let expression = app.stepper.expression(rung.now);
        let text = format!("{:>3} #{} {expression}", number + 1, rung.node);
        let is_last = number + 1 == rungs.len();
        line(one_line(&text), if is_last { Style::Bold } else { Style::Plain })
    });
    canvas.panel(area, "who waits for whom", &lines.collect::<Vec<_>>());
}

fn draw_heap(app: &App<'_>, canvas: &mut Canvas, area: Area) {
    let state = app.stepper.state();
    let at = app.selected.and_then(|node| app.cells.iter().position(|cell| *cell == node));
    let first = at.map_or(0, |at| at.saturating_sub(room(area) / 2));
    let program = app.stepper.program();
    let lines = app.cells.iter().skip(first).take(room(area)).map(|&node| {
        let sign = match (state.graph.is_value(node, program), state.graph.is_running(node)) {
            (_, true) => '\u{25B6}',
            (true, false) => '\u{25CF}',
            (false, false) => '\u{25CB}',
        };
        let text = one_line(&format!("{sign} #{node} {}", app.stepper.expression(node)));
        let is_selected = app.selected == Some(node);
        line(text, if is_selected { Style::Reversed } else { Style::Plain })
    });
    let title = format!("heap: {} nodes that can be reached", app.cells.len());
    canvas.panel(area, &title, &lines.collect::<Vec<_>>());
}

fn draw_help(canvas: &mut Canvas, area: Area) {
    let (area, _) = area.split_top(HELP.len() as u16 + 2);
    canvas.panel(area, "keys", &HELP.map(|text| line(text, Style::Plain)));
}
