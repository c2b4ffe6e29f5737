// Answers requests with the library. The page ends this worker to stop a program.
'use strict';
(() => {
  // How many bytes a program may print before it is stopped.
  const OUTPUT = 1 << 20;
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  let module = null, instance = null, printed = 0, current = 0;

  class TooMuch extends Error {}
  const imports = {
    playground: {
      output: (at, length) => {
        printed += length;
        const bytes = new Uint8Array(instance.exports.memory.buffer, at, length);
        postMessage({ id: current, output: decoder.decode(bytes) });
        if (printed > OUTPUT) throw new TooMuch();
      },
      milliseconds: () => performance.now(),
    },
  };

  const answer = (request) => {
    instance = instance || new WebAssembly.Instance(module, imports);
    const { memory, allocate, call, answer: address } = instance.exports;
    const bytes = encoder.encode(JSON.stringify(request));
    const at = allocate(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const length = call();
    return JSON.parse(decoder.decode(new Uint8Array(memory.buffer, address(), length)));
  };

  onmessage = ({ data }) => {
    if (data.module) { module = data.module; return; }
    current = data.id;
    printed = 0;
    let message;
    try {
      message = { answer: answer(data.request) };
    } catch (error) {
      // What is left of the instance is of no use.
      instance = null;
      message = { error: error instanceof TooMuch ? `more than ${OUTPUT} bytes of output: the program is stopped`
        : error instanceof RangeError ? 'the program is nested too deeply for this browser'
        : String(error) };
    }
    // Memory of WebAssembly never shrinks.
    if (instance && instance.exports.memory.buffer.byteLength > 1 << 26) instance = null;
    postMessage({ id: current, ...message });
  };
})();
