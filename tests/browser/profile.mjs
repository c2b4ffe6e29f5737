// Pages of `gmachine profile` in a real browser: see `run`.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch } from './chromium.mjs';

const [gmachine, shots] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'profile-'));
const chromium = await launch(directory, shots);
const { call, evaluate, key, messages, open, requests, scheme, shoot, size } = chromium;
await call('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });

const run = (...args) => execFileSync(gmachine, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
const leak = '(letrec ([table (map square (range 1 200000))]) (div (sum table) (length table)))';
const profiles = [
  ['queens', ['examples/queens.core']],
  ['leak', ['-e', leak]],
  ['short', ['-e', '(add 1 2)']],
];
const text = (selector) => evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const texts = (selector) => evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((it) => it.textContent)`);
const settle = () => evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
const tab = async () => {
  await call('Input.dispatchKeyEvent', { type: 'keyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
  await call('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 });
};
// With its character, which what the browser does by itself needs.
const enter = async () => {
  const pressed = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 };
  await call('Input.dispatchKeyEvent', { type: 'keyDown', text: '\r', ...pressed });
  await call('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
};
const choose = (id, value) => evaluate(`(($) => { $.value = ${JSON.stringify(value)}; $.dispatchEvent(new Event('change')); })(document.getElementById('${id}'))`);

try {
  for (const [name, program] of profiles) {
    const path = resolve(directory, `${name}.html`);
    run('profile', ...program, '-o', path);
    const bytes = statSync(path).size;
    assert.ok(bytes <= 5_000_000, `${name}: ${bytes} bytes`);
    await size(1280, 800);
    await scheme('light');
    requests.length = 0;
    await open(`file://${path}`);

    // The page has what the command prints as JSON, but for the clocks.
    const wanted = JSON.parse(run('profile', ...program, '--format', 'json'));
    const data = await evaluate('profile.data');
    for (const object of [wanted, data]) delete object.clocks;
    assert.deepEqual(data, wanted, `${name}: the data`);
    assert.equal(await text('#verdict'), wanted.verdict);

    // Live memory: at each census the areas, and the list beside them, are what is alive.
    const censuses = wanted.censuses.length;
    for (const by of ['holder', 'function', 'constructor', 'kind']) {
      await choose('by', by);
      const sums = await evaluate('profile.data.censuses.map((_, at) => profile.bands().reduce((sum, band) => sum + band.bytes[at], 0))');
      assert.deepEqual(sums, wanted.censuses.map((census) => census.live_bytes), `${name}: areas by ${by}`);
      assert.equal(await evaluate('document.querySelectorAll("#chart path").length'), censuses ? await evaluate('profile.bands().length') : 0);
    }
    await choose('by', 'holder');
    if (censuses > 1) {
      await evaluate('document.getElementById("time").focus()');
      await key('Home');
      assert.match(await text('#when'), new RegExp(`^Census 1 of ${censuses}:`), `${name}: the slider by keyboard`);
      await key('End');
      assert.match(await text('#when'), new RegExp(`^Census ${censuses} of ${censuses}:`));
      await evaluate('document.querySelector("#chart path").focus()');
      await key('Enter');
      const chosen = await evaluate('profile.state.selected');
      assert.ok(chosen && (await text('#when')).endsWith(`shown: ${chosen}`), `${name}: an area by keyboard`);
      for (const holder of await texts('#held tbody td:first-child')) assert.equal(holder, chosen);
      await evaluate('document.querySelector("#legend button[aria-pressed=true]").click()');
      assert.equal(await evaluate('profile.state.selected'), null, `${name}: the same again takes it back`);
    }

    // Paths: what begins with holders is all that is alive at the peak; a row opens and closes.
    const live = wanted.paths.reduce((sum, path) => sum + path[4], 0);
    assert.equal(live, Math.max(0, ...wanted.censuses.map((census) => census.live_bytes)), `${name}: the paths`);
    const roots = await evaluate('[...document.querySelectorAll("#paths > details > summary, #paths > .leaf")].map((row) => parseFloat(/([0-9.]+) %$/.exec(row.textContent)[1]))');
    if (censuses > 0) assert.ok(Math.abs(roots.reduce((sum, part) => sum + part, 0) - 100) < 1, `${name}: ${roots} % by path`);
    if (censuses > 0 && await evaluate('document.querySelector("#paths summary") !== null')) {
      const isOpen = () => evaluate('document.querySelector("#paths details").open');
      const before = await isOpen();
      await evaluate('document.querySelector("#paths summary").focus()');
      await enter();
      assert.equal(await isOpen(), !before, `${name}: a path by keyboard`);
      await enter();
      assert.equal(await isOpen(), before);
    }

    // Functions: each head sorts, the field leaves those of a name.
    const heads = await evaluate('document.querySelectorAll("#functions th button").length');
    for (let at = 0; at < heads; at++) {
      await evaluate(`document.querySelectorAll("#functions th button")[${at}].click()`);
      assert.equal(await evaluate(`document.querySelectorAll("#functions th")[${at}].getAttribute("aria-sort")`), at ? 'descending' : 'ascending');
    }
    await evaluate('document.querySelectorAll("#functions th button")[2].click()');
    const costs = await texts('#functions tbody td:nth-child(3)');
    const sorted = wanted.functions.map((row) => row.instructions).sort((a, b) => b - a).slice(0, costs.length);
    assert.deepEqual(costs, sorted.map((number) => number.toLocaleString('en-US')), `${name}: sorted by instructions`);
    await evaluate('(($) => { $.value = "main"; $.dispatchEvent(new Event("input")); })(document.getElementById("only"))');
    for (const shown of await texts('#functions tbody td:first-child')) assert.match(shown, /main/);
    await evaluate('(($) => { $.value = ""; $.dispatchEvent(new Event("input")); })(document.getElementById("only"))');

    // Stacks: a bar is what its stacks are; a click enlarges it.
    const bars = await evaluate('[...document.querySelectorAll("#flame button")].map((bar) => [bar.textContent, parseFloat(bar.style.width), parseFloat(bar.style.top)])');
    const widths = bars.filter(([, , top]) => top === 0).reduce((sum, [, width]) => sum + width, 0);
    if (wanted.stacks.some(([, , instructions]) => instructions > 0)) {
      assert.ok(Math.abs(widths - 100) < 1, `${name}: the lowest bars take ${widths} %`);
      await evaluate('[...document.querySelectorAll("#flame button")].pop().click()');
      assert.match(await text('#frame'), /^enlarged: /);
      await evaluate('document.getElementById("whole").click()');
      assert.match(await text('#frame'), /samples$/);
      await choose('weight', '3');
      await choose('weight', '2');
    }

    // The keyboard reaches every control.
    await evaluate('document.activeElement.blur()');
    const focused = new Set();
    for (let n = 0; n < 120; n++) {
      await tab();
      focused.add(await evaluate('document.activeElement.id || document.activeElement.closest("#chart, #legend, #paths, #functions, #flame")?.id || ""'));
    }
    const controls = ['by', 'only', 'functions', 'weight', 'whole'];
    if (censuses > 1) controls.push('chart', 'time', 'legend', 'paths');
    for (const control of controls) assert.ok(focused.has(control), `${name}: Tab does not reach ${control}: ${[...focused]}`);

    await evaluate('document.activeElement.blur(), scrollTo(0, 0)');
    for (const [width, height] of [[1280, 800], [390, 844]]) {
      for (const shade of ['light', 'dark']) {
        await size(width, height);
        await scheme(shade);
        await settle();
        await shoot(`profile-${name}-${width}-${shade}`);
        const wide = await evaluate('document.documentElement.scrollWidth');
        assert.ok(wide <= width, `${name}: ${wide} pixels wide at ${width}`);
      }
    }
    assert.deepEqual(requests.filter((url) => !url.startsWith('file://') && !url.startsWith('data:')), []);
    assert.deepEqual(messages, []);
    console.log(`profile of ${name}: ${bytes} bytes, ${censuses} censuses, ${bars.length} bars`);
  }
} finally {
  await chromium.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
