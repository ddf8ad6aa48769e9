// Runs apfctl in a Web Worker, so that typing never waits. Each run is an instance of its own with files in memory: nothing
// of it is left, whatever happened. Logs are read from where the user has them, piece by piece.
import load from './apfctl.mjs';

const FOLDER = '/here'; // where a run finds its files
const LOGS = 'logs';
let wasm;

const joined = (parts) => new Blob(parts).text();

// words: the command line; files: name → text or bytes; logs: [File]; input: standard input; wanted: files to give back.
async function run({ words, files = {}, logs = [], input = '', wanted = [] }, tell) {
  const output = [[], []], typed = new TextEncoder().encode(input);
  let code = 0, read = 0;
  const program = await load({
    noInitialRun: true,
    thisProgram: 'apfctl',
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(wasm, imports).then((instance) => done(instance, wasm));
      return {};
    },
    quit(status, thrown) {
      code = status;
      throw thrown;
    },
    preRun: [({ ENV }) => Object.assign(ENV, { TERM: 'xterm', NO_COLOR: '1' })],
  });
  const { FS, WORKERFS } = program;
  const write = (number, stream, buffer, offset, length) => {
    const bytes = buffer.slice(offset, offset + length);
    const text = number === 2 ? new TextDecoder().decode(bytes) : '';
    if (text.startsWith('\r')) tell(text.replace(/^\r\x1b\[K/, ''));
    else output[number - 1].push(bytes);
    return length;
  };
  const take = (stream, buffer, offset, length) => {
    const part = typed.subarray(read, read + length);
    buffer.set(part, offset);
    read += part.length;
    return part.length;
  };
  Object.assign(FS.getStream(0), { tty: false, stream_ops: { read: take, poll: () => 1 } });
  for (const number of [1, 2])
    Object.assign(FS.getStream(number), { tty: number === 2, window: () => [120, 40], stream_ops: { write: (...words) => write(number, ...words) } });
  FS.mkdir(FOLDER);
  FS.chdir(FOLDER);
  for (const [name, content] of Object.entries(files)) FS.writeFile(name, content);
  if (logs.length > 0) {
    FS.mkdir(LOGS);
    FS.mount(WORKERFS, { files: logs }, LOGS);
  }
  let broken = '';
  try {
    program.callMain(words);
  } catch (error) {
    if (error.name !== 'ExitStatus') broken = `apfctl ended: ${error.message}\n`;
  }
  const got = {};
  for (const name of wanted) if (FS.analyzePath(name).exists) got[name] = FS.readFile(name, { encoding: 'utf8' });
  return { code, stdout: await joined(output[0]), stderr: (await joined(output[1])) + broken, files: got };
}

self.onmessage = async ({ data }) => {
  if (data.wasm) {
    ({ wasm } = data);
    return;
  }
  const { id, request } = data;
  try {
    self.postMessage({ id, result: await run(request, (progress) => self.postMessage({ id, progress })) });
  } catch (error) {
    self.postMessage({ id, result: { code: 3, stdout: '', stderr: `apfctl cannot run here: ${error.message}\n`, files: {} } });
  }
};
