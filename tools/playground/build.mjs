// Writes the page: build.mjs TO WASM MODULES. TO is its folder, WASM that of apfctl.wasm, MODULES what npm installed.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [to, wasm, modules] = process.argv.slice(2).map((folder) => path.resolve(folder));
const here = path.dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(path.join(modules, 'x.js'))('esbuild');

fs.rmSync(to, { recursive: true, force: true });
fs.mkdirSync(to, { recursive: true });
const { kubernetes } = JSON.parse(execFileSync(process.execPath, [path.join(wasm, 'cli.mjs'), 'version', '-o', 'json']));
const common = { bundle: true, format: 'esm', target: 'es2022', minify: true, outdir: to, nodePaths: [modules], external: ['./apfctl.mjs'], logLevel: 'warning' };
await esbuild.build({
  ...common, entryPoints: [path.join(here, 'app.js')], loader: { '.yaml': 'text', '.gz': 'binary' },
  define: { OLDEST: JSON.stringify(kubernetes.oldest), NEWEST: JSON.stringify(kubernetes.newest) },
});
await esbuild.build({ ...common, entryPoints: [path.join(here, 'worker.js')] });
for (const name of ['index.html', 'style.css', 'icon.svg']) fs.copyFileSync(path.join(here, name), path.join(to, name));
for (const name of ['apfctl.wasm', 'apfctl.mjs']) fs.copyFileSync(path.join(wasm, name), path.join(to, name));

const files = fs.readdirSync(to).sort();
const hash = crypto.createHash('sha256');
for (const name of files) hash.update(name).update(fs.readFileSync(path.join(to, name)));
fs.writeFileSync(path.join(to, 'service-worker.js'), fs.readFileSync(path.join(here, 'service-worker.js'), 'utf8')
  .replace('VERSION', hash.digest('hex').slice(0, 12))
  .replace('[]; // by the build', `${JSON.stringify(['./', ...files])};`));
