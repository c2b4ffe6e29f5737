// The page: an editor, and views of its program that workers make.

import * as editor from './editor.js';
import * as guide from './guide.js';
import * as link from './link.js';
import { Runner, Stopped } from './pool.js';

const $ = (id) => document.getElementById(id);
const TABS = ['output', 'steps', 'film', 'stages', 'guide'];
const STAGES = ['tokens', 'ast', 'parsed', 'core', 'lifted', 'specialised', 'strictness', 'gcode', 'fast'];
const SHOWN = ['core', 'specialised', 'gcode'];
const FIRST = `; Ctrl+Enter runs this. The examples are above, the tutorial is under Guide.
(defn fibs[] (Cons 0 (Cons 1 (zipWith add fibs (tail fibs)))))
(defn main[] (take 20 fibs))
`;
// How long after the last change a program is checked, in milliseconds.
const PAUSE = 200;

const checker = new Runner(), runner = new Runner();
let tab = 'output';
// Which views are of the program as it is now.
const fresh = new Set();

const load = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.text();
};
// What was said last of each view.
const said = {};
const status = (words, isError = false) => {
  said[tab] = [words, isError];
  $('status').textContent = words;
  $('status').className = isError ? 'error' : '';
};
const program = () => ({ text: editor.get(), expression: $('expression').value, input: $('input').value });
const limits = () => ({ memory: +$('memory').value, seconds: $('seconds').value ? +$('seconds').value : null });
const count = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

// ---- Reports --------------------------------------------------------------------------------

// What the last check and the last run say.
let mistakes = [], failure = null;
const report = () => {
  const all = failure ? [...mistakes, failure] : mistakes;
  editor.mark(all);
  $('reports').replaceChildren(...all.map((it) => {
    const li = document.createElement('li'), button = document.createElement('button');
    const head = document.createElement('b'), more = document.createElement('small');
    li.className = it.severity;
    head.textContent = it.place ? `${it.place.line}:${it.place.column} ${it.code}` : it.code;
    more.textContent = it.help ? `help: ${it.help}` : '';
    button.append(head, ` ${it.message}`);
    if (it.help) button.append(more);
    button.title = it.text;
    button.onclick = () => it.place && editor.goTo(it.place);
    li.append(button);
    return li;
  }));
};
const check = async () => {
  try {
    mistakes = (await checker.ask({ do: 'check', ...program() })).reports;
    report();
  } catch (error) {
    if (!(error instanceof Stopped)) status(error.message, true);
  }
};
let timer = 0;
const changed = () => {
  fresh.clear();
  failure = null;
  clearTimeout(timer);
  timer = setTimeout(() => {
    check();
    try { localStorage.setItem('program', JSON.stringify(program())); } catch { /* not allowed: it is not kept */ }
  }, PAUSE);
};

// ---- Views ----------------------------------------------------------------------------------

const printed = $('printed'), lines = $('lines-of-steps');
const append = (box, text, kind = '') => {
  const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 30;
  if (kind) {
    const it = document.createElement('span');
    it.className = kind;
    it.textContent = text;
    box.append(it);
  } else box.append(text);
  if (atEnd && box === printed) box.scrollTop = box.scrollHeight;
};

// Asks the worker and says what comes of it; `null` if that is nothing.
let turn = 0;
const ask = async (request, output) => {
  const start = performance.now(), mine = ++turn;
  $('stop').disabled = false;
  const ticking = setInterval(() => status(`running for ${((performance.now() - start) / 1000).toFixed(1)} s`), 500);
  status('running');
  try {
    const answer = await runner.ask({ ...limits(), ...request }, output);
    if (answer.error) throw new Error(answer.error);
    if (answer.reports) mistakes = answer.reports;
    failure = answer.stop || null;
    report();
    return answer;
  } catch (error) {
    const stopped = error instanceof Stopped;
    if (mine === turn) status(stopped ? 'stopped' : error.message, !stopped);
    return null;
  } finally {
    clearInterval(ticking);
    $('stop').disabled = !runner.busy;
  }
};
const ended = (answer) => {
  if (answer.failed) status('the program has mistakes', true);
  else if (answer.stop) status(answer.says, true);
  else if (answer.exit !== undefined) status(`the program has ended with status ${answer.exit}`);
  else return true;
  return false;
};
const errors = (box, answer) => {
  const texts = [...(answer.failed ? answer.reports.filter((it) => it.severity === 'error') : []), ...(answer.stop ? [answer.stop] : [])];
  if (texts.length) append(box, (box.textContent && !box.textContent.endsWith('\n') ? '\n' : '') + texts.map((it) => it.text).join(''), 'report');
};

const views = {
  async output() {
    printed.textContent = '';
    const request = { do: 'run', ...program(), level: +$('level').value, machine: $('machine').value };
    const answer = await ask(request, (text) => append(printed, text));
    if (!answer) return false;
    errors(printed, answer);
    if (ended(answer)) {
      status(`${count(answer.milliseconds, 'millisecond')}, ${count(answer.reductions, 'reduction')}, ${count(answer.collections, 'collection')}`);
    }
    return true;
  },
  async steps() {
    lines.textContent = '';
    $('more').disabled = true;
    const request = { do: 'steps', ...program(), corelib: $('corelib').checked, verbose: $('verbose').checked, from: Math.max(1, +$('first').value || 1) };
    const answer = await ask(request, (text) => append(lines, text));
    if (!answer) return false;
    errors(lines, answer);
    if (ended(answer)) status(answer.more ? `to step ${answer.last}; the run goes on` : `${count(answer.last, 'step')}; the run ends`);
    $('more').disabled = !answer.more;
    $('more').onclick = () => { $('first').value = answer.last + 1; show('steps', true); };
    return true;
  },
  async film() {
    const title = $('example').value ? `${$('example').value}.core` : 'program';
    const answer = await ask({ do: 'film', ...program(), title, from: Math.max(1, +$('film-from').value || 1) });
    if (!answer) return false;
    // A page of its own, which can reach nothing of this one.
    if (answer.page) $('frame').srcdoc = answer.page; else $('frame').removeAttribute('srcdoc');
    if (ended(answer)) status(answer.note);
    return true;
  },
  async stages() {
    const wanted = Array.from($('choices').querySelectorAll(':checked'), (it) => it.value);
    const names = Array.from(editor.get().matchAll(/\(defn\s+([^\s[(]+)/g), (match) => match[1]);
    const chosen = $('definition').value;
    $('definition').replaceChildren(...[['', "the program's own"], ['*', 'all'], ...names.map((name) => [name, name])].map(([value, words]) => new Option(words, value)));
    $('definition').value = names.includes(chosen) || chosen === '*' ? chosen : '';
    const request = { do: 'stages', ...program(), level: +$('level').value, stages: wanted, definition: $('definition').value };
    const answer = await ask(request);
    if (!answer) return false;
    $('listings').replaceChildren(...answer.stages.map(({ stage, text }) => {
      const box = document.createElement('section'), title = document.createElement('h3'), pre = document.createElement('pre');
      box.className = 'listing';
      box.setAttribute('aria-label', stage);
      title.textContent = stage;
      pre.textContent = text ?? 'The program has mistakes.';
      pre.tabIndex = 0;
      box.append(title, pre);
      return box;
    }));
    const failed = answer.stages.some((it) => it.failed);
    status(failed ? 'the program has mistakes' : `-O${$('level').value}`, failed);
    return true;
  },
  async guide() {
    const page = $('page').value;
    status('');
    guide.show($('article'), await load(`docs/${page}`), { ask: askApart, open: take, load, follow });
    $('article').scrollTop = 0;
    return true;
  },
};

// Shows a view, and makes it anew if the program has changed or `again` is set.
const show = async (name, again = false) => {
  tab = name;
  for (const other of TABS) {
    const button = $(`tab-${other}`), isIt = other === name;
    button.setAttribute('aria-selected', String(isIt));
    button.tabIndex = isIt ? 0 : -1;
    $(other).hidden = !isIt;
  }
  if (fresh.has(name) && !again) { status(...said[name]); return; }
  if (name === 'output' && !again) { status('the program has not been run since it was changed'); return; }
  fresh.delete(name);
  const before = editor.get();
  try {
    if (await views[name]() && before === editor.get()) fresh.add(name);
  } catch (error) {
    status(error.message, true);
  }
};
const run = () => show(tab === 'guide' ? 'output' : tab, true);

// ---- The guide ------------------------------------------------------------------------------

const askApart = async (request, output) => {
  $('stop').disabled = false;
  try {
    const answer = await runner.ask({ ...limits(), ...request }, output);
    if (answer.error) throw new Error(answer.error);
    return answer;
  } finally {
    $('stop').disabled = !runner.busy;
  }
};
const take = (wanted) => {
  $('example').value = '';
  open({ text: wanted.text || `(defn main[] ${wanted.expression})\n`, expression: wanted.text ? wanted.expression || '' : '', input: '' });
  if (wanted.level !== undefined) $('level').value = wanted.level;
  if (wanted.do === 'steps') { $('corelib').checked = !!wanted.corelib; $('verbose').checked = !!wanted.verbose; }
  if (wanted.stages) $('choices').querySelectorAll('input').forEach((it) => { it.checked = wanted.stages.includes(it.value); });
  show(wanted.do === 'run' ? 'output' : wanted.do, true);
};
const follow = (it, target) => {
  const page = target.replace(/#.*$/, ''), example = /examples\/(\w+)\.core$/.exec(target);
  if (example || Array.from($('page').options).some((option) => option.value === page)) {
    const link = document.createElement('a');
    link.href = example ? `#example=${example[1]}` : `#guide=${page}`;
    link.append(...it.childNodes);
    return link;
  }
  return null;
};

// ---- Programs -------------------------------------------------------------------------------

const open = (state) => {
  editor.set(state.text);
  $('expression').value = state.expression || '';
  $('input').value = state.input || '';
  $('given').open = !!state.input;
  $('first').value = 1;
  $('film-from').value = 1;
  mistakes = [];
  failure = null;
  report();
  changed();
};
const example = async (name) => {
  const text = await load(`examples/${name}.core`);
  const given = /^; with input: (".*")$/m.exec(text);
  let input = '';
  try { input = given ? JSON.parse(given[1].replace(/\\u\{(\w+)\}/g, (_, hex) => String.fromCodePoint(parseInt(hex, 16))).replace(/\\0/g, '\\u0000')) : ''; } catch { /* a text that JSON does not have */ }
  $('example').value = name;
  open({ text, input });
};
const begin = async () => {
  const named = /^#example=(\w+)$/.exec(location.hash), page = /^#guide=([\w.]+)$/.exec(location.hash);
  if (page && Array.from($('page').options).some((option) => option.value === page[1])) {
    $('page').value = page[1];
    fresh.delete('guide');
    if (!editor.get()) open({ text: FIRST });
    show('guide');
    return;
  }
  const state = await link.read(location.hash);
  if (state) { $('example').value = ''; open(state); if (state.level !== undefined) $('level').value = state.level; }
  else if (named) await example(named[1]);
  else if (location.hash.startsWith('#p=')) { open({ text: FIRST }); status('the address holds no program that can be read', true); return; }
  else {
    let kept = null;
    try { kept = JSON.parse(localStorage.getItem('program')); } catch { /* none */ }
    open(kept && typeof kept.text === 'string' && kept.text.trim() ? kept : { text: FIRST });
  }
  await show(state && TABS.includes(state.tab) ? state.tab : tab === 'guide' ? 'output' : tab, true);
};

// ---- Controls -------------------------------------------------------------------------------

for (const stage of STAGES) {
  const label = document.createElement('label'), box = document.createElement('input');
  box.type = 'checkbox';
  box.value = stage;
  box.checked = SHOWN.includes(stage);
  box.onchange = () => show('stages', true);
  label.append(box, ' ' + stage);
  $('choices').append(label);
}
editor.onChange(changed);
$('expression').oninput = changed;
$('input').oninput = changed;
$('run').onclick = run;
$('stop').onclick = () => runner.stop();
$('link').onclick = async () => {
  const state = { ...program(), level: +$('level').value, tab };
  history.replaceState(null, '', await link.write(state));
  try {
    await navigator.clipboard.writeText(location.href);
    status('the link is in the clipboard, and in the address of this page');
  } catch {
    status('the link is in the address of this page');
  }
};
$('example').onchange = () => {
  const wanted = `#example=${$('example').value}`;
  if (!$('example').value) return;
  if (location.hash === wanted) begin(); else location.hash = wanted;
};
$('page').onchange = () => show('guide', true);
$('definition').onchange = () => show('stages', true);
for (const id of ['corelib', 'verbose', 'first']) $(id).onchange = () => show('steps', true);
for (const id of ['level', 'machine', 'seconds', 'memory']) $(id).onchange = () => fresh.clear();
$('show-film').onclick = () => show('film', true);
$('expression').onkeydown = (event) => { if (event.key === 'Enter') run(); };
TABS.forEach((name) => {
  const button = $(`tab-${name}`);
  button.onclick = () => show(name);
  button.onkeydown = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const next = TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length];
    $(`tab-${next}`).focus();
    show(next);
  };
});
document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') { event.preventDefault(); run(); }
  else if (event.key === 'Escape') runner.stop();
  else if (event.key === 'F8') { event.preventDefault(); editor.next(event.shiftKey ? -1 : 1); }
  else if (event.altKey && /^[1-5]$/.test(event.key)) { event.preventDefault(); show(TABS[event.key - 1]); }
});
window.addEventListener('hashchange', begin);

load('examples/list.json').then((text) => {
  for (const name of JSON.parse(text)) $('example').append(new Option(name, name));
  const named = /^#example=(\w+)$/.exec(location.hash);
  if (named) $('example').value = named[1];
}).catch((error) => status(error.message, true));
begin().catch((error) => status(error.message, true));

if ('serviceWorker' in navigator && window.isSecureContext) navigator.serviceWorker.register('offline.js').catch(() => {});
