'use strict';
(() => {
  const F = JSON.parse(document.getElementById('film').textContent);
  const E = F.events, S = F.strings, G = F.globals, N = E.length;
  const BORN = 0, FILLED = 1, DEMANDED = 2, SHARED = 3, ENTERED = 4, UPDATED = 5, SELECTED = 6,
    PRINTED = 7, DEAD = 8;
  const NAMES = ['born', 'filled', 'demanded', 'shared', 'entered', 'updated', 'selected', 'printed', 'dead'];
  const APP = 0, CON = 1, INT = 2, FLOAT = 3, CHAR = 4, GLOBAL = 5, TEXT = 6, INPUT = 7, HOST = 8;
  // An event is [kind, node, depth, instructions, place, ...what its kind has].
  const HEAD = 5;
  const NEVER = Infinity;
  const PARTS = 40, DEPTH = 10, ELEMENTS = 8, CHARACTERS = 40;
  const $ = (id) => document.getElementById(id);

  // ---- The lives of the nodes -------------------------------------------------------------

  const nodes = new Map();
  const node = (id) => {
    let it = nodes.get(id);
    if (!it) {
      it = { id, born: NEVER, kind: -1, parts: [], span: -1, by: 0, became: [], demanded: NEVER,
        demandedBy: 0, entered: NEVER, fn: -1, updated: NEVER, dead: NEVER, shared: [], prints: [],
        held: [], isSpine: false, events: [] };
      nodes.set(id, it);
    }
    return it;
  };
  const live = (e, t) => {
    const it = node(e[1]);
    if (t >= 0) it.events.push(t);
    switch (e[0]) {
      case BORN: {
        it.born = t; it.by = e[HEAD]; it.span = e[HEAD + 1]; it.kind = e[HEAD + 2];
        it.parts = e.slice(HEAD + 3);
        const mentioned = it.kind === APP ? it.parts : it.kind === CON ? it.parts.slice(1) : [];
        for (const part of mentioned) node(part).held.push(t);
        if (it.kind === APP) node(it.parts[0]).isSpine = true;
        break;
      }
      case FILLED: case SELECTED: it.became.push([t, e[HEAD]]); break;
      case UPDATED: it.became.push([t, e[HEAD]]); it.updated = t; node(e[HEAD]).held.push(t); break;
      case DEMANDED: if (it.demanded === NEVER) { it.demanded = t; it.demandedBy = e[HEAD]; } break;
      case SHARED: it.shared.push(t); break;
      case ENTERED: if (it.entered === NEVER) { it.entered = t; it.fn = e[HEAD]; } break;
      case PRINTED: it.prints.push(t); break;
      case DEAD: it.dead = t; break;
    }
  };
  F.prior.forEach((e) => live(e, -1));
  E.forEach(live);

  const valueOf = (id, t) => {
    for (let hops = 0; hops < 10000; hops++) {
      const it = nodes.get(id);
      let next = 0;
      if (it) for (const [at, to] of it.became) if (at <= t) next = to;
      if (!next || next === id) return id;
      id = next;
    }
    return id;
  };
  const arityOf = (g) => (G[g] ? G[g][1] : 0);
  const isRunning = (it, t) => it.entered <= t && !(it.updated <= t);
  const spine = (id, t) => {
    const args = [];
    let at = valueOf(id, t);
    for (let hops = 0; hops < 200; hops++) {
      const it = nodes.get(at);
      if (!it || it.kind !== APP || (args.length && isRunning(it, t))) break;
      args.push(it.parts[1]);
      at = valueOf(it.parts[0], t);
    }
    return [at, args.reverse()];
  };
  const isValue = (id, t) => {
    const it = nodes.get(valueOf(id, t));
    if (!it) return true;
    if (it.kind === APP) {
      const [head, args] = spine(id, t);
      const h = nodes.get(head);
      return !!h && h.kind === GLOBAL && !isRunning(it, t) && args.length < arityOf(h.parts[0]);
    }
    if (it.kind === GLOBAL) return arityOf(it.parts[0]) > 0 || G[it.parts[0]][3] === 1;
    return it.kind >= CON && it.kind <= HOST && it.kind !== INPUT && it.kind !== TEXT;
  };

  // ---- Expressions ------------------------------------------------------------------------

  const cut = (text, n) => {
    const chars = Array.from(text);
    return chars.length > n ? chars.slice(0, n - 1).join('') + '…' : text;
  };
  const quoted = (text) => '"' + text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t') + '"';
  const expression = (root, t) => {
    let out = '', left = PARTS, nested = 0;
    const path = [];
    const write = (mentioned, isRoot) => {
      if (left <= 0 || path.length >= DEPTH) { left = 0; out += '…'; return; }
      left--;
      const named = nodes.get(mentioned), id = valueOf(mentioned, t), it = nodes.get(id);
      if (!it || it.kind < 0) { out += '#' + id; return; }
      if (named && named.kind === GLOBAL && !(isRoot && id !== mentioned) && ![INT, FLOAT, CHAR].includes(it.kind)) {
        out += (isRunning(it, t) && !isRoot ? '*' : '') + G[named.parts[0]][0];
        return;
      }
      if (isRunning(it, t) && !isRoot) { out += '*#' + id; return; }
      if (path.includes(id)) { out += '#' + id; return; }
      path.push(id);
      const p = it.parts;
      switch (it.kind) {
        case APP: {
          if (it.held.length > 1 && !isValue(id, t) && !isRoot) { out += '#' + id; break; }
          const [head, args] = spine(id, t);
          nested++;
          out += '('; write(head, false);
          for (const arg of args) { out += ' '; write(arg, false); }
          out += ')';
          nested--;
          break;
        }
        case CON: {
          const name = S[p[0]];
          if (name === 'Cons' && p.length === 3) list(id);
          else if (p.length === 1) out += name;
          else {
            out += '(' + name;
            for (const part of p.slice(1)) { out += ' '; write(part, false); }
            out += ')';
          }
          break;
        }
        case INT: case FLOAT: out += S[p[0]]; break;
        case CHAR: out += "'" + S[p[0]].replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n') + "'"; break;
        case GLOBAL: out += G[p[0]][0]; break;
        case TEXT: out += quoted(cut(S[p[0]].slice(p[1]), CHARACTERS)); break;
        case INPUT: out += '<input>'; break;
        case HOST: out += '<host value>'; break;
        default: out += '#' + id;
      }
      path.pop();
    };
    const list = (start) => {
      const elements = [];
      let at = start, whole = false;
      for (;;) {
        const it = nodes.get(at);
        if (it && it.kind === CON && S[it.parts[0]] === 'Cons' && elements.length < 200) {
          elements.push(it.parts[1]);
          const tail = nodes.get(it.parts[2]);
          if (tail && tail.kind === GLOBAL && tail.became.length) { at = tail.id; break; }
          at = valueOf(it.parts[2], t);
        } else {
          whole = !!it && it.kind === CON && S[it.parts[0]] === 'Nil' ||
            !!it && it.kind === GLOBAL && G[it.parts[0]][0] === 'Nil';
          break;
        }
      }
      const chars = elements.map((e) => nodes.get(valueOf(e, t)));
      if (whole && chars.every((c) => c && c.kind === CHAR)) {
        out += quoted(cut(chars.map((c) => S[c.parts[0]]).join(''), CHARACTERS));
        return;
      }
      if (nested > 0 && !whole) { out += '(Cons '; write(elements[0], false); out += ' …)'; return; }
      if (!whole && elements.length <= 3) {
        for (const e of elements) { out += '(Cons '; write(e, false); out += ' '; }
        write(at, false);
        out += ')'.repeat(elements.length);
        return;
      }
      out += '[';
      elements.slice(0, ELEMENTS).forEach((e, n) => { out += n ? ' ' : ''; write(e, false); });
      if (elements.length > ELEMENTS) out += ' …';
      if (!whole) { out += ' | '; write(at, false); }
      out += ']';
    };
    write(root, true);
    return out;
  };

  // ---- The ladder of who waits for whom ---------------------------------------------------

  const EVERY = 256, marks = [];
  const climb = (ladder, e, t) => {
    const depth = e[2];
    if (ladder.length > depth) ladder.length = depth;
    const top = ladder[ladder.length - 1];
    if (e[0] === DEMANDED) {
      if (ladder.length === depth && top && !top.done) return;
      if (ladder.length > depth - 1) ladder.length = Math.max(0, depth - 1);
      while (ladder.length + 1 < depth) ladder.push({ node: 0, now: 0, done: false });
      ladder.push({ node: e[1], now: e[1], done: false });
    } else if (e[0] === SHARED) {
      if (ladder.length > depth - 1) ladder.length = Math.max(0, depth - 1);
    } else if (e[0] === UPDATED && top && !top.done && top.now === e[1]) {
      ladder[ladder.length - 1] = { node: top.node, now: e[HEAD], done: isValue(e[HEAD], t) };
    }
  };
  {
    const ladder = [];
    E.forEach((e, t) => {
      if (t % EVERY === 0) marks.push(ladder.slice());
      climb(ladder, e, t);
    });
  }
  const ladderAt = (t) => {
    const mark = Math.floor(t / EVERY);
    const ladder = (marks[mark] || []).slice();
    for (let at = mark * EVERY; at <= t; at++) climb(ladder, E[at], at);
    return ladder.filter((rung) => rung.node);
  };

  // ---- What an event says -----------------------------------------------------------------

  const steps = new Int32Array(N);
  const prints = [];
  let count = F.first;
  E.forEach((e, t) => {
    if (e[0] === UPDATED) count = e[HEAD + 1];
    steps[t] = count;
    if (e[0] === PRINTED && S[e[HEAD]]) prints.push(t);
  });
  const isOwn = (t) => {
    if (E[t][0] !== UPDATED) return false;
    const fn = nodes.get(E[t][1]).fn;
    return fn >= 0 && G[fn][2] === 0;
  };
  const UNITS = {
    event: () => true,
    step: (t) => E[t][0] === UPDATED,
    own: isOwn,
    print: (t) => E[t][0] === PRINTED && !!S[E[t][HEAD]],
  };
  const functionOf = (id) => {
    const it = nodes.get(id);
    return it && it.fn >= 0 ? G[it.fn][0] : '#' + id;
  };
  const who = (id) => (id ? functionOf(id) + ' (#' + id + ')' : 'the output');
  const say = (t) => {
    const e = E[t], id = e[1], x = e[HEAD];
    switch (e[0]) {
      case BORN: return `#${id} is made${x ? ' by ' + who(x) : ''}: ${expression(id, t)}`;
      case FILLED: return `#${id}, a name of a letrec, becomes #${x}`;
      case DEMANDED: return `${who(x)} needs #${id}: ${expression(id, t)}`;
      case SHARED: return `${who(x)} needs #${id} again: ${expression(id, t)}`;
      case ENTERED: return `#${id} is entered${x >= 0 ? ': the code of ' + G[x][0] + ' begins' : ''}`;
      case UPDATED: return `step ${e[HEAD + 1]}: ${expression(id, t - 1)} => ${expression(x, t)}`;
      case SELECTED: return `the collector puts a field in the place of the selection #${id}`;
      case PRINTED: return S[x] ? `prints ${quoted(S[x])}` : `#${id} is printed`;
      default: return `#${id} is dead: nothing reaches it`;
    }
  };
  // An event as `gmachine steps --format json` says it.
  const at = (t) => {
    const e = E[t], event = { event: NAMES[e[0]], node: e[1], depth: e[2], instructions: e[3] };
    switch (e[0]) {
      case BORN: event.by = e[HEAD] || null; break;
      case DEMANDED: case SHARED: event.by = e[HEAD] || null; break;
      case FILLED: case SELECTED: event.with = e[HEAD]; break;
      case UPDATED: event.with = e[HEAD]; event.step = e[HEAD + 1]; break;
      case ENTERED:
        event.function = e[HEAD] >= 0 ? G[e[HEAD]][4] : null; event.arguments = e.slice(HEAD + 1); break;
      case PRINTED: event.text = S[e[HEAD]]; break;
    }
    return event;
  };

  // ---- The grid ---------------------------------------------------------------------------

  const isCell = (it) => it.born !== NEVER &&
    (it.demanded !== NEVER || it.entered !== NEVER ||
      (it.kind === APP && !it.isSpine) || it.kind === TEXT || it.kind === INPUT);
  const cells = Array.from(nodes.values()).filter(isCell).sort((a, b) => a.id - b.id);
  const indexOf = new Map(cells.map((it, n) => [it.id, n]));
  // A value stands in the cell of the expression that it was computed for.
  const homes = new Map();
  for (const it of cells) for (const [, to] of it.became) if (!homes.has(to)) homes.set(to, it.id);
  const cellOf = (id) => {
    for (let hops = 0; hops < 10000 && id !== undefined; hops++) {
      if (indexOf.has(id)) return indexOf.get(id);
      id = homes.get(id);
    }
    return -1;
  };
  const HIGH = 32, GAP = 4;
  let columns = 1, wide = 150;
  let now = 0, selected = -1;
  const heap = $('heap'), pool = [];
  const state = (it, t) => {
    if (it.born > t) return 'unborn';
    if (it.dead <= t) return 'dead';
    if (isRunning(it, t) && !isValue(it.id, t)) return 'running';
    const end = nodes.get(valueOf(it.id, t));
    if (end && end !== it && isRunning(end, t)) return 'running';
    return isValue(it.id, t) ? 'value' : 'waiting';
  };
  const SIGNS = { unborn: '', waiting: '○ ', running: '▶ ', value: '● ', dead: '✕ ' };
  const WORDS = { unborn: 'not made yet', waiting: 'not evaluated', running: 'being evaluated', value: 'evaluated', dead: 'dead' };
  const place = (n) => [GAP + (n % columns) * (wide + GAP), GAP + Math.floor(n / columns) * HIGH];
  const drawCells = () => {
    const top = Math.floor(heap.scrollTop / HIGH), rows = Math.ceil(heap.clientHeight / HIGH) + 1;
    const from = Math.max(0, top * columns), to = Math.min(cells.length, (top + rows) * columns);
    const current = cellOf(E[now] ? E[now][1] : 0);
    let used = 0;
    for (let n = from; n < to; n++, used++) {
      let cell = pool[used];
      if (!cell) {
        cell = document.createElement('button');
        cell.tabIndex = -1;
        cell.addEventListener('click', () => select(+cell.dataset.n));
        pool.push(cell);
        $('cells').append(cell);
      }
      const it = cells[n], how = state(it, now), [x, y] = place(n);
      const text = how === 'unborn' ? '' : SIGNS[how] + '#' + it.id + ' ' + expression(it.id, now);
      cell.hidden = false;
      cell.dataset.n = n;
      cell.className = 'cell ' + how + (n === selected ? ' selected' : '') + (n === current ? ' event' : '');
      cell.style.cssText = `left:${x}px;top:${y}px;width:${wide}px`;
      if (cell.textContent !== text) {
        cell.textContent = text;
        cell.title = text;
        cell.setAttribute('aria-label', how === 'unborn' ? WORDS[how] : `${WORDS[how]}: ${text.slice(2)}`);
      }
    }
    for (; used < pool.length; used++) pool[used].hidden = true;
    drawArrows();
  };
  const drawArrows = () => {
    const lines = [];
    const line = (a, b, double) => {
      if (a < 0 || b < 0 || a === b) return;
      const [x1, y1] = place(a), [x2, y2] = place(b);
      const low = heap.scrollTop - 400, high = heap.scrollTop + heap.clientHeight + 400;
      if ((y1 < low && y2 < low) || (y1 > high && y2 > high)) return;
      const from = [x1 + wide / 2, y1 + 13], to = [x2 + wide / 2, y2 + 13];
      lines.push(`<path d="M${from}L${to}" fill="none" stroke="var(--${double ? 'print' : 'mark'})" ` +
        `stroke-width="${double ? 3 : 1.5}" ${double ? 'stroke-dasharray="6 3"' : ''} opacity="0.75"/>` +
        `<circle cx="${to[0]}" cy="${to[1]}" r="4" fill="var(--${double ? 'print' : 'mark'})"/>`);
    };
    const rungs = ladderAt(now).slice(-12).map((rung) => cellOf(rung.node));
    for (let n = 1; n < rungs.length; n++) line(rungs[n - 1], rungs[n], true);
    if (selected >= 0 && cells[selected].born <= now) {
      const end = nodes.get(valueOf(cells[selected].id, now));
      const todo = end ? [end] : [], seen = new Set();
      while (todo.length && seen.size < 30) {
        const it = todo.pop();
        for (const part of it.kind === APP ? it.parts : it.kind === CON ? it.parts.slice(1) : []) {
          if (seen.has(part)) continue;
          seen.add(part);
          const target = cellOf(part), inner = nodes.get(part);
          if (target >= 0) line(selected, target, false);
          else if (inner && inner.kind === APP) todo.push(inner);
        }
      }
    }
    const svg = $('arrows');
    svg.setAttribute('width', heap.clientWidth);
    svg.setAttribute('height', Math.ceil(cells.length / columns) * HIGH + GAP);
    svg.innerHTML = lines.join('');
  };
  const show = (n) => {
    if (n < 0) return;
    const [, y] = place(n);
    if (y < heap.scrollTop || y + HIGH > heap.scrollTop + heap.clientHeight) {
      heap.scrollTop = Math.max(0, y - heap.clientHeight / 2);
    }
  };
  const layout = () => {
    const width = heap.clientWidth - GAP;
    columns = Math.max(1, Math.floor(width / 160));
    wide = Math.floor(width / columns) - GAP;
    $('space').style.height = Math.ceil(cells.length / columns) * HIGH + GAP + 'px';
    drawMarks();
    if ($('follow').checked && E[now]) show(cellOf(E[now][1]));
    drawCells();
  };

  // ---- Program, output, life, ladder ------------------------------------------------------

  const segments = [];
  const buildSource = () => {
    F.files.forEach((file, number) => {
      if (F.files.length > 1) {
        const title = document.createElement('h3');
        title.textContent = file.name;
        $('source').append(title);
      }
      const spans = F.spans.map((span, n) => [span, n]).filter(([span]) => span[0] === number);
      const edges = new Set([0, file.text.length]);
      for (const [span] of spans) { edges.add(span[1]); edges.add(span[2]); }
      const sorted = Array.from(edges).sort((a, b) => a - b);
      // The innermost span that covers a piece: the smallest.
      spans.sort(([a], [b]) => (b[2] - b[1]) - (a[2] - a[1]));
      const inner = new Array(sorted.length).fill(-1);
      const indexAt = new Map(sorted.map((edge, n) => [edge, n]));
      for (const [span, n] of spans) {
        for (let k = indexAt.get(span[1]); k < indexAt.get(span[2]); k++) inner[k] = n;
      }
      for (let k = 0; k + 1 < sorted.length; k++) {
        const piece = document.createElement('span');
        piece.textContent = file.text.slice(sorted[k], sorted[k + 1]);
        $('source').append(piece);
        segments.push({ piece, file: number, lo: sorted[k], hi: sorted[k + 1], inner: inner[k], shown: '' });
      }
    });
  };
  const drawSource = () => {
    const here = F.spans[E[now] ? E[now][4] : -1];
    let first = null;
    for (const it of segments) {
      const isHere = here && here[0] === it.file && here[1] <= it.lo && it.hi <= here[2];
      // -2: never; -1: before the film.
      const ran = it.inner >= 0 ? F.executed[it.inner] : -2;
      const name = isHere ? 'here' : ran > -2 && ran <= now ? 'done' : '';
      if (name !== it.shown) { it.piece.className = name; it.shown = name; }
      if (isHere && !first) first = it.piece;
    }
    const box = $('source');
    if (first && (first.offsetTop - box.offsetTop < box.scrollTop ||
      first.offsetTop - box.offsetTop > box.scrollTop + box.clientHeight - 20)) {
      box.scrollTop = first.offsetTop - box.offsetTop - box.clientHeight / 3;
    }
  };
  const drawOutput = () => {
    let text = '';
    for (const t of prints) { if (t > now) break; text += S[E[t][HEAD]]; }
    const box = $('output');
    if (box.textContent !== text) { box.textContent = text; box.scrollTop = box.scrollHeight; }
  };
  const jump = (text, t) => {
    const button = document.createElement('button');
    button.className = 'link';
    button.textContent = text;
    button.disabled = t < 0;
    button.addEventListener('click', () => go(t));
    return button;
  };
  const item = (...parts) => {
    const li = document.createElement('li');
    li.append(...parts);
    return li;
  };
  const whereOf = (span) => {
    const it = F.spans[span];
    if (!it) return '';
    if (it[0] < 0) return ' at ' + it[1];
    const file = F.files[it[0]], before = file.text.slice(0, it[1]).split('\n');
    return ` at ${file.name}:${before.length}:${Array.from(before[before.length - 1]).length + 1}`;
  };
  const drawLife = () => {
    const box = $('life');
    box.textContent = '';
    if (selected < 0) { box.textContent = 'Click a cell, or select one in the grid with the arrow keys.'; return; }
    const it = cells[selected], how = state(it, now);
    const title = document.createElement('code');
    title.textContent = `#${it.id}: ` + (how === 'unborn' ? 'not made yet' : expression(it.id, now));
    const list = document.createElement('ul');
    list.append(item(WORDS[how]));
    list.append(item(jump('made', it.born), ` by ${it.by ? who(it.by) : 'the machine'}${whereOf(it.span)}`));
    if (it.demanded !== NEVER) list.append(item(jump('demanded', it.demanded), ` by ${who(it.demandedBy)}`));
    else if (it.entered === NEVER) list.append(item('never demanded in this film'));
    if (it.entered !== NEVER) list.append(item(jump('entered', it.entered), it.fn >= 0 ? `: ${G[it.fn][0]}` : ''));
    for (const [t, to] of it.became) {
      const word = t === it.updated ? 'updated' : 'replaced';
      list.append(item(jump(word, t), ` with ${expression(to, Math.max(t, 0))}`));
    }
    const value = nodes.get(valueOf(it.id, N)), again = new Set(it.shared);
    if (value) value.shared.forEach((t) => again.add(t));
    if (again.size) {
      const uses = Array.from(again).sort((a, b) => a - b);
      const parts = [`used again ${uses.length} ${uses.length === 1 ? 'time' : 'times'}: `];
      uses.slice(0, 12).forEach((t) => parts.push(jump(String(t + 1), t), ' '));
      if (uses.length > 12) parts.push('…');
      list.append(item(...parts));
    }
    if (it.dead !== NEVER) list.append(item(jump('dead', it.dead)));
    box.append(title, list);
  };
  const RUNGS = 40;
  const drawLadder = () => {
    const box = $('ladder'), rungs = ladderAt(now), hidden = Math.max(0, rungs.length - RUNGS);
    box.textContent = '';
    box.start = hidden + 1;
    if (hidden) { const li = item(`${hidden} more wait above`); li.value = hidden; box.append(li); }
    rungs.slice(-RUNGS).forEach((rung, n, shown) => {
      const code = document.createElement('code');
      code.textContent = expression(rung.now, now);
      const cell = cellOf(rung.node);
      const button = jump('#' + rung.node, 0);
      button.disabled = cell < 0;
      const fresh = button.cloneNode(true);
      fresh.addEventListener('click', () => select(cell));
      const li = item(fresh, ' ', code);
      if (n === shown.length - 1) li.className = 'now';
      box.append(li);
    });
    box.scrollTop = box.scrollHeight;
  };
  const drawMarks = () => {
    const canvas = $('marks'), ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, high = 18;
    canvas.width = width * ratio; canvas.height = high * ratio;
    const pen = canvas.getContext('2d'), colors = getComputedStyle(document.documentElement);
    pen.scale(ratio, ratio);
    const x = (t) => 8 + (N > 1 ? t / (N - 1) : 0) * (width - 16);
    pen.fillStyle = colors.getPropertyValue('--faint');
    const columnsSeen = new Set();
    for (let t = 0; t < N; t++) {
      if (E[t][0] !== UPDATED) continue;
      const at = Math.round(x(t));
      if (columnsSeen.has(at)) continue;
      columnsSeen.add(at);
      pen.fillRect(at, 11, 1, 7);
    }
    pen.fillStyle = colors.getPropertyValue('--print');
    for (const t of prints) pen.fillRect(Math.round(x(t)) - 1, 0, 2, 9);
  };

  // ---- Going about ------------------------------------------------------------------------

  const go = (t) => {
    if (!N) return;
    now = Math.max(0, Math.min(N - 1, t));
    $('time').value = now;
    const text = say(now);
    $('time').setAttribute('aria-valuetext', `event ${now + 1} of ${N}: ${text}`);
    $('now').textContent = text;
    $('where').textContent = `event ${now + 1} of ${N}, step ${steps[now]}`;
    if ($('follow').checked) show(cellOf(E[now][1]));
    drawCells(); drawSource(); drawOutput(); drawLife(); drawLadder();
  };
  const find = (from, by, wanted) => {
    for (let t = from + by; t >= 0 && t < N; t += by) if (wanted(t)) return t;
    return by > 0 ? N - 1 : 0;
  };
  const step = (by) => go(find(now, by, UNITS[$('unit').value]));
  const select = (n) => {
    if (n < 0 || n >= cells.length) return;
    selected = n;
    show(n);
    drawCells(); drawLife();
    const it = cells[n];
    heap.setAttribute('aria-label', `Cells; selected #${it.id}, ${WORDS[state(it, now)]}: ${expression(it.id, now)}`);
  };
  let timer = 0;
  const play = (on) => {
    clearTimeout(timer);
    timer = 0;
    $('play').textContent = on ? 'pause' : 'play';
    $('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
    if (!on) return;
    const tick = () => {
      step(1);
      if (now >= N - 1) { play(false); return; }
      timer = setTimeout(tick, +$('speed').value);
    };
    timer = setTimeout(tick, +$('speed').value);
  };
  $('first').onclick = () => go(0);
  $('last').onclick = () => go(N - 1);
  $('back').onclick = () => step(-1);
  $('forth').onclick = () => step(1);
  $('play').onclick = () => play(!timer);
  $('time').max = Math.max(0, N - 1);
  $('time').oninput = () => go(+$('time').value);
  heap.addEventListener('scroll', drawCells);
  window.addEventListener('resize', layout);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawMarks);
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const target = document.activeElement, tag = target ? target.tagName : '';
    if (tag === 'SELECT') return;
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    if (target === heap && e.key in moves) {
      e.preventDefault();
      select(selected < 0 ? Math.max(0, cellOf(E[now][1])) : Math.max(0, Math.min(cells.length - 1, selected + moves[e.key])));
      return;
    }
    const of = selected >= 0 ? cells[selected] : null;
    const keys = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(0), End: () => go(N - 1),
      p: () => go(find(now, 1, UNITS.print)), P: () => go(find(now, -1, UNITS.print)),
      n: () => of && go((of.events.filter((t) => t > now)[0] ?? now)),
      N: () => of && go((of.events.filter((t) => t < now).pop() ?? now)),
      d: () => of && of.demanded >= 0 && of.demanded !== NEVER && go(of.demanded),
      ' ': () => play(!timer),
    };
    if (tag === 'INPUT' && target.type === 'range' && e.key !== ' ' && e.key.length > 1) return;
    if ((tag === 'BUTTON' || tag === 'SUMMARY' || target.type === 'checkbox') && e.key === ' ') return;
    if (e.key in keys) { e.preventDefault(); keys[e.key](); }
  });

  $('note').textContent = F.note;
  buildSource();
  layout();
  if (N) go(find(-1, 1, UNITS.step)); else $('now').textContent = 'Nothing happens in this film.';
  window.film = { go, at, say, count: N, ladder: (t) => ladderAt(t).map((rung) => rung.node),
    expression, cells: cells.length, state: (id, t) => state(nodes.get(id), t), now: () => now };
})();
