// An editor for YAML that shows what lint finds, with its fixes, and completes and explains keys: the language server of
// `apfctl lsp`, asked in one short conversation for each question.
import { acceptCompletion, autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

import { h } from './dom.js';
import { Tool } from './tool.js';

const tool = new Tool(); // of its own: questions do not wait for what doors ask
const SEVERITIES = ['error', 'error', 'warning', 'info', 'hint'];
const DELAY = 250; // ms, after which a pause in typing is one

const framed = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `Content-Length: ${new TextEncoder().encode(body).length}\r\n\r\n${body}`;
};

// The messages of an output, by their numbers.
function answers(output) {
  const bytes = new TextEncoder().encode(output), found = {};
  for (let at = 0; at < bytes.length;) {
    const head = /^Content-Length: (\d+)\r\n\r\n/.exec(new TextDecoder().decode(bytes.subarray(at, at + 64)));
    if (!head) break;
    const begin = at + head[0].length;
    at = begin + Number(head[1]);
    const message = JSON.parse(new TextDecoder().decode(bytes.subarray(begin, at)));
    if (message.id !== undefined) found[message.id] = message.result;
  }
  return found;
}

// `questions`: [method, what it has besides the text]; the results in their order.
async function ask(name, text, questions) {
  const textDocument = { uri: `file:///here/${name}`, languageId: 'yaml', version: 1, text };
  const of = { uri: textDocument.uri };
  const input = [
    { id: 'begin', method: 'initialize', params: { capabilities: { textDocument: { diagnostic: {}, hover: { contentFormat: ['plaintext'] } } }, rootUri: null } },
    { method: 'initialized', params: {} },
    { method: 'textDocument/didOpen', params: { textDocument } },
    ...questions.map(([method, more], id) => ({ id, method, params: { textDocument: of, ...more } })),
    { id: 'end', method: 'shutdown' },
    { method: 'exit' },
  ].map(framed).join('');
  const result = await tool.run({ words: ['lsp'], input });
  const found = answers(result?.stdout ?? '');
  return questions.map((_, id) => found[id] ?? null);
}

const offset_of = (doc, { line, character }) => {
  if (line >= doc.lines) return doc.length;
  const { from, to } = doc.line(line + 1);
  return Math.min(from + character, to);
};
const position_of = (doc, offset) => {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
};

function apply(view, edit, uri) {
  const edits = edit.changes?.[uri] ?? edit.documentChanges?.find((change) => change.textDocument.uri === uri)?.edits ?? [];
  const { doc } = view.state;
  view.dispatch({ changes: edits.map(({ range, newText }) => ({ from: offset_of(doc, range.start), to: offset_of(doc, range.end), insert: newText })) });
  view.focus();
}

const same_place = (one, other) => JSON.stringify([one.range, one.code, one.message]) === JSON.stringify([other.range, other.code, other.message]);

const findings = (name) =>
  linter(async (view) => {
    const { doc } = view.state, text = doc.toString(), uri = `file:///here/${name}`;
    if (text.trim() === '') return [];
    const whole = { start: { line: 0, character: 0 }, end: position_of(doc, doc.length) };
    const [report, actions] = await ask(name, text, [
      ['textDocument/diagnostic', {}],
      ['textDocument/codeAction', { range: whole, context: { diagnostics: [], only: ['quickfix'] } }],
    ]);
    return (report?.items ?? []).map((found) => {
      const from = offset_of(doc, found.range.start);
      return {
        from,
        to: Math.max(from, offset_of(doc, found.range.end)),
        severity: SEVERITIES[found.severity ?? 1],
        source: found.code,
        message: found.message,
        actions: (actions ?? [])
          .filter((action) => action.diagnostics?.some((of) => same_place(of, found)))
          .slice(0, 3)
          .map((action) => ({ name: action.title.replace(`${found.code}: `, ''), apply: (here) => apply(here, action.edit, uri) })),
      };
    });
  }, { delay: DELAY });

const explanations = (name) =>
  hoverTooltip(async (view, at) => {
    const { doc } = view.state;
    const [found] = await ask(name, doc.toString(), [['textDocument/hover', { position: position_of(doc, at) }]]);
    const text = found?.contents?.value ?? '';
    if (!text) return null;
    return {
      pos: found.range ? offset_of(doc, found.range.start) : at,
      end: found.range ? offset_of(doc, found.range.end) : at,
      create: () => ({ dom: h('div', { class: 'explanation' }, text) }),
    };
  });

const completions = (name) => async (context) => {
  const { doc } = context.state;
  const word = context.matchBefore(/[\w./-]*/);
  if (!context.explicit && (!word || word.from === word.to)) return null;
  const [found] = await ask(name, doc.toString(), [['textDocument/completion', { position: position_of(doc, context.pos) }]]);
  const items = Array.isArray(found) ? found : found?.items ?? [];
  return items.length === 0 ? null : {
    from: word?.from ?? context.pos,
    options: items.map((item) => ({
      label: item.label,
      detail: item.detail,
      info: typeof item.documentation === 'string' ? item.documentation : item.documentation?.value,
      apply: item.textEdit && ((view) => apply(view, { changes: { it: [item.textEdit] } }, 'it')),
    })),
  };
};

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--use)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment, tags.lineComment, tags.meta], color: 'var(--soft)' },
]);

// `name`: of the file, which decides what the server sees in it. `changed(text)` is called after a pause.
export function create_editor({ name, label, text, changed, plain = false }) {
  let pause;
  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    clearTimeout(pause);
    pause = setTimeout(() => changed(view.state.doc.toString()), DELAY);
  });
  const view = new EditorView({
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(), yaml(),
        syntaxHighlighting(colors), EditorView.lineWrapping, EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        // Tab leaves the editor but where a completion is open: the keyboard alone must get on.
        keymap.of([{ key: 'Tab', run: acceptCompletion }, { key: 'Ctrl-]', run: indentWithTab.run }, ...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap]),
        listener, ...(plain ? [] : [lintGutter(), findings(name), explanations(name), autocompletion({ override: [completions(name)] })]),
      ],
    }),
  });
  return {
    element: view.dom,
    view,
    set(next) {
      if (next !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
  };
}
