// What happened? A log, read from where it is: the page of `apfctl log`, and replays that follow sliders.
import { complaint, fill, h, verdict_of } from './dom.js';
import { Tool, latest } from './tool.js';

// The tool's own page, as it is. It can run nothing, ask for nothing and reach nothing here.
const shown = (title, page) => h('iframe', { sandbox: '', srcdoc: page, title, referrerpolicy: 'no-referrer' });
const size_of = (files) => `${(files.reduce((sum, file) => sum + file.size, 0) / 1e6).toFixed(1)} MB`;

export const log = {
  id: 'log',
  title: 'What happened?',
  fields: ['config', 'load', 'client'],
  help: 'Drop an audit log: who was refused, because of whom, and what to change. Then replay it with more seats or less load. The log stays where it is.',
  examples: [{ name: 'Ten minutes in which a controller runs amok', config: '', log: 'incident' }],
  build(page) {
    const tool = new Tool();
    let logs = [], scrape = null, clients = [];
    const progress = h('p', { class: 'progress', role: 'status' });
    const out = h('div', { class: 'answer' });
    const stop = h('button', { type: 'button', hidden: true, onclick: () => tool.stop() }, 'Stop');
    const drop = h('input', { type: 'file', id: 'logs', multiple: true, onchange: () => take([...drop.files]) });
    const zone = h('div', { class: 'zone', ondragover: (event) => (event.preventDefault(), zone.classList.add('over')), ondragleave: () => zone.classList.remove('over'),
      ondrop: (event) => {
        event.preventDefault();
        zone.classList.remove('over');
        take([...event.dataTransfer.files]);
      } },
    h('label', { for: 'logs' }, 'Drop logs here, or choose them'), drop,
    h('small', {}, 'Audit logs, HTTP logs and klog lines, as they are, compressed or in archives (gzip, zstd, xz, tar, zip and more).'));
    const scraped = h('input', { type: 'file', id: 'scrape', onchange: () => ((scrape = scraped.files[0] ?? null), reread()) });
    const slider = h('input', { type: 'range', id: 'replay-seats', min: '1', max: '3000', oninput: () => page.put('seats', slider.value) });
    const slider_name = h('label', { for: 'replay-seats' });
    const load = h('input', { type: 'range', id: 'load', min: '0', max: '400', step: '5', oninput: () => page.put('load', load.value) });
    const load_name = h('label', { for: 'load' });
    const client = h('select', { id: 'client', onchange: () => page.put('client', client.value) });
    const replayed = h('div', { class: 'answer' });
    const sliders = h('div', { class: 'sliders', hidden: true },
      h('h3', {}, 'What if?'), slider_name, slider, h('label', { for: 'client' }, 'Client'), client, load_name, load, replayed);

    const words_of = (command) => ({ command, words: [command, ...logs.map((file) => `logs/${file.name}`), ...page.config_flags()] });
    async function run(words, wanted) {
      const began = performance.now();
      stop.hidden = false;
      progress.textContent = 'Reading …';
      const files = { ...page.config_files(), ...(scrape ? { 'metrics.txt': await scrape.text() } : {}) };
      const result = await tool.run({ words, files, logs, wanted }, (text) => (progress.textContent = text));
      stop.hidden = true;
      progress.textContent = result ? `${size_of(logs)} in ${((performance.now() - began) / 1000).toFixed(1)} s` : 'Stopped.';
      return result;
    }
    const reread = latest(async () => {
      if (logs.length === 0) return fill(out, h('p', { class: 'empty' }, 'No log yet. Nothing of it leaves this browser: drop one, or start from the example.'));
      const { words } = words_of('log');
      const evidence = scrape ? ['--server', 'metrics.txt'] : [];
      const result = await run([...words, ...evidence, '--kubernetes-version', page.state.release, '-o', 'text', '-o', 'html=page.html', '-o', 'json=log.json'], ['page.html', 'log.json']);
      if (!result) return;
      sliders.hidden = !result.files['page.html'];
      if (sliders.hidden) return fill(out, complaint(result));
      const { load: loads = [], refused } = JSON.parse(result.files['log.json']);
      clients = [...new Set([...(refused?.byUser ?? []), ...loads].map((row) => row.user).filter(Boolean))];
      fill(client, ['', ...clients].map((name) => h('option', { value: name, selected: name === page.state.client }, name || 'all clients')));
      fill(out, h('p', { class: 'verdict' }, verdict_of(result.stdout)), shown('What happened', result.files['page.html']));
      await replay();
    });
    const replay = latest(async () => {
      if (logs.length === 0 || sliders.hidden) return;
      const scale = Number(page.state.load) / 100;
      const { words } = words_of('replay');
      const result = await run([...words, ...page.server_flags(), ...(scale === 1 ? [] : ['--scale', page.state.client ? `${page.state.client}=${scale}` : String(scale)]),
        '-o', 'text', '-o', 'html=page.html'], ['page.html']);
      if (!result) return;
      if (!result.files['page.html']) return fill(replayed, complaint(result));
      fill(replayed, h('p', { class: 'verdict' }, verdict_of(result.stdout)), shown('The replay', result.files['page.html']));
    });
    function take(files) {
      logs = files;
      fill(replayed);
      return reread();
    }
    const names = () => {
      slider_name.textContent = `Seats of the server: ${page.state.seats}`;
      load_name.textContent = `Load: ${page.state.load} % of what it sent`;
      slider.value = page.state.seats;
      load.value = page.state.load;
    };
    names();
    return {
      element: h('div', {},
        h('div', { class: 'columns' },
          h('div', {}, zone, h('label', { for: 'scrape' }, 'A scrape of the server’s /metrics, if there is one (seats, release)'), scraped),
          h('details', { open: page.state.config !== '' }, h('summary', {}, 'The configuration, if it is not what each server has built in'), page.editor('config', 'config.yaml', 'FlowSchemas and PriorityLevelConfigurations'))),
        h('div', { class: 'working' }, progress, stop), out, sliders),
      set: names,
      take,
      update(changed) {
        names();
        return changed === undefined || changed === 'config' || changed === 'release' ? reread() : replay();
      },
    };
  },
};
