// Films in a real browser: see `run`.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch } from './chromium.mjs';

const [gmachine, shots] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'film-'));

const chromium = await launch(directory, shots);
const { call, evaluate, key, messages, open, requests, scheme, shoot, size } = chromium;
await call('Performance.enable', { timeDomain: 'threadTicks' });
await call('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });

const run = (...args) => execFileSync(gmachine, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
const films = [
  ['fibs', ['examples/fibs.core']],
  ['primes', ['examples/primes.core']],
  ['expression', ['-e', '(sum (map (mul 2) (filter (lt 3) (range 1 40))))']],
  ['window', ['examples/queens.core', '--from', '500', '--to', '4000']],
];

try {
  for (const [name, program] of films) {
    const path = resolve(directory, `${name}.html`);
    run('film', ...program, '-o', path);
    const bytes = statSync(path).size;
    assert.ok(bytes <= 5_000_000, `${name}: ${bytes} bytes`);
    await size(1280, 800);
    await scheme('light');
    requests.length = 0;
    await open(`file://${path}`);
    const count = await evaluate('film.count');
    assert.ok(count > 50 && count <= 20_000, `${name}: ${count} events`);

    // Each event is the one that `steps` tells of.
    const lines = run('steps', ...program, '--format', 'json').split('\n').slice(1);
    const said = await evaluate('Array.from({length: film.count}, (_, t) => film.at(t))');
    said.forEach((event, t) => {
      const line = JSON.parse(lines[t]);
      for (const [field, value] of Object.entries(event)) {
        assert.deepEqual(value, line[field], `${name}: event ${t + 1}, ${field}: ${lines[t]}`);
      }
    });

    // How long a step takes, and a drag to anywhere: time of the page's thread, so that other
    // processes do not count.
    const busy = async () => {
      const { metrics } = await call('Performance.getMetrics');
      return metrics.find((metric) => metric.name === 'TaskDuration').value * 1000;
    };
    const times = [];
    for (let n = 0; n < 100; n++) {
      const to = n % 2 ? Math.floor(count * ((n * 7919) % 100) / 100) : 'film.now() + 1';
      const before = await busy();
      await evaluate(`film.go(${to}), new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      times.push(await busy() - before);
    }
    times.sort((a, b) => a - b);
    const [middle, worst] = [times[50], times[99]];

    // The keyboard alone.
    await evaluate('film.go(0), document.activeElement.blur()');
    await key('End');
    assert.equal(await evaluate('film.now()'), count - 1);
    await key('Home');
    assert.equal(await evaluate('film.now()'), 0);
    await key('ArrowRight');
    const first = await evaluate('film.now()');
    assert.equal(said[first].event, 'updated', `${name}: a step leads to a reduction`);
    await key('p');
    const print = said.findIndex((event, t) => t > first && event.text);
    assert.equal(await evaluate('film.now()'), print < 0 ? count - 1 : print, `${name}: the next print`);
    const focused = new Set();
    for (let n = 0; n < 40; n++) {
      await call('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
      focused.add(await evaluate('document.activeElement.id'));
    }
    for (const control of ['heap', 'time', 'first', 'back', 'play', 'forth', 'last', 'unit', 'speed', 'follow']) {
      assert.ok(focused.has(control), `${name}: Tab does not reach ${control}`);
    }
    await evaluate('document.getElementById("heap").focus()');
    await key('ArrowRight');
    await key('ArrowDown');
    assert.match(await evaluate('document.getElementById("life").textContent'), /#\d+/);
    const cell = +/#(\d+)/.exec(await evaluate('document.getElementById("life").textContent'))[1];
    const demand = said.findIndex((event) => event.event === 'demanded' && event.node === cell);
    const before = await evaluate('film.now()');
    await key('d');
    assert.equal(await evaluate('film.now()'), demand < 0 ? before : demand, `${name}: when #${cell} was demanded`);
    // The mouse.
    await evaluate('document.querySelector(".cell:not([hidden])").click()');
    assert.match(await evaluate('document.getElementById("life").textContent'), /made/);
    await evaluate('document.getElementById("forth").click()');

    await evaluate(`document.activeElement.blur(), film.go(Math.floor(${count} * 0.6))`);
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      for (const shade of ['light', 'dark']) {
        await size(width, height);
        await scheme(shade);
        await evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        // The grid scrolls in itself, so that it can follow what happens and draws few cells.
        const grid = await evaluate('document.getElementById("heap").clientHeight');
        assert.ok(grid > 100 && grid < height, `${name}: the grid is ${grid} pixels high at ${width}`);
        await shoot(`${name}-${width}-${shade}`);
        const wide = await evaluate('document.documentElement.scrollWidth');
        assert.ok(wide <= width, `${name}: ${wide} pixels wide at ${width}`);
      }
    }
    assert.deepEqual(requests.filter((url) => !url.startsWith('file://') && !url.startsWith('data:')), []);
    assert.deepEqual(messages, []);
    console.log(`${name}: ${count} events, ${bytes} bytes, a step in ${middle.toFixed(1)} ms, at most ${worst.toFixed(1)} ms`);
    assert.ok(worst <= 50, `${name}: a step takes ${worst} ms`);
  }
} finally {
  await chromium.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
