// The pictures of docs/seeing.md, as the commands make them:
//
//     node tests/browser/pictures.mjs target/release/gmachine

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from './chromium.mjs';

const gmachine = process.argv[2];
const directory = mkdtempSync(join(tmpdir(), 'pictures-'));
const browser = await launch(directory, 'docs');
const picture = async (name, args, prepare) => {
  const page = join(directory, `${name}.html`);
  execFileSync(gmachine, [...args, '-o', page]);
  await browser.size(1280, 800);
  await browser.scheme('light');
  await browser.open(`file://${page}`);
  if (prepare) await browser.evaluate(prepare);
  await browser.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await browser.shoot(name);
};
try {
  // The cell of `main` is selected, and fourteen filters wait.
  await picture('film', ['film', 'examples/primes.core'],
    'document.querySelector(".cell:not([hidden])").click(), film.go(Math.floor(film.count * 0.6))');
  await picture('profile', ['profile', 'benches/programs/msort.core', '-e', '(alt 7 (msort (gen 200000 42)))']);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
