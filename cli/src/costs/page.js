'use strict';
const data = JSON.parse(document.getElementById('profile').textContent);
const $ = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
};
const drawn = (name, attributes) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};
const count = (number) => Math.round(number).toLocaleString('en-US');
const size = (bytes) => {
  for (const [unit, factor] of [['G', 2 ** 30], ['M', 2 ** 20], ['K', 2 ** 10]]) {
    if (bytes >= factor) return `${(bytes / factor).toFixed(1).replace(/\.0$/, '')}${unit}`;
  }
  return `${bytes} bytes`;
};
const percent = (part, all) => (all > 0 ? (100 * part / all).toFixed(1) : '0.0');

const name = (number) => (number === null ? '...' : data.functions[number].name);
const holderName = ({ kind, function: number }) => ({
  constant: () => `${name(number)} (constant)`, function: () => name(number),
  handles: () => '(handles)', output: () => '(what is printed)',
})[kind]();
const holders = data.holders.map(holderName);
const groups = {
  holder: ([holder]) => holders[holder],
  function: ([, content]) => { const number = data.contents[content].function; return number === null ? null : name(number); },
  constructor: ([, content]) => data.contents[content].constructor,
  kind: ([, content]) => data.contents[content].kind,
};
const REST = 'everything else', BANDS = 9;

$('verdict').textContent = data.verdict;
$('ended').textContent = data.ended ?? '';
$('totals').textContent = `${count(data.totals.instructions)} instructions, ${count(data.totals.reductions)} reductions, `
  + `${size(data.totals.allocated_bytes)} allocated`;

// Live memory.
const state = { by: 'holder', selected: null, time: 0, sort: 'instructions', down: true, root: null };
const censuses = data.censuses;
const most = Math.max(1, ...censuses.map((census) => census.live_bytes));
state.time = Math.max(0, censuses.findIndex((census) => census.live_bytes === most));
let bands = [];

const divide = () => {
  const group = groups[state.by];
  const series = censuses.map((census) => {
    const parts = new Map();
    for (const live of census.live) {
      const key = group(live) ?? REST;
      parts.set(key, (parts.get(key) ?? 0) + live[3]);
    }
    return parts;
  });
  const largest = new Map();
  for (const parts of series) for (const [key, bytes] of parts) largest.set(key, Math.max(largest.get(key) ?? 0, bytes));
  const names = [...largest].filter(([key]) => key !== REST).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([key]) => key);
  const kept = names.slice(0, BANDS);
  bands = kept.map((key) => ({ key, bytes: series.map((parts) => parts.get(key) ?? 0) }));
  const rest = series.map((parts, at) => censuses[at].live_bytes - kept.reduce((sum, key) => sum + (parts.get(key) ?? 0), 0));
  if (rest.some((bytes) => bytes > 0)) bands.push({ key: REST, bytes: rest });
};
const colour = (band, at) => (band.key === REST ? 'var(--rest)' : `var(--c${at % BANDS})`);

const drawChart = () => {
  const chart = $('chart');
  chart.replaceChildren();
  if (censuses.length === 0) {
    chart.append(make('p', { textContent: 'The run allocates too little for a census.' }));
    return;
  }
  const end = Math.max(1, data.totals.instructions);
  const x = (at) => 1000 * censuses[at].instructions / end, y = (bytes) => 300 - 290 * bytes / most;
  const svg = drawn('svg', { viewBox: '0 0 1000 300', preserveAspectRatio: 'none', role: 'group', 'aria-label': `Live memory by ${state.by}` });
  const below = censuses.map(() => 0);
  bands.forEach((band, number) => {
    const lower = below.map((bytes, at) => `${x(at).toFixed(1)},${y(bytes).toFixed(1)}`).reverse();
    band.bytes.forEach((bytes, at) => { below[at] += bytes; });
    const upper = below.map((bytes, at) => `${x(at).toFixed(1)},${y(bytes).toFixed(1)}`);
    const path = drawn('path', {
      d: `M${upper.join('L')}L${lower.join('L')}Z`, tabindex: 0, role: 'button',
      'aria-label': `${band.key}: at most ${size(Math.max(...band.bytes))}`, 'aria-pressed': state.selected === band.key,
    });
    path.style.fill = colour(band, number);
    if (state.selected === band.key) path.classList.add('selected');
    path.append(drawn('title', {}));
    path.firstChild.textContent = `${band.key}: at most ${size(Math.max(...band.bytes))}`;
    path.addEventListener('click', (event) => {
      const box = svg.getBoundingClientRect();
      if (event.clientX) goTo(nearest(end * (event.clientX - box.left) / box.width));
      select(band.key);
    });
    path.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); select(band.key); }
    });
    svg.append(path);
  });
  svg.append(drawn('line', { id: 'now', x1: x(state.time), x2: x(state.time), y1: 0, y2: 300 }));
  chart.append(
    make('div', { className: 'axis' }, make('span', { textContent: size(most) })), svg,
    make('div', { className: 'axis' }, make('span', { textContent: 'start' }), make('span', { textContent: `${count(end)} instructions` })),
  );
};
const nearest = (instructions) => censuses.reduce((best, census, at) => (
  Math.abs(census.instructions - instructions) < Math.abs(censuses[best].instructions - instructions) ? at : best), 0);

const drawLegend = () => {
  $('legend').replaceChildren(...bands.map((band, number) => {
    const swatch = make('span', { className: 'swatch' });
    swatch.style.background = colour(band, number);
    const button = make('button', {}, swatch, `${band.key} ${size(band.bytes[state.time] ?? 0)}`);
    button.setAttribute('aria-pressed', state.selected === band.key);
    button.addEventListener('click', () => select(band.key));
    return make('li', {}, button);
  }));
};
const isIn = (live) => state.selected === null
  || (groups[state.by](live) ?? REST) === state.selected
  || (state.selected === REST && !bands.some((band) => band.key === groups[state.by](live)));
const drawHeld = () => {
  const census = censuses[state.time];
  const rows = census ? census.live.filter(isIn).sort((a, b) => b[3] - a[3]).slice(0, 40) : [];
  document.querySelector('#held tbody').replaceChildren(...rows.map((live) => {
    const [holder, content, nodes, bytes] = live;
    const { name: what, place } = data.contents[content];
    return make('tr', {}, make('td', { textContent: holders[holder] }), make('td', { textContent: what, title: place ?? what }),
      ...[count(nodes), size(bytes), percent(bytes, census.live_bytes)].map((text) => make('td', { className: 'number', textContent: text })));
  }));
  $('when').textContent = census ? `Census ${state.time + 1} of ${censuses.length}: ${size(census.live_bytes)} alive after `
    + `${count(census.instructions)} instructions, ${size(census.allocated_bytes)} allocated${state.selected === null ? '' : `; shown: ${state.selected}`}` : '';
};
const drawLive = () => { drawChart(); drawLegend(); drawHeld(); };
const select = (key) => {
  const focused = document.activeElement?.closest('path, #legend button') ? [...document.activeElement.closest('svg, ul').querySelectorAll('path, button')].indexOf(document.activeElement) : -1;
  const inChart = document.activeElement?.closest('svg') !== null && focused >= 0;
  state.selected = state.selected === key ? null : key;
  drawLive();
  // The elements are new ones: the focus stays where it was.
  if (focused >= 0) (inChart ? document.querySelectorAll('#chart path') : document.querySelectorAll('#legend button'))[focused]?.focus();
};
const goTo = (at) => {
  state.time = Math.min(censuses.length - 1, Math.max(0, at));
  $('time').value = state.time;
  const x = censuses.length ? 1000 * censuses[state.time].instructions / Math.max(1, data.totals.instructions) : 0;
  for (const end of ['x1', 'x2']) $('now')?.setAttribute(end, x);
  drawLegend();
  drawHeld();
};
$('by').addEventListener('change', () => { state.by = $('by').value; state.selected = null; divide(); drawLive(); });
$('time').max = Math.max(0, censuses.length - 1);
$('time').addEventListener('input', () => goTo(Number($('time').value)));

// Functions.
const COLUMNS = [
  ['name', 'function'], ['calls', 'calls'], ['instructions', 'instructions'], ['own', 'own %'], ['inherited', 'with %'],
  ['allocated_bytes', 'allocated'], ['inherited_bytes', 'with %'], ['thunks_made', 'thunks'], ['never', 'never entered'],
  ['thunks_updated', 'updates'], ['reductions', 'reductions'],
];
const rows = data.functions.map((row) => ({
  ...row, own: Number(percent(row.instructions, data.totals.instructions)),
  inherited: Number(percent(row.inherited_instructions, data.totals.instructions)),
  inherited_bytes: Number(percent(row.inherited_allocated_bytes, data.totals.allocated_bytes)),
  never: Math.max(0, row.thunks_made - row.thunks_entered),
})).filter((row) => row.instructions + row.calls + row.thunks_made + row.allocated_bytes > 0);
const drawFunctions = () => {
  const wanted = $('only').value.toLowerCase();
  const sign = state.down ? -1 : 1;
  const shown = rows.filter((row) => row.name.toLowerCase().includes(wanted)).sort((a, b) => {
    const [x, y] = [a[state.sort], b[state.sort]];
    return x === y ? (a.name < b.name ? -1 : 1) : sign * (x < y ? -1 : 1);
  });
  document.querySelector('#functions tbody').replaceChildren(...shown.slice(0, 500).map((row) => make('tr', {}, ...COLUMNS.map(([key]) => {
    const value = row[key];
    const text = key === 'name' ? value : key === 'allocated_bytes' ? size(value)
      : ['own', 'inherited', 'inherited_bytes'].includes(key) ? value.toFixed(1) : count(value);
    return make('td', { textContent: text, className: key === 'name' ? '' : 'number' });
  }))));
  document.querySelectorAll('#functions th').forEach((head, at) => {
    const is = COLUMNS[at][0] === state.sort;
    head.setAttribute('aria-sort', is ? (state.down ? 'descending' : 'ascending') : 'none');
    head.firstChild.textContent = COLUMNS[at][1] + (is ? (state.down ? ' ↓' : ' ↑') : '');
  });
};
document.querySelector('#functions thead tr').append(...COLUMNS.map(([key]) => {
  const button = make('button');
  button.addEventListener('click', () => {
    state.down = state.sort === key ? !state.down : key !== 'name';
    state.sort = key;
    drawFunctions();
  });
  return make('th', { className: key === 'name' ? '' : 'number' }, button);
}));
$('only').addEventListener('input', drawFunctions);

// Stacks.
const weigh = () => {
  const column = Number($('weight').value);
  const totals = data.stacks.map((node) => node[column]), children = data.stacks.map(() => []), roots = [];
  for (let at = data.stacks.length - 1; at >= 0; at--) {
    const parent = data.stacks[at][0];
    if (parent === null) roots.push(at); else { totals[parent] += totals[at]; children[parent].push(at); }
  }
  return { totals, children, roots };
};
const drawFlame = () => {
  const { totals, children, roots } = weigh();
  const flame = $('flame');
  const all = roots.reduce((sum, at) => sum + totals[at], 0);
  const shown = state.root === null ? all : totals[state.root];
  const frames = [];
  let depth = 0;
  const pending = [];
  const put = (list, left, level) => {
    for (const at of [...list].sort((a, b) => totals[b] - totals[a])) {
      const width = shown > 0 ? 100 * totals[at] / shown : 0;
      if (width >= 0.3) pending.push([at, left, width, level]);
      left += width;
    }
  };
  put(state.root === null ? roots : [state.root], 0, 0);
  while (pending.length > 0 && frames.length < 2000) {
    const [at, left, width, level] = pending.shift();
    const title = `${name(data.stacks[at][1])}: ${percent(totals[at], all)} %`;
    const button = make('button', { textContent: name(data.stacks[at][1]), title });
    button.setAttribute('aria-label', title);
    Object.assign(button.style, { left: `${left}%`, width: `${width}%`, top: `${level * 21}px` });
    button.addEventListener('click', () => { state.root = at; drawFlame(); $('whole').focus(); });
    button.addEventListener('focus', () => { $('frame').textContent = title; });
    frames.push(button);
    depth = Math.max(depth, level + 1);
    put(children[at], left, level + 1);
  }
  flame.style.height = `${Math.max(1, depth) * 21 + 4}px`;
  flame.replaceChildren(...frames);
  $('frame').textContent = state.root === null ? `${count(data.samples)} samples` : `enlarged: ${name(data.stacks[state.root][1])}`;
};
$('weight').addEventListener('change', drawFlame);
$('whole').addEventListener('click', () => { state.root = null; drawFlame(); });

// Pauses.
const pauses = data.clocks.pauses;
const time = (seconds) => (seconds < 0.01 ? `${(seconds * 1000).toFixed(2)} ms` : `${seconds.toFixed(3)} s`);
$('collections').textContent = `${count(pauses.count)} pauses, ${time(pauses.seconds)} together, the longest ${time(pauses.longest_seconds)}. `
  + 'The censuses of this profile are not among them.'
  + (data.live_bytes_after_full_collections.length > 0
    ? ` Alive after full collections: ${data.live_bytes_after_full_collections.slice(-12).map(size).join(', ')}.` : '');
const tallest = Math.max(1, ...pauses.lengths);
document.querySelector('#lengths tbody').replaceChildren(...pauses.lengths.flatMap((number, at) => {
  if (number === 0) return [];
  const bar = make('span', { className: 'bar' });
  bar.style.width = `${100 * number / tallest}%`;
  const limit = at === pauses.lengths.length - 1 ? 'any' : time(2 ** at / 1e6);
  return [make('tr', {}, make('td', { textContent: limit }), make('td', { className: 'number', textContent: count(number) }), make('td', {}, bar))];
}));

divide();
drawLive();
goTo(state.time);
drawFunctions();
drawFlame();
// For tests.
window.profile = { data, state, bands: () => bands, rows };
