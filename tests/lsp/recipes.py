#!/usr/bin/env python3
"""The recipes of tools/editors for editors that no test runs: each parses as its editor reads it, has only keys that the
editor's manual knows, and starts `apfctl lsp`; those of the manual page are parts of them. Last line: "N passed, N failed".
"""
import json
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITORS = ROOT / "tools/editors"
# https://docs.helix-editor.com/languages.html
HELIX_SERVER = {"command", "args", "config", "timeout", "environment", "required-root-patterns"}
HELIX_LANGUAGE = {"name", "language-id", "scope", "injection-regex", "file-types", "shebangs", "roots", "auto-format", "comment-token",
                  "comment-tokens", "block-comment-tokens", "indent", "language-servers", "grammar", "formatter", "soft-wrap", "rulers"}
# https://lsp.sublimetext.io/client_configuration/
SUBLIME_CLIENT = {"enabled", "command", "selector", "schemes", "env", "initializationOptions", "settings", "diagnostics_mode"}
# https://code.visualstudio.com/api/references/extension-manifest
CODE_MANIFEST = {"name", "displayName", "description", "version", "publisher", "engines", "main", "activationEvents", "contributes"}
COMMAND = ["apfctl", "lsp"]
passed = failed = 0


def verdict(name, wrong):
    global passed, failed
    passed, failed = (passed, failed + 1) if wrong else (passed + 1, failed)
    if wrong:
        print(f"FAILED {name}: {wrong}")


def unknown(given, known):
    return sorted(set(given) - known)


helix = tomllib.loads((EDITORS / "helix.toml").read_text())
servers, languages = helix["language-server"], helix["language"]
verdict("helix: keys", unknown(helix, {"language-server", "language"}) + [key for s in servers.values() for key in unknown(s, HELIX_SERVER)]
        + [key for language in languages for key in unknown(language, HELIX_LANGUAGE)])
verdict("helix: command", [s for s in servers.values() if [s["command"], *s["args"]] != COMMAND])
verdict("helix: servers of languages", [name for language in languages for name in language["language-servers"] if name not in servers])

# Sublime Text takes comments and commas before a closing bracket.
sublime = (EDITORS / "sublime.sublime-settings").read_text()
settings = json.loads(re.sub(r",(\s*[}\]])", r"\1", re.sub(r"^\s*//.*$", "", sublime, flags=re.M)))
clients = settings["clients"]
verdict("sublime: keys", unknown(settings, {"clients"}) + [key for c in clients.values() for key in unknown(c, SUBLIME_CLIENT)])
verdict("sublime: command", [c for c in clients.values() if c["command"] != COMMAND or not c["enabled"]])

manifest = json.loads((EDITORS / "vscode/package.json").read_text())
extension = (EDITORS / "vscode" / manifest["main"]).read_text()
verdict("vscode: keys", unknown(manifest, CODE_MANIFEST))
verdict("vscode: settings that the extension reads", [key for key in manifest["contributes"]["configuration"]["properties"]
        if f'getConfiguration("{key.split(".")[0]}").get("{key.split(".")[1]}")' not in extension])
verdict("vscode: languages", [event for event in manifest["activationEvents"] if f'language: "{event.split(":")[1]}"' not in extension])

page = (ROOT / "man/apfctl-lsp.1").read_text()
recipes = "\n".join(path.read_text() for path in EDITORS.rglob("*") if path.is_file())
for block in re.findall(r"^\.Bd -literal\n(.*?)^\.Ed", page, flags=re.M | re.S):
    lines = [line.replace("\\e", "\\") for line in block.splitlines()]
    verdict(f"apfctl-lsp(1): {lines[0]}", [line for line in lines if line and line not in recipes.splitlines()])
verdict("apfctl-lsp(1): a paragraph each", [path.name for path in EDITORS.iterdir() if f"tools/editors/{path.name}" not in page])

print(f"{passed} passed, {failed} failed")
raise SystemExit(failed > 0)
