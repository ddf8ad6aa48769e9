// Who gets this request? The ladder of FlowSchemas, the rung that takes it, its flow and the queues of its hand.
import { complaint, fill, h, plural } from './dom.js';

// "list pods -A as sa:shop/order-sync": words of a command line, with who asks at the end; quotes hold words together.
export function words_of(request) {
  const [, what, user, groups] = /^(.*?)(?:\s+as\s+(\S+)(?:\s+in\s+(.+))?)?\s*$/s.exec(request.trim());
  const words = (what.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
  return [...words, ...(user ? ['--as', user] : []), ...(groups ?? '').split(/[\s,]+/).filter(Boolean).flatMap((group) => ['--as-group', group])];
}

const rung = (row, taken, near, is_past) =>
  h('li', { class: [row === taken && 'taken', row.flowSchema === near && 'near', is_past && 'past'].filter(Boolean).join(' ') },
    h('span', { class: 'precedence' }, String(row.matchingPrecedence)),
    h('span', {}, h('b', {}, row.flowSchema), ' ', h('small', {}, row === taken ? 'takes it: ' : row.flowSchema === near ? 'nearest miss: ' : '', row.because.replace(/ user ".*?" \(groups: [^)]*\)/, ''))));

function queues_of(answer, level) {
  if (answer.exempt) return h('p', {}, 'Exempt: it never waits, and takes no seat of others.');
  if (!level?.queues) return h('p', {}, 'The level has no queues: with all of its seats taken, it refuses.');
  const hand = new Map((answer.hand ?? []).map((queue, at) => [queue, at + 1]));
  const cards = Array.from({ length: level.queues }, (_, queue) => h('i', { class: hand.has(queue) ? 'dealt' : '' }, hand.has(queue) ? String(queue) : ''));
  return [
    h('p', {}, `The flow is dealt ${plural(hand.size, 'card', 'cards')} of ${plural(level.queues, 'queue', 'queues')}: ${[...hand.keys()].join(', ')}. A request waits in the shortest of them.`),
    h('div', { class: 'queues', 'aria-hidden': 'true' }, cards),
  ];
}

export const who = {
  id: 'who',
  title: 'Who gets this request?',
  fields: ['config', 'request'],
  help: 'Write a request as people say it, and see which FlowSchema takes it, why not the others, and in which queues its flow waits.',
  examples: [
    { name: 'A collector that lists all pods', config: 'jail', request: 'list pods -A as sa:monitoring/alloy' },
    { name: 'A controller with a level of its own', config: 'after', request: 'update configmaps settings -n shop as sa:shop/order-sync' },
    { name: 'A node, and what every server has built in', config: '', request: 'update leases.coordination.k8s.io a -n kube-node-lease as node:a' },
  ],
  build(page) {
    const input = h('input', { type: 'text', id: 'request', value: page.state.request, spellcheck: 'false', autocomplete: 'off', placeholder: 'list pods -A as sa:shop/order-sync',
      oninput: () => page.put('request', input.value) });
    const out = h('div', { class: 'answer' });
    const update = async () => {
      const request = page.state.request.trim();
      if (!request) {
        return fill(out, h('p', { class: 'empty' }, 'Write a request above: a verb, a resource, -n NAMESPACE or -A, and "as USER". Users are written sa:NAMESPACE/NAME, node:NAME or as they are.'));
      }
      const files = page.config_files(), flags = [...page.config_flags(), ...page.server_flags()];
      const result = await page.tool.run({ words: ['explain', ...words_of(request), ...flags, '-o', 'text', '-o', 'json=answer.json'], files, wanted: ['answer.json'] });
      if (!result) return;
      if (!result.files['answer.json']) return fill(out, complaint(result));
      const answer = JSON.parse(result.files['answer.json']);
      const limits = await page.tool.run({ words: ['limits', answer.priorityLevel, ...flags, '-o', 'json'], files });
      const level = limits?.code === 0 ? JSON.parse(limits.stdout).levels[0] : undefined;
      const verdict = result.stdout.split('\n\n')[0].replaceAll('\n', ' ');
      const taken = answer.trace.find((row) => row.matches), at = answer.trace.indexOf(taken);
      const near = /; not ([^:]+):/.exec(verdict)?.[1];
      fill(out,
        h('p', { class: 'verdict' }, verdict),
        h('dl', {},
          h('dt', {}, 'User'), h('dd', {}, answer.user.name, h('small', {}, answer.user.groups.join(', '))),
          h('dt', {}, 'FlowSchema'), h('dd', {}, answer.flowSchema),
          h('dt', {}, 'Level'), h('dd', {}, answer.priorityLevel, level && h('small', {}, `${level.nominalCL} seats nominal, ${level.minCL} to ${level.maxCL}`)),
          h('dt', {}, 'Flow'), h('dd', {}, answer.flowDistinguisher || 'one for all requests of the FlowSchema'),
          answer.seats && [h('dt', {}, 'Seats'), h('dd', {}, String(answer.seats.initial))]),
        queues_of(answer, level),
        h('h3', {}, 'The ladder'),
        h('ol', { class: 'ladder' }, answer.trace.map((row, i) => rung(row, taken, near, at >= 0 && i > at))),
        h('details', {}, h('summary', {}, 'In the words of apfctl explain'), h('pre', {}, result.stdout)));
    };
    return {
      element: h('div', { class: 'columns' },
        h('div', {}, page.editor('config', 'config.yaml', 'FlowSchemas and PriorityLevelConfigurations')),
        h('div', {}, h('label', { for: 'request' }, 'Request'), input, out)),
      set: () => (input.value = page.state.request),
      update,
    };
  },
};
