#!/usr/bin/env python3
"""A client of `apfctl lsp` that plays a session and prints what the server says, one line for each thing.

    client.py [--utf-8] [--pull] [--refresh-lenses] [--plain] [FOLDER] < SESSION

A line of a session is a command and its words, as a shell would split them. `|` in a text is the cursor.

    open FILE [TEXT]           with what is on disk, or with TEXT
    change FILE OLD NEW        the first OLD in the buffer becomes NEW (one incremental change)
    retype FILE TEXT           the whole buffer (one full change)
    save FILE, close FILE      the buffer is written to disk first; it is closed
    write FILE TEXT            a file on disk, of which the server is told
    delete FILE                likewise
    leave [SUB], join [SUB]    the folder, or one inside it, leaves the workspace, or becomes a part of it
    findings                   what has been published since the last time
    published FILE             waits until findings of it are
    pull FILE                  textDocument/diagnostic, with the last result
    pullall                    workspace/diagnostic likewise
    hover FILE TEXT            complete FILE TEXT [WORD]...: only these labels
    accept FILE TEXT LABEL     a completion; prints what it changes
    actions FILE TEXT [KIND]   of the whole file for an empty TEXT; KIND "automatic": the cursor moved there
    apply FILE TEXT TITLE: an action; prints what it changes
    definition FILE TEXT       references FILE TEXT       rename FILE TEXT NAME
    prepare FILE TEXT          textDocument/prepareRename
    symbols FILE, lens FILE
    refreshed                  waits until the server asks for new code lenses
    request METHOD [PARAMS]    notify METHOD [PARAMS]     raw BYTES: as they are
    show FILE                  the buffer
"""
import difflib
import json
import os
import pathlib
import select
import shlex
import subprocess
import sys
import urllib.parse

SEVERITIES = {1: "error", 2: "warning", 3: "info"}


class Server:
    def __init__(self, arguments):
        self.process = subprocess.Popen(["apfctl", "lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.buffer, self.number, self.notes = b"", 0, []

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def read(self, seconds=60):
        """The next message, or None."""
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if found:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    return json.loads(rest[:length])
            if not select.select([self.process.stdout], [], [], seconds)[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                return None
            self.buffer += data

    def keep(self, message):
        if "method" in message:
            self.notes.append(message)
            if "id" in message:
                self.send({"id": message["id"], "result": None})

    def ask(self, method, params):
        """The whole answer: with "result" or "error"."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while message := self.read():
            if message.get("id") == self.number and "method" not in message:
                return message
            self.keep(message)
        sys.exit(f"no answer to {method}")


class Session:
    def __init__(self, folder, utf8, pull, refresh, arguments, plain=False):
        self.results = {}
        self.folder, self.utf8 = pathlib.Path(folder).resolve(), utf8
        self.server, self.buffers, self.versions = Server(arguments), {}, {}
        capabilities = {"general": {"positionEncodings": ["utf-8", "utf-16"]}} if utf8 else {}
        if pull or plain:
            capabilities["textDocument"] = {**({"diagnostic": {}} if pull else {}), **({"hover": {"contentFormat": ["plaintext"]}} if plain else {})}
        if refresh:
            capabilities["workspace"] = {"codeLens": {"refreshSupport": True}}
        answer = self.server.ask("initialize", {"processId": None, "rootUri": self.folder.as_uri(), "capabilities": capabilities})
        self.capabilities = answer["result"]["capabilities"]
        self.server.send({"method": "initialized", "params": {}})

    # --- places ---

    def uri(self, name):
        return (self.folder / name).as_uri()

    def name(self, uri):
        path = pathlib.Path(urllib.parse.unquote(uri.removeprefix("file://")))
        return str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else str(path)

    def text(self, name):
        if name in self.buffers:
            return self.buffers[name]
        path = self.folder / name
        return path.read_bytes().decode() if path.exists() else ""

    def units(self, text):
        return len(text.encode()) if self.utf8 else len(text.encode("utf-16-le")) // 2

    def position(self, text, offset):
        line = text.count("\n", 0, offset)
        return {"line": line, "character": self.units(text[text.rfind("\n", 0, offset) + 1:offset])}

    def offset(self, text, position):
        lines = text.split("\n")
        before = sum(len(line) + 1 for line in lines[:position["line"]])
        line, at = lines[position["line"]] if position["line"] < len(lines) else "", 0
        while at < len(line) and self.units(line[:at]) < position["character"]:
            at += 1
        return before + at

    def place(self, name, marked):
        text, cursor = self.text(name), max(marked.find("|"), 0)
        at = text.index(marked.replace("|", "", 1))
        return {"textDocument": {"uri": self.uri(name)}, "position": self.position(text, at + cursor)}

    def range_text(self, where):
        return f"{where['start']['line'] + 1}:{where['start']['character'] + 1}"

    # --- what the server says ---

    def sync(self):
        self.server.ask("workspace/diagnostic", {"previousResultIds": []})

    def print_findings(self, name, items):
        for d in items:
            tags = " (unnecessary)" if d.get("tags") == [1] else ""
            message = d["message"].replace(f"{self.folder}/", "").replace("\n", "\n    ")
            print(f"{name}:{self.range_text(d['range'])}: {SEVERITIES[d['severity']]}: {d.get('code', '')} {message}{tags}")
            for related in d.get("relatedInformation", []):
                print(f"    {self.name(related['location']['uri'])}:{self.range_text(related['location']['range'])}: {related['message']}")
        if not items:
            print(f"{name}: no findings")

    def answer(self, method, params):
        answer = self.server.ask(method, params)
        if "error" in answer:
            print(f"error {answer['error']['code']}: {answer['error']['message']}".replace(f"{self.folder}/", ""))
            return None
        return answer["result"]

    def edited(self, edit):
        """Applies a WorkspaceEdit to buffers and files."""
        for uri, edits in edit["changes"].items():
            name, text = self.name(uri), self.text(self.name(uri))
            spans = [(self.offset(text, e["range"]["start"]), self.offset(text, e["range"]["end"]), e["newText"]) for e in edits]
            for begin, end, new in sorted(spans, reverse=True):
                text = text[:begin] + new + text[end:]
            self.do_retype(name, text)
            if 0 < text.count("\r\n") < text.count("\n"):
                print(f"{name}: lines end in two ways")
            yield name

    def show_edited(self, edit):
        """The lines that it changes."""
        before = {self.name(uri): self.text(self.name(uri)).splitlines() for uri in edit["changes"]}
        for name in self.edited(edit):
            lines = list(difflib.unified_diff(before[name], self.text(name).splitlines(), lineterm="", n=0))
            print("\n".join([f"--- {name}", *(line for line in lines[2:] if not line.startswith("@@"))]))

    def actions(self, name, marked, kind=None):
        text, word = self.text(name), marked.replace("|", "")
        at = text.index(word)
        where = {"start": self.position(text, at), "end": self.position(text, at + len(word or text))}
        asked = {"triggerKind": 2} if kind == "automatic" else {"only": [kind]} if kind else {}
        context = {"diagnostics": [], **asked}
        return self.answer("textDocument/codeAction", {"textDocument": {"uri": self.uri(name)}, "range": where, "context": context}) or []

    # --- commands ---

    def do_open(self, name, text=None):
        self.buffers[name] = self.text(name) if text is None else text
        self.versions[name] = 1
        document = {"uri": self.uri(name), "languageId": "yaml", "version": 1, "text": self.buffers[name]}
        self.server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def changed(self, name, change):
        self.versions[name] += 1
        document = {"uri": self.uri(name), "version": self.versions[name]}
        self.server.send({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [change]}})

    def do_change(self, name, old, new):
        text = self.buffers[name]
        at = text.index(old)
        where = {"start": self.position(text, at), "end": self.position(text, at + len(old))}
        self.buffers[name] = text[:at] + new + text[at + len(old):]
        self.changed(name, {"range": where, "text": new})

    def do_retype(self, name, text):
        if name not in self.buffers:
            return self.do_open(name, text)
        self.buffers[name] = text
        self.changed(name, {"text": text})

    def do_save(self, name):
        (self.folder / name).write_text(self.buffers[name])
        self.server.send({"method": "textDocument/didSave", "params": {"textDocument": {"uri": self.uri(name)}}})

    def told(self, name):
        changes = [{"uri": self.uri(name), "type": 2 if (self.folder / name).exists() else 3}]
        self.server.send({"method": "workspace/didChangeWatchedFiles", "params": {"changes": changes}})

    def do_write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        self.told(name)

    def do_delete(self, name):
        (self.folder / name).unlink()
        self.told(name)

    def do_close(self, name):
        del self.buffers[name]
        self.server.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": self.uri(name)}}})

    def moved(self, **folders):
        event = {"added": [], "removed": [], **folders}
        self.server.send({"method": "workspace/didChangeWorkspaceFolders", "params": {"event": event}})

    def do_leave(self, name="."):
        self.moved(removed=[{"uri": self.uri(name), "name": name}])

    def do_join(self, name="."):
        self.moved(added=[{"uri": self.uri(name), "name": name}])

    def do_findings(self):
        self.sync()
        notes, self.server.notes = self.server.notes, []
        last = {}
        for note in notes:
            if note["method"] == "textDocument/publishDiagnostics":
                last[self.name(note["params"]["uri"])] = note["params"]["diagnostics"]
            else:
                print(note["method"], json.dumps(note["params"]).replace(f"{self.folder}/", ""))
        for name, items in sorted(last.items()):
            self.print_findings(name, items)
        if not notes:
            print("nothing new")

    def print_report(self, name, report):
        self.results[name] = report["resultId"]
        if report["kind"] == "unchanged":
            print(f"{name}: unchanged")
        else:
            self.print_findings(name, report["items"])

    def do_pull(self, name):
        params = {"textDocument": {"uri": self.uri(name)}}
        if name in self.results:
            params["previousResultId"] = self.results[name]
        self.print_report(name, self.answer("textDocument/diagnostic", params))

    def do_pullall(self):
        previous = [{"uri": self.uri(name), "value": result} for name, result in sorted(self.results.items())]
        for report in self.answer("workspace/diagnostic", {"previousResultIds": previous})["items"]:
            self.print_report(self.name(report["uri"]), report)

    def do_hover(self, name, marked):
        answer = self.answer("textDocument/hover", self.place(name, marked))
        print(answer["contents"]["value"] if answer else "nothing")

    def do_complete(self, name, marked, *words):
        for item in self.answer("textDocument/completion", self.place(name, marked)) or []:
            if not words or item["label"] in words:
                detail = item.get("documentation", "").split("\n")[0]
                print(f"{item['label']} -> {item['textEdit']['newText']}{'  # ' + detail if detail else ''}")

    def do_accept(self, name, marked, label):
        for item in self.answer("textDocument/completion", self.place(name, marked)) or []:
            if item["label"] == label:
                return self.show_edited({"changes": {self.uri(name): [item["textEdit"]]}})
        print("there is no such completion")

    def do_actions(self, name, marked, kind=None):
        for action in self.actions(name, marked, kind):
            print(f"{action['kind']}{' (preferred)' if action.get('isPreferred') else ''}: {action['title']}")

    def do_apply(self, name, marked, title):
        for action in self.actions(name, marked):
            if title in action["title"]:
                return self.show_edited(action["edit"])
        print("there is no such action")

    def locations(self, method, name, marked, **more):
        for place in self.answer(method, {**self.place(name, marked), **more}) or []:
            print(f"{self.name(place['uri'])}:{self.range_text(place['range'])}")

    def do_definition(self, name, marked):
        self.locations("textDocument/definition", name, marked)

    def do_references(self, name, marked):
        self.locations("textDocument/references", name, marked, context={"includeDeclaration": True})

    def do_prepare(self, name, marked):
        answer = self.answer("textDocument/prepareRename", self.place(name, marked))
        if answer:
            print(f"{self.range_text(answer['range'])} {answer['placeholder']}")

    def do_rename(self, name, marked, new):
        edit = self.answer("textDocument/rename", {**self.place(name, marked), "newName": new})
        if edit:
            self.show_edited(edit)

    def do_symbols(self, name):
        for symbol in self.answer("textDocument/documentSymbol", {"textDocument": {"uri": self.uri(name)}}):
            print(f"{self.range_text(symbol['selectionRange'])}: {symbol['name']} {symbol.get('detail', '')} {[child['name'] for child in symbol['children']]}")

    def do_lens(self, name):
        for lens in self.answer("textDocument/codeLens", {"textDocument": {"uri": self.uri(name)}}):
            print(f"{self.range_text(lens['range'])}: {lens['command']['title']}")

    def waited(self, is_it):
        while not any(map(is_it, self.server.notes)) and (message := self.server.read()):
            self.server.keep(message)
        return any(map(is_it, self.server.notes))

    def do_refreshed(self):
        print("new code lenses" if self.waited(lambda note: note["method"] == "workspace/codeLens/refresh") else "nothing came")

    def do_published(self, name):
        if not self.waited(lambda note: note["params"].get("uri") == self.uri(name)):
            print("nothing came")
        self.server.notes = []

    def do_request(self, method, params="{}"):
        print(json.dumps(self.server.ask(method, json.loads(params))))

    def do_notify(self, method, params="{}"):
        self.server.send({"method": method, "params": json.loads(params)})

    def do_raw(self, data):
        self.server.send_bytes(data.encode().decode("unicode_escape").encode())
        print(json.dumps(self.server.read()))

    def do_show(self, name):
        print(f"--- {name}\n{self.text(name)}", end="")

    def play(self, lines):
        for line in lines:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            print("> " + line.strip())
            # "\n" in a session's text is the end of a line, as is "\r\n".
            keep = words[0] in ("raw", "request", "notify")
            getattr(self, "do_" + words[0])(*(w if keep else w.replace("\\r", "\r").replace("\\n", "\n") for w in words[1:]))
        self.server.ask("shutdown", None)
        self.server.send({"method": "exit"})
        return self.server.process.wait(60)


def main():
    given = sys.argv[1:]
    known = ("--utf-8", "--pull", "--refresh-lenses")
    rest = [a for a in given if a not in (*known, "--plain")]
    session = Session(rest[0] if rest else ".", *(flag in given for flag in known), ["--today", "2026-11-20"], "--plain" in given)
    code = session.play(sys.stdin.read().splitlines())
    if code:
        sys.exit(f"apfctl lsp ended with {code}")


if __name__ == "__main__":
    main()
