// Test: what is expected of a configuration, and whether it holds.
import { complaint, fill, h, plural } from './dom.js';

const result_of = (test) =>
  h('li', { class: test.passed ? 'passed' : 'failed' },
    h('b', {}, test.passed ? 'passed' : 'failed'), ' ', test.name,
    !test.passed && h('dl', {},
      h('dt', {}, 'expected'), h('dd', {}, test.expected), h('dt', {}, 'got'), h('dd', {}, test.got),
      test.nearestMiss && [h('dt', {}, 'nearest miss'), h('dd', {}, test.nearestMiss)]));

export const tests = {
  id: 'test',
  title: 'Test',
  fields: ['tests', 'config'],
  help: 'What you rely on, as tests: which FlowSchema and level a request gets, and how many seats a level has.',
  examples: [
    { name: 'A test that names the line that is missing', tests: 'tests', config: 'jail' },
    { name: 'The same with that line', tests: 'tests', config: 'fixed' },
  ],
  build(page) {
    const out = h('div', { class: 'answer' });
    const update = async () => {
      if (!page.state.tests.trim()) return fill(out, h('p', { class: 'empty' }, 'Write tests on the left, or start from an example: each names a request and the FlowSchema and level that it is to get.'));
      const files = { ...page.config_files(), 'tests.yaml': page.state.tests };
      const result = await page.tool.run({ words: ['test', 'tests.yaml', ...page.config_flags(), '-o', 'json'], files });
      if (!result) return;
      if (!result.stdout) return fill(out, complaint(result));
      const report = JSON.parse(result.stdout);
      fill(out,
        h('p', { class: `verdict ${report.failed ? 'bad' : 'good'}` }, report.failed ? `${report.failed} of ${plural(report.passed + report.failed, 'test', 'tests')} failed` : `All ${plural(report.passed, 'test', 'tests')} passed`),
        h('ul', { class: 'results' }, report.tests.map(result_of)));
    };
    return {
      element: h('div', { class: 'columns' },
        h('div', {}, page.editor('tests', 'tests.yaml', 'Tests', { plain: true }), page.editor('config', 'config.yaml', 'The configuration')), h('div', {}, out)),
      update,
    };
  },
};
