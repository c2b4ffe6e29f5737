// Workers that can be stopped.

const source = async () => {
  const answer = fetch('gmachine.wasm');
  // Some servers do not know the type of a .wasm file.
  try {
    return await WebAssembly.compileStreaming(answer.then((it) => it.clone()));
  } catch {
    return WebAssembly.compile(await (await answer).arrayBuffer());
  }
};
const compiled = source();
// One that is stopped has a successor at once, also without a network.
const script = fetch('worker.js').then((answer) => answer.text())
  .then((text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));

export class Stopped extends Error {}

// One worker, which does one thing at a time.
export class Runner {
  constructor() { this.id = 0; this.job = null; this.start(); }

  start() {
    this.worker = Promise.all([script, compiled]).then(([url, module]) => {
      const worker = new Worker(url);
      worker.onmessage = this.take;
      worker.postMessage({ module });
      return worker;
    });
    this.take = ({ data }) => {
      const job = this.job;
      if (!job || data.id !== job.id) return;
      if (data.output !== undefined) { job.output(data.output); return; }
      this.job = null;
      if (data.error !== undefined) job.fail(new Error(data.error)); else job.done(data.answer);
    };
  }

  get busy() { return this.job !== null; }

  // Ends what is under way; it fails with `Stopped`.
  stop() {
    const job = this.job;
    if (!job) return;
    this.worker.then((worker) => worker.terminate());
    this.job = null;
    this.start();
    job.fail(new Stopped());
  }

  // Resolves to the answer; `output` gets what is printed until then.
  ask(request, output = () => {}) {
    this.stop();
    const id = ++this.id;
    return new Promise((done, fail) => {
      this.job = { id, output, done, fail };
      this.worker.then((worker) => { if (this.job && this.job.id === id) worker.postMessage({ id, request }); }, fail);
    });
  }
}
