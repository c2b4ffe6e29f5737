//! What the stepper shows.

use gmachine::diagnostic::{SourceFile, Span};
use gmachine::render::{grouped, one_line};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span as Styled};
use ratatui::widgets::{Block, Clear, Paragraph, Wrap};

use super::app::{App, Question};

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

/// Draws everything.
pub fn draw(app: &App<'_>, frame: &mut Frame<'_>) {
    let [head, body, note, keys] = Layout::vertical([
        Constraint::Length(4),
        Constraint::Min(6),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let state = app.stepper.state();
    let title = format!("event {}, step {}", grouped(state.time as u64), grouped(state.step));
    panel(frame, head, &title, vec![Line::raw(one_line(&app.says))], true);
    let (source, output, ladder, heap) = if body.width >= 70 {
        let [left, right] =
            Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)])
                .areas(body);
        let [source, output] =
            Layout::vertical([Constraint::Min(3), Constraint::Length(5)]).areas(left);
        let [ladder, heap] =
            Layout::vertical([Constraint::Percentage(45), Constraint::Percentage(55)]).areas(right);
        (source, output, ladder, heap)
    } else {
        // One above the other; those for which there is no room are left out, the last ones first.
        let room = usize::from(body.height / PANEL).max(1);
        let parts = [35, 25, 25, 15].into_iter().enumerate();
        let rows = parts.map(|(at, part)| match at < room {
            true if room < 4 => Constraint::Fill(1),
            true => Constraint::Percentage(part),
            false => Constraint::Length(0),
        });
        let [source, ladder, heap, output] = Layout::vertical(rows).areas(body);
        (source, output, ladder, heap)
    };
    draw_source(app, frame, source);
    draw_output(app, frame, output);
    draw_ladder(app, frame, ladder);
    draw_heap(app, frame, heap);
    let said = match &app.typed {
        Some((Question::Breakpoint, text)) => format!("function: {text}_"),
        Some((Question::Step, text)) => format!("step: {text}_"),
        Some((Question::Text, text)) => format!("text: {text}_"),
        None if !app.note.is_empty() => app.note.clone(),
        None => ending(app),
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    frame.render_widget(Paragraph::new(one_line(&said)).style(bold), note);
    frame.render_widget(Paragraph::new(KEYS), keys);
    if app.shows_help {
        draw_help(frame, body);
    }
}

/// How the run ends, if it does here; else the breakpoints.
fn ending(app: &App<'_>) -> String {
    match app.stepper.ended() {
        Some(None) => "the run is over".to_owned(),
        Some(Some(stop)) => format!("the run is over: {stop}"),
        None if app.breakpoints.is_empty() => String::new(),
        None => format!("breakpoints: {}", app.breakpoints.join(", ")),
    }
}

fn panel(frame: &mut Frame<'_>, area: Rect, title: &str, lines: Vec<Line<'_>>, wraps: bool) {
    if area.height == 0 {
        return;
    }
    let block = Block::bordered().title(format!(" {title} "));
    let text = Paragraph::new(lines).block(block);
    let text = if wraps { text.wrap(Wrap { trim: false }) } else { text };
    frame.render_widget(text, area);
}

/// How many lines a panel has for text.
fn room(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(2))
}

/// The expression to mark: the one whose code ran, or the innermost one of the program's own that
/// waits.
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

/// The beginning of `main`, which stands for the output.
fn main<'a>(app: &App<'a>) -> Option<(&'a SourceFile, Span)> {
    let program = app.stepper.program();
    let main = program.globals.get(program.main?)?;
    let file = app.stepper.sources().file_at(main.span.lo)?;
    let begins = Span { lo: main.span.lo, hi: main.span.lo };
    (!main.span.is_none() && !file.corelib).then_some((file, begins))
}

fn draw_source(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let files = app.stepper.sources().files();
    let Some((file, span)) = place(app)
        .or_else(|| main(app))
        .or_else(|| files.iter().find(|file| !file.corelib).map(|file| (file, Span::NONE)))
    else {
        return panel(frame, area, "program", Vec::new(), false);
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
            let mark = Style::new().add_modifier(Modifier::REVERSED);
            lines.push(Line::from(vec![
                Styled::raw(format!("{:>4} {}", number + 1, if is_shifted { "…" } else { "" })),
                Styled::raw(part(start, from)),
                Styled::styled(part(from, to), mark),
                Styled::raw(part(to, end)),
            ]));
        }
        start = end + 1;
    }
    panel(frame, area, &one_line(&file.name), lines, false);
}

fn draw_output(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
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
    panel(frame, area, "output", lines.into_iter().skip(hidden).map(Line::raw).collect(), false);
}

fn draw_ladder(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let ladder = &app.stepper.state().ladder;
    let rungs: Vec<_> = ladder.iter().filter(|rung| rung.node != 0).collect();
    let hidden = rungs.len().saturating_sub(room(area));
    let lines = rungs.iter().enumerate().skip(hidden).map(|(number, rung)| {
        let expression = app.stepper.expression(rung.now);
        let text = format!("{:>3} #{} {expression}", number + 1, rung.node);
        let is_last = number + 1 == rungs.len();
        let style = Style::new();
        Line::styled(
            one_line(&text),
            if is_last { style.add_modifier(Modifier::BOLD) } else { style },
        )
    });
    panel(frame, area, "who waits for whom", lines.collect(), false);
}

fn draw_heap(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
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
        let mark = Style::new().add_modifier(Modifier::REVERSED);
        Line::styled(text, if app.selected == Some(node) { mark } else { Style::new() })
    });
    let title = format!("heap: {} nodes that can be reached", app.cells.len());
    panel(frame, area, &title, lines.collect(), false);
}

fn draw_help(frame: &mut Frame<'_>, area: Rect) {
    let height = (HELP.len() as u16 + 2).min(area.height);
    let inner = Rect { height, ..area };
    frame.render_widget(Clear, inner);
    panel(frame, inner, "keys", HELP.iter().map(|line| Line::raw(*line)).collect(), false);
}
