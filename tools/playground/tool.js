// apfctl as a function: a command line and files in, its exit code and output back.

let compiled; // once for all workers
const compile = () => (compiled ??= WebAssembly.compileStreaming(fetch('apfctl.wasm')));

export class Tool {
  #worker;
  #waiting = new Map(); // id → {done, tell}
  #number = 0;

  async #start() {
    const wasm = await compile();
    const worker = new Worker('worker.js', { type: 'module' });
    worker.postMessage({ wasm });
    worker.onmessage = ({ data: { id, progress, result } }) => {
      const { done, tell } = this.#waiting.get(id) ?? {};
      if (progress !== undefined) return tell?.(progress);
      this.#waiting.delete(id);
      done?.(result);
    };
    return worker;
  }

  // See worker.js for what is in `request`. Null where stop() came before the end.
  async run(request, tell) {
    const worker = await (this.#worker ??= this.#start());
    const id = ++this.#number;
    return new Promise((done) => {
      this.#waiting.set(id, { done, tell });
      worker.postMessage({ id, request });
    });
  }

  async stop() {
    const worker = this.#worker;
    this.#worker = undefined;
    for (const { done } of this.#waiting.values()) done(null);
    this.#waiting.clear();
    (await worker)?.terminate();
  }
}

// The last of several runs that are asked for while one goes on; those between are left out.
export function latest(action) {
  let running = false, next;
  return async function again(...words) {
    next = words;
    if (running) return;
    running = true;
    try {
      while (next) {
        const now = next;
        next = undefined;
        await action(...now);
      }
    } finally {
      running = false;
    }
  };
}
