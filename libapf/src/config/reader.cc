#include "config/reader.h"

#include <fmt/core.h>

#include <apf/error.h>

#include "base/background.h"
#include "base/utf8.h"

namespace apf {

namespace {

constexpr std::size_t kMaxTextSize = std::size_t{1} << 30;  // nodes keep their offsets in 32 bits

// The first "{{" in [begin, end) that is in the place of a value or a whole line, as in templates. Braces inside
// comments and quoted texts are none.
std::size_t find_template(std::string_view text, std::size_t begin, std::size_t end) {
  text = text.substr(0, end);
  std::size_t at = text.find("{{", begin);
  while (at != text.npos) {
    const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    std::string_view before = text.substr(line, at - line);
    before = before.substr(0, before.find_last_not_of(" \t") + 1);
    const bool in_place = before.empty() || before.back() == ':' || before.back() == '-';
    if (in_place && before.find_first_of("#\"'") == before.npos) return at;
    const std::size_t next = text.find('\n', at);
    at = next == text.npos ? next : text.find("{{", next);
  }
  return text.npos;
}

// The document around an offset: from the "---" before it to the one after it.
std::pair<std::size_t, std::size_t> document_around(std::string_view text, std::size_t at) {
  const std::size_t before = text.rfind("\n---", at);
  const std::size_t after = text.find("\n---", at);
  return {before == text.npos ? 0 : before + 1, after == text.npos ? text.size() : after};
}

enum class Looks { yaml, bracketed, json };

// By the first two characters: a bracket may begin a flow mapping or a template, too.
Looks looks(const ConfigTree& tree) {
  const std::string_view text = tree.text();
  const std::size_t first = text.find_first_not_of(" \t\r\n", tree.content_begin());
  if (first == text.npos || (text[first] != '{' && text[first] != '[')) return Looks::yaml;
  const std::size_t second = text.find_first_not_of(" \t\r\n", first + 1);
  const bool json = second != text.npos && std::string_view("\"{[}]").find(text[second]) != std::string_view::npos;
  return json && text.substr(first, 2) != "{{" ? Looks::json : Looks::bracketed;
}

bool begins_with_brace(const ConfigTree& tree) {
  const std::size_t first = tree.text().find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && tree.text()[first] == '{';
}

// JSON if it is, else YAML; where neither parses, the faults of what it looks like.
std::vector<DocumentFault> read_documents(ConfigTree& tree, bool for_kubectl) {
  const Looks look = looks(tree);
  std::vector<DocumentFault> faults;
  if (look != Looks::yaml) {
    read_json(tree, faults);
    if (faults.empty() || tree.name().ends_with(".json")) return faults;
    DocumentFault no_json = std::move(faults.front());
    tree.forget_documents();
    faults.clear();
    read_yaml(tree, faults);
    if (faults.empty() && for_kubectl && begins_with_brace(tree)) {
      no_json.fault.message =
          "YAML: kubectl takes a file that begins with '{' for JSON, which this here is not: write '---' before it";
      return {std::move(no_json)};
    }
  } else {
    read_yaml(tree, faults);
  }
  if (!faults.empty() && look == Looks::json) {
    tree.forget_documents();
    faults.clear();
    read_json(tree, faults);
  }
  return faults;
}

void report_fault(const ConfigTree& tree, const DocumentFault& found, bool& said_template,
                  std::vector<Diagnostic>& diagnostics) {
  const std::size_t at = found.fault.begin;
  const auto [begin, end] = document_around(tree.text(), at);
  const std::size_t braces = find_template(tree.text(), begin, end);
  if (braces == std::string_view::npos) {
    const bool at_line_end = at < tree.text().size() && (tree.text()[at] == '\n' || tree.text()[at] == '\r');
    diagnostics.push_back(make_diagnostic(tree, found.fault.code, Severity::error, at,
                                          at_line_end ? at : found.fault.end, found.fault.message, found.document));
  } else if (!said_template) {  // once a file says it all
    said_template = true;
    diagnostics.push_back(
        make_diagnostic(tree, kHelmTemplate, Severity::error, braces, braces + 2, kTemplateMessage, found.document));
  }
}

}  // namespace

Diagnostic make_diagnostic(const ConfigTree& tree, const ConfigCode& code, Severity severity, std::size_t begin,
                           std::size_t end, std::string message, int document) {
  Diagnostic d;
  d.code = code.code;
  d.name = code.name;
  d.severity = severity;
  d.message = std::move(message);
  d.span = tree.span(begin, end);
  d.document = document;
  return d;
}

std::string name_to_tell(std::string_view name) {
  constexpr std::size_t kMostBytes = 1000;
  if (name.size() <= kMostBytes) return std::string(name);
  std::size_t end = 0;
  for (std::size_t next = 0; next <= kMostBytes; next += decode_utf8(name, next).length) end = next;
  return std::string(name.substr(0, end)) + "…";
}

namespace {

std::shared_ptr<ConfigTree> read(ConfigText text, bool for_kubectl, std::vector<Diagnostic>& diagnostics) {
  end_if_unwanted();
  if (text.text.size() > kMaxTextSize) throw Error(text.name + " is larger than 1 GiB; split it");
  auto tree = std::make_shared<ConfigTree>(std::move(text.name), std::move(text.text));
  const std::size_t bad = find_invalid_utf8(tree->text());
  if (bad < tree->text().size()) {
    const auto byte = static_cast<unsigned char>(tree->text()[bad]);
    const std::string_view start = tree->text().substr(0, 2);
    const bool utf16 = start == "\xFF\xFE" || start == "\xFE\xFF";
    diagnostics.push_back(make_diagnostic(*tree, kNotUtf8, Severity::error, bad, bad + 1,
                                          fmt::format("this file is not UTF-8 (byte 0x{:02x}{}); convert it to UTF-8",
                                                      byte, utf16 ? ", it looks like UTF-16" : ""),
                                          0));
    return tree;
  }
  bool said_template = false;
  const std::size_t first = diagnostics.size();
  for (const DocumentFault& fault : read_documents(*tree, for_kubectl)) {
    if (diagnostics.size() - first >= kMostFaults) {
      diagnostics.push_back(make_diagnostic(*tree, kTooLarge, Severity::error, fault.fault.begin, fault.fault.end,
                                            fmt::format("more than {} documents of this file are broken; the rest is "
                                                        "not reported",
                                                        kMostFaults),
                                            fault.document));
      break;
    }
    report_fault(*tree, fault, said_template, diagnostics);
  }
  return tree;
}

}  // namespace

std::shared_ptr<ConfigTree> read_tree(ConfigText text, std::vector<Diagnostic>& diagnostics) {
  return read(std::move(text), false, diagnostics);
}

std::shared_ptr<ConfigTree> read_manifests(ConfigText text, std::vector<Diagnostic>& diagnostics) {
  return read(std::move(text), true, diagnostics);
}

}  // namespace apf
