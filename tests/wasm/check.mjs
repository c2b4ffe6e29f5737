// Runs programs in the WebAssembly module whose path is the first argument, and compares what
// they print with what they should.
import { readFileSync } from "node:fs";

const [, , path, root] = process.argv;
const { instance } = await WebAssembly.instantiate(readFileSync(path), {});
const { memory, allocate, run, answer } = instance.exports;

function evaluate(text, machine, fuel = 1_000_000_000n) {
  const bytes = new TextEncoder().encode(text);
  const at = allocate(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const length = run(machine, fuel);
  return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), length));
}

const fibs = readFileSync(`${root}/examples/fibs.core`, "utf8");
const factorial = `(defn fact[n] (if (eq n 0) 1 (mul n (fact (sub n 1)))))\n(defn main[] (fact 40))`;
const garbage = `
(defn build[n] (if (eq n 0) Nil (Cons (mul n n) (build (sub n 1)))))
(defn loop[k acc] (if (eq k 0) acc (loop (sub k 1) (add acc (sum (build 1000))))))
(defn main[] (loop 300 0))`;
const deep = `(defn count[n] (if (eq n 0) 0 (add 1 (count (sub n 1)))))\n(defn main[] (count 100000))`;
const nested = `(defn main[] ${"(add 1 ".repeat(20000)}0${")".repeat(20000)})`;

const cases = [
  ["fibs.core", fibs, /^0 1 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181 Nil\n$/],
  ["big integers", factorial, /^815915283247897734345611269596115894272000000000\n$/],
  ["collections", garbage, /^100150050000\n$/],
  ["deep recursion", deep, /^100000\n$/],
  ["a run-time error", "(defn main[] (div 1 0))", /^\n?error\[G0502\][^]*<program>:1:14/],
  ["a mistake", "(defn main[] (fibs 1))", /^error\[G0301\][^]*<program>:1:15/],
  ["a limit", "(defn f[n] (f (add n 1)))\n(defn main[] (f 0))", /^\n?error\[G0602\]/, 100_000n],
];
let failed = 0;
for (const [name, text, expected, fuel] of cases) {
  for (const machine of [0, 1]) {
    let printed;
    try {
      printed = evaluate(text, machine, fuel);
    } catch (error) {
      printed = `it threw ${error}`;
    }
    if (!expected.test(printed)) {
      failed += 1;
      console.error(`${name} on machine ${machine} printed:\n${printed.slice(0, 400)}\nnot ${expected}`);
    }
  }
}
console.log(`${2 * cases.length - failed} of ${2 * cases.length} runs are right`);
process.exit(failed === 0 ? 0 : 1);
