// Headless Chromium, spoken to through a pipe: messages of the DevTools protocol end in a zero byte.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Starts the browser with one page. Its profile is kept in `directory`; screenshots go to `shots`, if
// that is a folder.
export const launch = async (directory, shots) => {
  const browser = spawn('chromium', [
    '--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-extensions',
    '--disable-features=IsolateSandboxedIframes', '--remote-debugging-pipe', `--user-data-dir=${join(directory, 'profile')}`, 'about:blank',
  ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  let number = 0, rest = '';
  const waiting = new Map(), listeners = [];
  browser.stdio[4].setEncoding('utf8');
  browser.stdio[4].on('data', (bytes) => {
    const messages = (rest + bytes).split('\0');
    rest = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id) {
        const { done, fail } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) fail(new Error(message.error.message)); else done(message.result);
      } else listeners.forEach((listener) => listener(message));
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((done, fail) => {
    const id = ++number;
    waiting.set(id, { done, fail });
    browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
  });

  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const call = (method, params) => send(method, params, sessionId);
  const evaluate = async (expression) => {
    const answer = await call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    assert.equal(answer.exceptionDetails, undefined, JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  const requests = [], messages = [];
  listeners.push(({ method, params }) => {
    if (method === 'Network.requestWillBeSent') requests.push(params.request.url);
    if (method === 'Runtime.consoleAPICalled') messages.push(JSON.stringify(params.args));
    if (method === 'Runtime.exceptionThrown') messages.push(JSON.stringify(params.exceptionDetails));
    if (method === 'Log.entryAdded') messages.push(params.entry.text);
  });
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await call(`${domain}.enable`);

  const size = (width, height) => call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  const scheme = (value) => call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
  const open = async (url) => {
    const loaded = new Promise((done) => listeners.push(({ method }) => method === 'Page.loadEventFired' && done()));
    await call('Page.navigate', { url });
    await loaded;
  };
  const key = async (name) => {
    const event = { key: name, text: name.length === 1 ? name : undefined };
    await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  };
  const shoot = async (name) => {
    if (!shots) return;
    mkdirSync(shots, { recursive: true });
    const { data } = await call('Page.captureScreenshot', { format: 'png' });
    writeFileSync(join(shots, `${name}.png`), Buffer.from(data, 'base64'));
  };
  // Its files can be removed when it has ended.
  const close = () => new Promise((done) => { browser.once('exit', done); browser.kill(); });
  return { call, close, evaluate, key, listeners, messages, open, requests, scheme, send, shoot, size };
};
