// The page of `make playground` in Chromium without a screen: each door from end to end, what it asks of the network, offline,
// hostile inputs, memory, and axe-core. Last line: "N passed, N failed".
//
//   check.mjs PAGE MODULES LOG [PICTURES]    the folder of the page, what npm installed, a long log; PICTURES: a folder for them
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [folder, modules, long_log, pictures] = process.argv.slice(2).map((name) => path.resolve(name));
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(path.join(modules, 'x.js'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css', '.svg': 'image/svg+xml' };
const DOORS = ['who', 'change', 'seats', 'log', 'test'];

let passed = 0, failed = 0;
function verdict(name, fault) {
  if (fault) {
    failed += 1;
    console.log(`FAILED ${name}: ${fault}`);
  } else passed += 1;
}
const attempt = async (name, action) => {
  try {
    verdict(name, await action());
  } catch (error) {
    verdict(name, error.message);
  }
};

// The server counts what it is asked for.
let asked = [];
const server = http.createServer((request, response) => {
  const name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
  asked.push(name);
  const file = path.join(folder, name === '/' ? 'index.html' : name);
  if (!fs.existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' }).end(fs.readFileSync(file));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const home = `http://127.0.0.1:${server.address().port}/`;

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
});
const faults = []; // errors, requests to others, dialogs: of all pages
async function new_page(address = home, size = { width: 1280, height: 900 }, scheme = 'light') {
  const page = await browser.newPage();
  await page.setViewport(size);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
  page.on('dialog', (dialog) => (faults.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on('request', (request) => { if (!/^(http:\/\/127\.0\.0\.1|about:|blob:|data:)/.test(request.url())) faults.push(`asks for ${request.url()}`); });
  await page.goto(address);
  await page.waitForSelector('.head h2');
  return page;
}
const text_of = (page, selector = 'main') => page.$eval(selector, (element) => element.innerText);
const shows = async (page, text, selector = 'main', timeout = 20000) => {
  try {
    await page.waitForFunction((where, what) => document.querySelector(where)?.innerText.includes(what), { timeout }, selector, text);
    return '';
  } catch {
    return `does not show "${text}" but: ${(await text_of(page, selector).catch(() => 'nothing')).slice(0, 600)}`;
  }
};
const go = async (page, door) => {
  await page.click(`nav a[data-door=${door}]`);
  await page.waitForSelector(`nav a[data-door=${door}][aria-current]`);
};
const example = async (page, number) => {
  const value = await page.$eval('#example', (select, at) => select.options[at].value, number);
  await page.select('#example', value);
};
const slide = (page, selector, value) =>
  page.$eval(selector, (input, to) => {
    input.value = to;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, String(value));
const typed = async (page, selector, text) => {
  await page.click(selector);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.press('Backspace');
  await page.keyboard.sendCharacter(text);
};

const page = await new_page();
await attempt('an empty door says what to do', () => shows(page, 'Write a request above'));

// --- who gets this request? ---
await attempt('who: the nearest miss', async () => {
  await example(page, 1);
  return shows(page, 'service-accounts → workload-low; not jail');
});
await attempt('who: the rung that takes it, and the near one', async () =>
  (await page.$eval('.ladder .taken b', (rung) => rung.textContent)) === 'service-accounts' && (await page.$eval('.ladder .near b', (rung) => rung.textContent)) === 'jail' ? '' : 'others');
await attempt('who: the cards of its hand', async () => ((await page.$$('.queues .dealt')).length === 6 ? '' : 'not six'));
await attempt('who: a finding in the editor, and its fix by a click', async () => {
  const mark = await page.waitForSelector('.cm-lintRange', { timeout: 20000 });
  await mark.scrollIntoView();
  await mark.hover();
  const fix = await page.waitForSelector('.cm-tooltip .cm-diagnosticAction', { timeout: 20000 });
  await fix.click();
  return shows(page, 'jail → workload-jail');
});
await attempt('who: an explanation under the mouse', async () => {
  await page.mouse.move(5, 5);
  const key = await page.evaluateHandle(() => [...document.querySelectorAll('.cm-line span')].find((span) => span.textContent === 'matchingPrecedence'));
  await key.hover();
  await page.waitForSelector('.cm-tooltip .explanation', { timeout: 20000 });
});
await attempt('who: completion', async () => {
  await page.mouse.move(5, 5);
  await typed(page, '.cm-content', 'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: a}\nspec:\n  ');
  await page.keyboard.type('matchi');
  await page.waitForSelector('.cm-tooltip-autocomplete li', { timeout: 20000 });
  const offered = await text_of(page, '.cm-tooltip-autocomplete');
  await page.keyboard.press('Escape');
  return offered.includes('matchingPrecedence') ? '' : offered;
});
await attempt('who: what the tool cannot read is said in its words', async () => {
  await typed(page, '.cm-content', 'kind: [');
  return shows(page, 'config.yaml:1', '.complaint');
});

// --- a link ---
await attempt('a link holds what is in the editors', async () => {
  await example(page, 1);
  await shows(page, 'not jail');
  await new Promise((done) => setTimeout(done, 300));
  const address = page.url();
  asked = [];
  const other = await new_page(address);
  const fault = await shows(other, 'service-accounts → workload-low; not jail');
  await other.close();
  return fault || (asked.some((name) => name.includes('who.')) ? 'the state was sent' : '');
});

// --- what changes? ---
await attempt('change: regions, seats, lint', async () => {
  await go(page, 'change');
  await example(page, 1);
  return (await shows(page, 'service-accounts (workload-low) → order-sync (order-sync)')) || (await shows(page, 'not there')) || shows(page, 'after.yaml: lint finds');
});

// --- seats ---
await attempt('seats: bars follow the slider', async () => {
  await go(page, 'seats');
  await shows(page, '600 seats');
  await slide(page, '#seats-slider', 1200);
  return (await shows(page, '1,200 seats')) || ((await page.$eval('#seats', (input) => input.value)) === '1200' ? '' : 'the number does not');
});

// --- test ---
await attempt('test: red with the line that is missing, then green', async () => {
  await go(page, 'test');
  await example(page, 1);
  const fault = (await shows(page, '1 of 9 tests failed')) || (await shows(page, 'needs clusterScope: true'));
  await example(page, 2);
  return fault || shows(page, 'All 9 tests passed');
});

// --- what happened? ---
await attempt('log: the page of the incident, and its replay', async () => {
  await go(page, 'log');
  await example(page, 1);
  return (await shows(page, 'refused 301 of 2,662 requests')) || ((await page.waitForSelector('.sliders iframe', { timeout: 30000 })) ? '' : 'no replay');
});
await attempt('log: the pages cannot run anything', async () =>
  (await page.$$eval('iframe', (frames) => frames.length === 2 && frames.every((frame) => frame.getAttribute('sandbox') === ''))) ? '' : 'a frame is not sandboxed');
await attempt('log: they show what they say', async () => {
  for (const [selector, text] of [['.answer iframe', 'order-sync'], ['.sliders iframe', 'workload-low']]) {
    const frame = await (await page.$(selector)).contentFrame();
    const said = await frame.evaluate(() => [document.body.innerText, getComputedStyle(document.body).maxWidth, document.body.offsetHeight].join(' '));
    if (!said.includes(text)) return `${selector}: ${said.slice(0, 200)}`;
  }
  return '';
});
await attempt('log: a replay follows the sliders', async () => {
  const before = await page.$eval('.sliders iframe', (frame) => frame.srcdoc);
  await slide(page, '#replay-seats', 40);
  await slide(page, '#load', 200);
  await page.waitForFunction((old) => document.querySelector('.sliders iframe')?.srcdoc !== old, { timeout: 30000 }, before);
});
const times = [];
await attempt(`log: ${(fs.statSync(long_log).size / 1e6).toFixed(0)} MB are read from where they are`, async () => {
  const began = performance.now();
  await (await page.$('#logs')).uploadFile(long_log);
  await page.waitForFunction(() => /^\d/.test(document.querySelector('.progress').textContent) && document.querySelector('.verdict')?.innerText.includes('requests') &&
    document.querySelector('.working button').hidden && document.querySelector('.progress').textContent.match(/^1\d\d/), { timeout: 120000 });
  times.push(`log and replay in the page: ${((performance.now() - began) / 1000).toFixed(1)} s`);
});
await attempt('log: a run stops when it is told to', async () => {
  await page.waitForFunction(() => document.querySelector('.working button').hidden, { timeout: 60000 });
  await slide(page, '#replay-seats', 700);
  await page.waitForFunction(() => !document.querySelector('.working button').hidden, { timeout: 20000 });
  await page.click('.working button');
  const fault = await shows(page, 'Stopped.', '.progress');
  await slide(page, '#replay-seats', 710);
  await page.waitForFunction(() => /^1\d\d.* MB in/.test(document.querySelector('.progress').textContent), { timeout: 60000 });
  return fault;
});

// --- memory ---
const memory_of = () => {
  let sum = 0;
  for (const id of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('--type=renderer'))
        sum += Number(/RssAnon:\s+(\d+)/.exec(fs.readFileSync(`/proc/${id}/status`, 'utf8'))[1]);
    } catch { /* it is gone */ }
  }
  return sum / 1024;
};
await attempt('memory does not grow with the number of runs', async () => {
  const seen = [];
  for (let i = 0; i < 10; i += 1) {
    await slide(page, '#replay-seats', 500 + i);
    await page.waitForFunction((seats) => document.querySelector('.sliders label').textContent.endsWith(seats) && !document.querySelector('.working button').hidden, { timeout: 20000 }, String(500 + i)).catch(() => {});
    await page.waitForFunction(() => document.querySelector('.working button').hidden, { timeout: 60000 });
    seen.push(memory_of());
  }
  times.push(`memory of the page over ten runs: ${seen.map((mb) => mb.toFixed(0)).join(' ')} MB`);
  return Math.max(...seen.slice(7)) > 1.3 * Math.max(...seen.slice(0, 4)) + 50 ? seen.join(' ') : '';
});

// --- hostile inputs ---
await attempt('hostile: nothing of a log or a configuration runs or is asked for', async () => {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'playground-'));
  const name = path.join(scratch, '<img src=x onerror=alert(1)>.log');
  fs.copyFileSync(path.join(root, 'tests/golden/inputs/hostile.jsonl'), name);
  const hostile = await new_page(`${home}#log`);
  await (await hostile.$('#logs')).uploadFile(name);
  await hostile.waitForSelector('iframe, .complaint', { timeout: 30000 });
  await go(hostile, 'who');
  await typed(hostile, '.cm-content', 'apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: {name: "<script>alert(1)</script><img src=http://example.com/x onerror=alert(1)>"}\nspec: {matchingPrecedence: 1}\n');
  await typed(hostile, '#request', 'list "<img src=x onerror=alert(2)>" as "<script>alert(3)</script>"');
  await hostile.waitForSelector('.complaint', { timeout: 20000 });
  const made = await hostile.$$eval('main img, main script', (elements) => elements.length);
  await hostile.close();
  fs.rmSync(scratch, { recursive: true });
  return made ? 'it became an element' : '';
});
await attempt('hostile: a link with nonsense opens the page', async () => {
  const other = await new_page(`${home}#who.AAAA_nonsense-${'x'.repeat(500)}`);
  const fault = await shows(other, 'Write a request above');
  await other.close();
  return fault;
});

// --- keyboard, sizes, colors ---
await attempt('the keyboard alone gets to the answer', async () => {
  const other = await new_page();
  for (let i = 0; i < 40 && (await other.evaluate(() => document.activeElement.id)) !== 'request'; i += 1) await other.keyboard.press('Tab');
  await other.keyboard.type('get pods -n shop as node:a');
  const fault = await shows(other, 'system-nodes → system');
  await other.close();
  return fault;
});
for (const [scheme, width] of [['light', 1280], ['dark', 1280], ['light', 400], ['dark', 400]]) {
  const other = await new_page(home, { width, height: 900 }, scheme);
  for (const door of DOORS) {
    await go(other, door);
    await example(other, door === 'seats' ? 2 : 1);
    await other.waitForSelector(door === 'log' ? '.sliders iframe' : '.verdict', { timeout: 30000 }).catch(() => {});
    await new Promise((done) => setTimeout(done, 800));
    const name = `${door}, ${scheme}, ${width} pixels`;
    if (pictures) await other.screenshot({ path: path.join(pictures, `${door}-${scheme}-${width}.png`), fullPage: true });
    await attempt(`${name}: nothing is wider than the page`, async () => {
      const wide = await other.evaluate(() => document.scrollingElement.scrollWidth);
      return wide > width ? `${wide}` : '';
    });
    await attempt(`${name}: axe`, async () => {
      await other.evaluate(`${axe}; undefined`).catch(() => other.addScriptTag({ content: axe }));
      const { violations } = await other.evaluate(() => window.axe.run(document, { iframes: false }));
      return violations.map((one) => `${one.id} (${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join('; ')})`).join(', ');
    });
  }
  await other.close();
}

// --- offline ---
await attempt('all works without a network, once it was loaded', async () => {
  await page.evaluate(() => navigator.serviceWorker.ready);
  server.closeAllConnections?.();
  await new Promise((done) => server.close(done));
  const other = await new_page(`${home}#seats`);
  const fault = await shows(other, '600 seats');
  await go(other, 'log');
  await example(other, 1);
  return fault || shows(other, 'refused 301 of 2,662 requests');
});
verdict('no error, no dialog, nothing asked of others', [...new Set(faults)].join('\n'));

await browser.close();
for (const line of times) console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
