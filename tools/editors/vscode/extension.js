// VS Code: copy this folder to ~/.vscode/extensions/apfctl-0.1.0; there is nothing to build. It starts `apfctl lsp` and
// shows findings, their fixes, the meaning of what the mouse is over, completions, definitions, references and renames.
const vscode = require("vscode");
const {spawn} = require("child_process");

let server, collection, number = 0, rest = Buffer.alloc(0);
const waiting = new Map();  // by number of the request

function send(message) {
  const body = Buffer.from(JSON.stringify({jsonrpc: "2.0", ...message}));
  server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
  server.stdin.write(body);
}

function ask(method, params, token) {
  return new Promise((resolve, reject) => {
    const id = ++number;
    waiting.set(id, {resolve, reject});
    if (token) token.onCancellationRequested(() => send({method: "$/cancelRequest", params: {id}}));
    send({id, method, params});
  });
}

const range = (r) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const position = (p) => ({line: p.line, character: p.character});
const place = (document, at) => ({textDocument: {uri: document.uri.toString()}, position: position(at)});
const locations = (list) => (list || []).map((l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range)));

function edits(edit) {
  const out = new vscode.WorkspaceEdit();
  for (const [uri, list] of Object.entries(edit.changes))
    for (const one of list) out.replace(vscode.Uri.parse(uri), range(one.range), one.newText);
  return out;
}

function diagnostic(d) {
  const out = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
  out.source = d.source;
  out.code = d.code;
  out.tags = d.tags;
  out.relatedInformation = (d.relatedInformation || []).map(
    (r) => new vscode.DiagnosticRelatedInformation(locations([r.location])[0], r.message));
  return out;
}

function receive(message) {
  if (message.method === "textDocument/publishDiagnostics")
    collection.set(vscode.Uri.parse(message.params.uri), message.params.diagnostics.map(diagnostic));
  else if (message.method === "window/showMessage") vscode.window.showErrorMessage(message.params.message);
  else if (message.method && message.id !== undefined) send({id: message.id, result: null});
  else if (waiting.has(message.id)) {
    const {resolve, reject} = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }
}

function read(bytes) {
  rest = Buffer.concat([rest, bytes]);
  for (let end; (end = rest.indexOf("\r\n\r\n")) >= 0;) {
    const length = Number(/Content-Length: (\d+)/i.exec(rest.subarray(0, end).toString())[1]);
    if (rest.length < end + 4 + length) return;
    const body = rest.subarray(end + 4, end + 4 + length).toString();
    rest = rest.subarray(end + 4 + length);
    receive(JSON.parse(body));
  }
}

const selector = [{scheme: "file", language: "yaml"}, {scheme: "file", language: "json"}];
const isOurs = (document) => vscode.languages.match(selector, document) > 0;

const providers = [
  vscode.languages.registerHoverProvider(selector, {
    provideHover: async (document, at, token) => {
      const found = await ask("textDocument/hover", place(document, at), token);
      return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), range(found.range));
    },
  }),
  vscode.languages.registerCodeActionsProvider(selector, {
    provideCodeActions: async (document, where, context, token) => {
      const only = context.only ? {only: [context.only.value]} : {};
      const list = await ask("textDocument/codeAction", {
        textDocument: {uri: document.uri.toString()}, context: {diagnostics: [], ...only},
        range: {start: position(where.start), end: position(where.end)},
      }, token);
      return list.map((action) => {
        const out = new vscode.CodeAction(action.title, vscode.CodeActionKind.Empty.append(action.kind));
        out.edit = edits(action.edit);
        out.isPreferred = action.isPreferred;
        out.diagnostics = (action.diagnostics || []).map(diagnostic);
        return out;
      });
    },
  }),
  vscode.languages.registerCompletionItemProvider(selector, {
    provideCompletionItems: async (document, at, token) => (await ask("textDocument/completion", place(document, at), token)).map((item) => {
      const out = new vscode.CompletionItem(item.label, item.kind - 1);
      out.documentation = item.documentation && new vscode.MarkdownString(item.documentation.value);
      out.range = range(item.textEdit.range);
      out.insertText = item.textEdit.newText;
      return out;
    }),
  }, ":", " ", "[", ","),
  vscode.languages.registerDefinitionProvider(selector, {
    provideDefinition: async (document, at, token) => locations(await ask("textDocument/definition", place(document, at), token)),
  }),
  vscode.languages.registerReferenceProvider(selector, {
    provideReferences: async (document, at, context, token) =>
      locations(await ask("textDocument/references", {...place(document, at), context}, token)),
  }),
  vscode.languages.registerRenameProvider(selector, {
    provideRenameEdits: async (document, at, newName, token) => edits(await ask("textDocument/rename", {...place(document, at), newName}, token)),
  }),
];

exports.activate = async (context) => {
  collection = vscode.languages.createDiagnosticCollection("apfctl");
  server = spawn(vscode.workspace.getConfiguration("apfctl").get("path"), ["lsp"], {stdio: ["pipe", "pipe", "ignore"]});
  server.on("error", (error) => vscode.window.showErrorMessage(`apfctl: ${error.message}`));
  server.stdin.on("error", () => {});
  server.stdout.on("data", read);
  const folders = (vscode.workspace.workspaceFolders || []).map((f) => ({uri: f.uri.toString(), name: f.name}));
  await ask("initialize", {processId: process.pid, rootUri: null, workspaceFolders: folders, capabilities: {}});
  send({method: "initialized", params: {}});
  const open = (document) => isOurs(document) && send({method: "textDocument/didOpen", params: {textDocument: {
    uri: document.uri.toString(), languageId: document.languageId, version: document.version, text: document.getText()}}});
  const about = (document) => ({textDocument: {uri: document.uri.toString(), version: document.version}});
  vscode.workspace.textDocuments.forEach(open);
  const watcher = vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml,json}");
  const changed = (type) => (uri) => send({method: "workspace/didChangeWatchedFiles", params: {changes: [{uri: uri.toString(), type}]}});
  context.subscriptions.push(collection, ...providers, watcher,
    watcher.onDidCreate(changed(1)), watcher.onDidChange(changed(2)), watcher.onDidDelete(changed(3)),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument((event) => isOurs(event.document) && send({method: "textDocument/didChange", params: {
      ...about(event.document), contentChanges: event.contentChanges.map((c) => ({range: {start: position(c.range.start), end: position(c.range.end)}, text: c.text}))}})),
    vscode.workspace.onDidSaveTextDocument((document) => isOurs(document) && send({method: "textDocument/didSave", params: about(document)})),
    vscode.workspace.onDidCloseTextDocument((document) => isOurs(document) && send({method: "textDocument/didClose", params: about(document)})));
};

exports.deactivate = async () => {
  await ask("shutdown", null);
  send({method: "exit"});
};
