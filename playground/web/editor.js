// The editor: a text field, and behind it the same text with colours and marks.

const $ = (id) => document.getElementById(id);
const TOKEN = /(;[^\n]*|#\|[^]*?(?:\|#|$))|("(?:[^"\\\n]|\\.)*"?|'(?:\\u\{[0-9a-fA-F]*\}|\\.|[^\\'\n])')|((?<![\p{L}\d_'?!-])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<=[([])(defn|data|import|let|letrec|fn|case)(?![\p{L}\d_'?!-])|[\p{L}_][\p{L}\d_'?!-]*/gu;
const KINDS = ['comment', 'string', 'number', 'keyword'];

const text = $('text'), shown = $('shown'), lines = $('lines'), here = $('here');
let marks = [];

const span = (from, to, kinds) => {
  const piece = text.value.slice(from, to);
  if (!kinds.length) return document.createTextNode(piece);
  const it = document.createElement(kinds.includes('error') || kinds.includes('warn') ? 'mark' : 'span');
  it.className = kinds.map((kind) => (kind === 'warn' ? 'warning' : kind)).join(' ');
  it.textContent = piece;
  return it;
};

const draw = () => {
  const value = text.value, kind = [];
  for (const match of value.matchAll(TOKEN)) {
    const found = match.slice(1).findIndex((group) => group !== undefined);
    if (found >= 0) kind.push({ from: match.index, to: match.index + match[0].length, kind: KINDS[found] });
  }
  for (const { place, severity } of marks) {
    if (place.to > place.from) kind.push({ from: place.from, to: place.to, kind: severity === 'error' ? 'error' : 'warn' });
  }
  const edges = new Set([0, value.length]);
  for (const it of kind) { edges.add(Math.min(it.from, value.length)); edges.add(Math.min(it.to, value.length)); }
  const sorted = Array.from(edges).sort((a, b) => a - b);
  const begins = new Map(), ends = new Map();
  const put = (map, key, it) => map.set(key, [...(map.get(key) || []), it]);
  for (const it of kind) { put(begins, it.from, it); put(ends, it.to, it); }
  const open = new Set(), parts = [];
  for (let n = 0; n < sorted.length; n++) {
    for (const it of ends.get(sorted[n]) || []) open.delete(it);
    for (const it of begins.get(sorted[n]) || []) open.add(it);
    if (n + 1 < sorted.length) parts.push(span(sorted[n], sorted[n + 1], Array.from(open, (it) => it.kind)));
  }
  // A last empty line has a height too.
  shown.replaceChildren(...parts, document.createTextNode('\n'));
  const worst = new Map();
  for (const { place, severity } of marks) if (worst.get(place.line) !== 'error') worst.set(place.line, severity);
  const count = value.split('\n').length;
  lines.replaceChildren();
  for (let n = 1; n <= count; n++) {
    const it = document.createElement('span');
    it.textContent = `${worst.has(n) ? '●' : ' '}${n}\n`;
    it.className = worst.get(n) || '';
    lines.append(it);
  }
};

// What is said of the place where the caret is.
const tell = () => {
  const at = text.selectionStart;
  const found = marks.find(({ place }) => place.from <= at && at <= place.to);
  const words = found ? `${found.severity} ${found.code}: ${found.message}${found.help ? ' (' + found.help + ')' : ''}` : '';
  if (here.textContent !== words) here.textContent = words;
  here.className = found ? found.severity : '';
};

export const goTo = (place) => {
  text.focus();
  text.setSelectionRange(place.from, place.to);
  const line = 19, box = $('editor'), y = (place.line - 1) * line;
  if (y < box.scrollTop || y + 2 * line > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, y - box.clientHeight / 2);
  tell();
};

export const mark = (reports) => {
  marks = reports.filter((report) => report.place);
  for (const { place } of marks) {
    const before = text.value.slice(0, place.from).split('\n');
    place.line = before.length;
    place.column = Array.from(before.at(-1)).length + 1;
  }
  draw();
  tell();
};

// The report after or before the caret, or the first or last one.
export const next = (by) => {
  const at = text.selectionStart;
  const sorted = marks.slice().sort((a, b) => a.place.from - b.place.from);
  if (by < 0) sorted.reverse();
  const found = sorted.find(({ place }) => (place.from - at) * by > 0) || sorted[0];
  if (found) goTo(found.place);
};

export const set = (value) => {
  text.value = value.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  marks = [];
  draw();
  tell();
  $('editor').scrollTop = 0;
};

export const get = () => text.value;

export const onChange = (changed) => {
  text.addEventListener('input', () => { marks = []; draw(); tell(); changed(); });
  document.addEventListener('selectionchange', () => { if (document.activeElement === text) tell(); });
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const before = text.value.slice(0, text.selectionStart);
    const blanks = before.slice(before.lastIndexOf('\n') + 1).match(/^ */)[0];
    if (!blanks) return;
    event.preventDefault();
    // This way it can be undone.
    document.execCommand('insertText', false, '\n' + blanks);
  });
};
draw();
