// Plays VS Code for the extension of tools/editors, whose API it has as far as the extension uses it: it opens an example,
// waits for the findings, applies a fix and prints both.
const fs = require("fs");
const Module = require("module");
const {pathToFileURL} = require("url");

const uri = pathToFileURL(`${process.cwd()}/before.yaml`).href;
let text = fs.readFileSync("before.yaml", "utf8"), version = 1, findings = [];
const providers = {}, listeners = {};
const listen = (event) => (heard) => (listeners[event] = heard, {});
const register = (kind) => (selector, provider) => (providers[kind] = provider, {});
const uriOf = (string) => ({toString: () => string});
const document = {uri: uriOf(uri), languageId: "yaml", getText: () => text, get version() { return version; }};

class Range {
  constructor(line, character, endLine, endCharacter) {
    this.start = {line, character};
    this.end = {line: endLine, character: endCharacter};
  }
}
class Fields { constructor(...given) { this.given = given; } }
const vscode = {
  Range, Hover: Fields, MarkdownString: Fields, Location: Fields, CompletionItem: Fields, DiagnosticRelatedInformation: Fields,
  Diagnostic: class { constructor(range, message) { Object.assign(this, {range, message}); } },
  CodeAction: class { constructor(title) { this.title = title; } },
  CodeActionKind: {Empty: {append: (kind) => kind}},
  WorkspaceEdit: class { constructor() { this.edits = []; } replace(where, range, newText) { this.edits.push({range, newText}); } },
  Uri: {parse: uriOf},
  languages: {
    createDiagnosticCollection: () => ({set: (where, list) => { if (where.toString() === uri) findings = list; }}),
    match: (selector, asked) => selector.some((one) => one.language === asked.languageId) ? 10 : 0,
    registerHoverProvider: register("hover"), registerCodeActionsProvider: register("actions"),
    registerCompletionItemProvider: register("completion"), registerDefinitionProvider: register("definition"),
    registerReferenceProvider: register("references"), registerRenameProvider: register("rename"),
  },
  window: {showErrorMessage: (words) => console.log(`FAILED ${words}`)},
  workspace: {
    workspaceFolders: [{uri: uriOf(pathToFileURL(process.cwd()).href), name: "work"}],
    textDocuments: [document],
    getConfiguration: () => ({get: () => "apfctl"}),
    createFileSystemWatcher: () => ({onDidCreate: listen("created"), onDidChange: listen("written"), onDidDelete: listen("deleted")}),
    onDidOpenTextDocument: listen("open"), onDidChangeTextDocument: listen("change"),
    onDidSaveTextDocument: listen("save"), onDidCloseTextDocument: listen("close"),
  },
};
const load = Module._load;
Module._load = (name, ...more) => name === "vscode" ? vscode : load(name, ...more);

function offset({line, character}) {
  const lines = text.split("\n");
  return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
}

async function until(holds, orElse) {
  for (const end = Date.now() + 20000; !holds();) {
    if (Date.now() > end) throw new Error(orElse);
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function main() {
  const extension = require(`${process.env.REPO}/tools/editors/vscode/extension.js`);
  await extension.activate({subscriptions: []});
  await until(() => findings.length > 0, "no findings in 20 s");
  for (const d of findings)
    console.log(`${d.range.start.line + 1}:${d.range.start.character + 1}: ${d.code} ${d.message.split("\n")[0]}`);

  const line = text.split("\n").findIndex((one) => one.endsWith("name: tenant"));
  const at = {line, character: 11};
  const hover = await providers.hover.provideHover(document, at);
  if (!hover.given[0].given[0].includes("tenant")) throw new Error("the hover is of something else");
  const items = await providers.completion.provideCompletionItems(document, at);
  if (!items.some((item) => item.given[0] === "tenants" && item.insertText === "tenants")) throw new Error("tenants is not completed");
  if (await providers.definition.provideDefinition(document, {line: 0, character: 0}) === null) throw new Error("no list of definitions");
  const actions = await providers.actions.provideCodeActions(document, new Range(line, 10, line, 12), {});
  for (const action of actions) console.log(`action ${action.title}`);
  for (const {range, newText} of actions[0].edit.edits) {
    text = text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
    ++version;
    listeners.change({document, contentChanges: [{range, text: newText}]});
  }
  console.log(text.split("\n")[line]);
  await until(() => !findings.some((d) => d.code === "APF101"), "the finding stays after its fix");
  await extension.deactivate();
}
main().catch((error) => {
  console.log(`FAILED ${error.message}`);
  process.exit(1);
});
