// Pages of the documentation, whose programs and commands can be edited and run.

const element = (name, words = '', kind = '') => {
  const it = document.createElement(name);
  it.textContent = words;
  if (kind) it.className = kind;
  return it;
};

// What stands within a line: code, bold, italics, links.
const inline = (box, words, follow) => {
  const parts = /`([^`]+)`|\*\*([^*]+)\*\*|(?<![\w*])[*_]([^*_]+)[*_](?![\w*])|(!?)\[([^\]]*)\]\(([^)\s]+)\)/;
  let rest = words;
  for (let match; (match = parts.exec(rest)); rest = rest.slice(match.index + match[0].length)) {
    box.append(rest.slice(0, match.index));
    const [, code, bold, italic, image, label, target] = match;
    if (code !== undefined) box.append(element('code', code));
    else if (bold !== undefined) { const it = element('b'); inline(it, bold, follow); box.append(it); }
    else if (italic !== undefined) box.append(element('i', italic));
    else if (image) {
      const it = element('img');
      it.src = 'docs/' + target;
      it.alt = label;
      box.append(it);
    } else {
      const it = element('span');
      inline(it, label, follow);
      box.append(follow(it, target) || it);
    }
  }
  box.append(rest);
};

// The words of a line of a shell.
const words = (line) => {
  const out = [];
  for (const match of line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)/g)) {
    out.push(match[1] ?? (match[2] !== undefined ? match[2].replace(/\\(.)/g, '$1') : match[3]));
  }
  return out;
};

// What `gmachine COMMAND ...` asks for; `null` if the playground has no such view.
export const command = (line) => {
  const [program, name, ...rest] = words(line.split(/\s\|\s/)[0]);
  if (program !== 'gmachine' || !['run', 'steps', 'film', 'dump'].includes(name)) return null;
  const wanted = { do: name === 'dump' ? 'stages' : name, file: '', expression: '' };
  for (let n = 0; n < rest.length; n++) {
    const option = rest[n], value = () => rest[++n] ?? '';
    if (option === '-e') wanted.expression = value();
    else if (option === '--stage') wanted.stages = [value()];
    else if (option === '--only') wanted.definition = value();
    else if (/^-O[012]$/.test(option)) wanted.level = +option[2];
    else if (option === '-O') wanted.level = +value();
    else if (option === '--corelib') wanted.corelib = true;
    else if (option === '-v') wanted.verbose = true;
    else if (option === '-o') value();
    else if (/^examples\/\w+\.core$/.test(option)) wanted.file = option;
    else return null;
  }
  if (wanted.do === 'stages') {
    wanted.stages = wanted.stages || ['gcode'];
    if (wanted.definition === undefined) wanted.definition = '*';
  }
  return wanted;
};

// A piece of the page that can be edited and run. `ask(request, output)` answers; `open(wanted)`
// brings it into the editor.
const trial = (label, field, expected, wanted, { ask, open, load }) => {
  const box = element('div', '', 'try'), row = element('div', '', 'row');
  const result = element('pre', expected);
  result.tabIndex = 0;
  const run = element('button', 'Run'), take = element('button', 'Open in the editor');
  const request = async () => {
    const file = wanted.file ? await load(wanted.file) : '';
    const edited = field ? field.value : '';
    return wanted.text === undefined ? { ...wanted, text: file, expression: edited } : { ...wanted, text: edited };
  };
  run.onclick = async () => {
    result.textContent = '';
    let printed = '';
    try {
      const answer = await ask(await request(), (piece) => { printed += piece; result.textContent = printed; });
      if (answer.stages) result.textContent = answer.stages.map((it) => it.text ?? '').join('\n');
      const report = [...answer.reports.filter((it) => it.severity === 'error'), ...(answer.stop ? [answer.stop] : [])];
      if (report.length) result.append(element('span', report.map((it) => it.text).join(''), 'report'));
    } catch (error) {
      result.append(element('span', error.message || 'stopped', 'report'));
    }
  };
  take.onclick = async () => open(await request());
  if (wanted.do !== 'film') row.append(run);
  row.append(take);
  if (label) box.append(element('code', label));
  if (field) box.append(field);
  box.append(row, result);
  return box;
};

const area = (text, label) => {
  const it = element('textarea');
  it.value = text.replace(/\n$/, '');
  it.rows = it.value.split('\n').length;
  it.spellcheck = false;
  it.setAttribute('aria-label', label);
  return it;
};

const commands = (block, tools) => {
  const out = [];
  let plain = [];
  const flush = () => { if (plain.length) out.push(element('pre', plain.join('\n'))); plain = []; };
  const lines = block.replace(/\n$/, '').split('\n');
  for (let n = 0; n < lines.length;) {
    const line = lines[n++], output = [];
    while (n < lines.length && !lines[n].startsWith('$ ')) output.push(lines[n++]);
    const wanted = line.startsWith('$ ') ? command(line.slice(2)) : null;
    if (!wanted) { plain.push(line, ...output); continue; }
    flush();
    const field = wanted.expression ? area(wanted.expression, 'Expression') : null;
    out.push(trial(line, field, output.join('\n') + '\n', wanted, tools));
  }
  flush();
  return out;
};

// Shows a page. `tools.follow(it, target)` makes a link of `it`, if there is one.
export const show = (box, markdown, tools) => {
  box.replaceChildren();
  const lines = markdown.split('\n');
  const isBlock = (line) => /^(#{1,6} |```|[-*] |\d+\. |\||\s*$)/.test(line);
  for (let n = 0; n < lines.length;) {
    const line = lines[n];
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (line.startsWith('```')) {
      const kind = line.slice(3).trim(), block = [];
      for (n++; n < lines.length && !lines[n].startsWith('```'); n++) block.push(lines[n]);
      n++;
      const text = block.join('\n') + '\n';
      if (kind === 'console') box.append(...commands(text, tools));
      else if (kind === 'coref') {
        // What it prints, or the code of its report, comes next.
        let expected = '';
        if (/^```(output|report)$/.test(lines[n] || '')) {
          const there = [];
          for (n++; n < lines.length && !lines[n].startsWith('```'); n++) there.push(lines[n]);
          n++;
          expected = there.join('\n') + '\n';
        }
        box.append(trial('', area(text, 'Program'), expected, { do: 'run', text: '' }, tools));
      } else box.append(element('pre', text));
    } else if (heading) {
      const it = element('h' + Math.min(6, heading[1].length + 1));
      inline(it, heading[2], tools.follow);
      box.append(it);
      n++;
    } else if (/^\|/.test(line)) {
      const table = element('table');
      for (let row = 0; n < lines.length && lines[n].startsWith('|'); n++, row++) {
        if (/^[|\s:-]+$/.test(lines[n])) continue;
        const tr = element('tr');
        for (const cell of lines[n].replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/)) {
          const it = element(row ? 'td' : 'th');
          inline(it, cell.trim(), tools.follow);
          tr.append(it);
        }
        table.append(tr);
      }
      box.append(table);
    } else if (/^([-*]|\d+\.) /.test(line)) {
      const list = element(/^\d/.test(line) ? 'ol' : 'ul');
      while (n < lines.length && /^([-*]|\d+\.) /.test(lines[n])) {
        let item = lines[n++].replace(/^([-*]|\d+\.) /, '');
        while (n < lines.length && /^\s+\S/.test(lines[n])) item += ' ' + lines[n++].trim();
        const it = element('li');
        inline(it, item, tools.follow);
        list.append(it);
      }
      box.append(list);
    } else if (!line.trim()) n++;
    else {
      let paragraph = line;
      for (n++; n < lines.length && !isBlock(lines[n]); n++) paragraph += ' ' + lines[n];
      const it = element('p');
      inline(it, paragraph, tools.follow);
      box.append(it);
    }
  }
};
