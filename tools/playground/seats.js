// Seats: what each level has of its own, lends, and can borrow, for a release and a number of seats.
import { complaint, fill, h } from './dom.js';

const COLUMNS = ['Level', 'Shares', 'Nominal', 'Lends', 'Borrows', 'Range'];

// Its least, what it lends of its nominal seats, what it can borrow; the line is its nominal number.
function bar(level, most) {
  const share = (seats) => (100 * seats) / most;
  const part = (from, to, name, what) => h('rect', { x: share(from), y: 2, width: Math.max(share(to - from), 0), height: 12, class: name }, h('title', {}, what));
  const most_borrowed = Math.min(level.maxCL, most);
  return h('svg', { viewBox: '0 0 100 16', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    part(0, level.minCL, 'own', `${level.minCL} seats that nobody can borrow`),
    part(level.minCL, level.nominalCL, 'lent', `${level.lendableCL} seats that others can borrow`),
    part(level.nominalCL, most_borrowed, 'borrowed', 'seats that it can borrow'),
    h('line', { x1: share(level.nominalCL), x2: share(level.nominalCL), y1: 0, y2: 16 }));
}

export const seats = {
  id: 'seats',
  title: 'Seats',
  fields: ['config'],
  help: 'How many seats each priority level has of its own, how many it lends to others, and how many it can borrow. Move the slider, or change shares in the YAML.',
  examples: [
    { name: 'What every server has built in', config: '' },
    { name: 'A cluster with a level for monitoring', config: 'before' },
    { name: 'And one for a controller', config: 'after' },
  ],
  build(page) {
    const slider = h('input', { type: 'range', id: 'seats-slider', min: '1', max: '3000', value: page.state.seats, oninput: () => page.put('seats', slider.value) });
    const out = h('div', { class: 'answer' });
    const update = async () => {
      const result = await page.tool.run({ words: ['limits', ...page.config_flags(), ...page.server_flags(), '-o', 'json'], files: page.config_files() });
      if (!result) return;
      if (result.code !== 0) return fill(out, complaint(result));
      const { levels, serverConcurrencyLimit: all, nominalSum: sum } = JSON.parse(result.stdout);
      const shown = levels.toSorted((one, other) => other.nominalCL - one.nominalCL);
      const most = Math.max(all, ...levels.map((level) => level.nominalCL));
      fill(out,
        h('p', { class: 'verdict' }, `${all.toLocaleString('en')} seats; the levels have ${sum.toLocaleString('en')} of their own`),
        h('p', { class: 'legend' }, h('i', { class: 'own' }), 'own ', h('i', { class: 'lent' }), 'lends ', h('i', { class: 'borrowed' }), 'can borrow'),
        h('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Seats of levels' }, h('table', { class: 'seats' },
          h('thead', {}, h('tr', {}, COLUMNS.map((name) => h('th', { scope: 'col' }, name)))),
          h('tbody', {}, shown.map((level) => h('tr', {},
            h('th', { scope: 'row' }, level.name), h('td', {}, level.type === 'Exempt' ? 'exempt' : String(level.nominalConcurrencyShares)), h('td', {}, String(level.nominalCL)),
            h('td', {}, String(level.lendableCL)), h('td', {}, String(Math.max(level.maxCL - level.nominalCL, 0))), h('td', { class: 'bar' }, bar(level, most))))))));
    };
    return {
      element: h('div', { class: 'columns' },
        h('div', {}, page.editor('config', 'config.yaml', 'FlowSchemas and PriorityLevelConfigurations')),
        h('div', {}, h('label', { for: 'seats-slider' }, 'Seats of the server'), slider, out)),
      set: () => (slider.value = page.state.seats),
      update,
    };
  },
};
