// What changes? Two configurations: which requests move, seats before and after, what lint finds in both.
import { complaint, fill, h, plural, verdict_of } from './dom.js';

const region = ({ from, to, requests, commands }) =>
  h('li', {},
    h('b', {}, `${from.flowSchema} (${from.priorityLevel}) → ${to.flowSchema} (${to.priorityLevel})`),
    h('p', {}, requests),
    commands && h('details', {}, h('summary', {}, 'A request that shows it'), h('pre', {}, `${commands.old}\n${commands.new}`)));

const seats_of = (level) => (level ? `${level.nominalCL} (${level.minCL} to ${level.maxCL})` : 'not there');

const levels = (limits) =>
  h('div', { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'Seats of levels' }, h('table', {},
    h('thead', {}, h('tr', {}, ['Level', 'Seats before', 'Seats after'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, limits.map(({ priorityLevel, old, new: now }) => {
      const less = (now?.nominalCL ?? 0) < (old?.nominalCL ?? 0);
      return h('tr', {}, h('th', { scope: 'row' }, priorityLevel), h('td', {}, seats_of(old)), h('td', { class: less ? 'less' : 'more' }, `${less ? '↓' : '↑'} ${seats_of(now)}`));
    }))));

function found(name, result) {
  let report;
  try {
    report = JSON.parse(result.stdout);
  } catch {
    return complaint(result);
  }
  const { errors, warnings, infos } = report.summary;
  const counts = [errors && plural(errors, 'error', 'errors'), warnings && plural(warnings, 'warning', 'warnings'), infos && plural(infos, 'note', 'notes')].filter(Boolean);
  return h('details', {},
    h('summary', {}, `${name}: lint finds ${counts.join(', ') || 'nothing'}`),
    h('ul', {}, report.findings.map((one) => h('li', { class: one.severity }, `line ${one.line}: ${one.message} `, h('small', {}, one.code)))));
}

export const change = {
  id: 'change',
  title: 'What changes?',
  fields: ['before', 'after'],
  help: 'Two configurations, before and after: which requests move to another FlowSchema or level, and which level has more or fewer seats.',
  examples: [
    { name: 'A level of its own for a controller that runs amok', before: 'before', after: 'after' },
    { name: 'One line: clusterScope', before: 'jail', after: 'fixed' },
  ],
  build(page) {
    const out = h('div', { class: 'answer' });
    const update = async () => {
      const { before, after } = page.state;
      if (!before.trim() && !after.trim()) return fill(out, h('p', { class: 'empty' }, 'Put the configuration of today on the left, and what you want on the right; an empty one means the objects that each server has built in.'));
      const files = { 'before.yaml': before, 'after.yaml': after }, flags = page.server_flags();
      const result = await page.tool.run({ words: ['diff', 'before.yaml', 'after.yaml', ...flags, '-o', 'text', '-o', 'json=answer.json'], files, wanted: ['answer.json'] });
      const checks = [];
      for (const name of Object.keys(files)) {
        const lint = await page.tool.run({ words: ['lint', name, ...flags.slice(0, 2), '-o', 'json'], files });
        if (lint) checks.push(found(name, lint));
      }
      if (!result) return;
      if (!result.files['answer.json']) return fill(out, complaint(result), checks);
      const answer = JSON.parse(result.files['answer.json']);
      fill(out,
        h('p', { class: 'verdict' }, verdict_of(result.stdout)),
        answer.regions.length > 0 && [h('h3', {}, 'Requests that move'), h('ul', { class: 'regions' }, answer.regions.map(region))],
        answer.limits.length > 0 && [h('h3', {}, 'Seats'), levels(answer.limits)],
        h('h3', {}, 'Lint'), checks,
        h('details', {}, h('summary', {}, 'In the words of apfctl diff'), h('pre', {}, result.stdout)));
    };
    return {
      element: h('div', {},
        h('div', { class: 'columns' }, h('div', {}, page.editor('before', 'before.yaml', 'Before')), h('div', {}, page.editor('after', 'after.yaml', 'After'))), out),
      update,
    };
  },
};
