#!/usr/bin/env node
// apfctl for Node. The program runs in a thread of its own, with a stack as large as Linux gives one, so that this one hears
// Ctrl-C: as the native program, a long run then reports what it has done so far, and nothing unfinished stays behind.
import fs from 'node:fs';
import path from 'node:path';
import tty from 'node:tty';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { use_node_files } from './node_files.mjs';

const SIGNAL = 0, WAITS = 1; // in what both threads see: the signal that came; the program waits for input or output
const SIGINT = 2;
const PATIENCE = 900; // ms

// Columns and rows of a terminal; null: it is none.
function window_of(fd) {
  if (!tty.isatty(fd)) return null;
  return fd === 0 ? [0, 0] : new tty.WriteStream(fd).getWindowSize();
}

function start() {
  const shared = new SharedArrayBuffer(8), state = new Int32Array(shared);
  const unfinished = new Set();
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { shared, words: process.argv.slice(2), name: path.basename(process.argv[1]).replace(/^cli\.mjs$/, 'apfctl'), windows: [0, 1, 2].map(window_of) },
    resourceLimits: { stackSizeMb: 64, maxOldGenerationSizeMb: 4096 },
  });
  worker.on('message', ({ made, gone }) => (made ? unfinished.add(made) : unfinished.delete(gone)));
  worker.on('exit', (code) => (process.exitCode = code));
  worker.on('error', (error) => {
    process.stderr.write(`apfctl: ${error.message}\n`);
    process.exitCode = 3;
  });
  const die = (signal) => {
    for (const file of unfinished) fs.rmSync(file, { force: true });
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  };
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => die(signal));
  process.on('SIGINT', () => {
    if (Atomics.exchange(state, SIGNAL, SIGINT) === SIGINT) return die('SIGINT');
    setTimeout(() => die('SIGINT'), Atomics.load(state, WAITS) ? PATIENCE / 3 : PATIENCE).unref();
  });
}

async function run() {
  const { shared, words, name, windows } = workerData;
  const state = new Int32Array(shared);
  const { default: load } = await import('./apfctl.mjs');
  const hooks = {
    window_of: (fd) => windows[fd],
    made: (file) => parentPort.postMessage({ made: path.resolve(file) }),
    gone: (file) => parentPort.postMessage({ gone: path.resolve(file) }),
    before_io: () => Atomics.store(state, WAITS, 1),
    after_io() {
      Atomics.store(state, WAITS, 0);
      if (Atomics.load(state, SIGNAL) === SIGINT && !this.interrupted) {
        this.interrupted = true;
        program._raise(SIGINT);
      }
    },
  };
  let program;
  const wasm = fs.readFileSync(new URL('./apfctl.wasm', import.meta.url));
  program = await load({
    noInitialRun: true,
    thisProgram: name,
    wasmBinary: wasm,
    quit: (code) => process.exit(code),
    preRun: [(module) => {
      use_node_files(module.FS, hooks);
      Object.assign(module.ENV, process.env);
    }],
  });
  program.callMain(words);
}

if (isMainThread) start();
else await run();
