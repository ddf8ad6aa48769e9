#include "lint/template_marks.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace apf {

namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "OPEN NAME … CLOSE", such as "${REPLICAS:=3}" of envsubst or "@@NAME@@".
std::string_view variable_between(std::string_view text, std::string_view open, std::string_view close) {
  for (std::size_t at = text.find(open); at != text.npos; at = text.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    std::size_t end = begin;
    while (end < text.size() && is_name_char(text[end])) ++end;
    if (end == begin) continue;
    const bool closed = text.substr(end).starts_with(close);
    const bool has_default = close == "}" && end < text.size() && (text[end] == ':' || text[end] == '-');
    const std::size_t last = text.find(close, end);
    if ((closed || has_default) && last != text.npos) return text.substr(at, last + close.size() - at);
  }
  return {};
}

bool has_braces(std::string_view text) {
  const std::size_t open = text.find("{{");
  return open != text.npos && text.find("}}", open) != text.npos;
}

// "#@ load(…)", "#@overlay/match", "#@data/values": comments that ytt obeys.
bool has_ytt_mark(std::string_view text) {
  for (std::size_t at = text.find("#@"); at != text.npos; at = text.find("#@", at + 2)) {
    const std::string_view rest = text.substr(at + 2);
    for (const std::string_view word : {" ", "overlay/", "data/", "schema/", "yaml/", "library/"}) {
      if (rest.starts_with(word)) return true;
    }
  }
  return false;
}

bool any_scalar_has_braces(const ConfigNode& node) {
  if (node.is_scalar()) return has_braces(node.text());
  return std::any_of(node.items().begin(), node.items().end(), any_scalar_has_braces) ||
         std::any_of(node.entries().begin(), node.entries().end(), [](const ConfigEntry& entry) {
           return has_braces(entry.key.text()) || any_scalar_has_braces(entry.value);
         });
}

// Annotations and labels are texts for people and tools: braces there change nothing about the object.
bool object_has_braces(const ConfigNode& object) {
  return std::any_of(object.entries().begin(), object.entries().end(), [](const ConfigEntry& entry) {
    if (entry.key.text() != "metadata") return any_scalar_has_braces(entry.value);
    return has_braces(entry.value.find_string("name")) || has_braces(entry.value.find_string("namespace"));
  });
}

}  // namespace

bool has_template_marks(std::string_view text) {
  if (has_braces(text) || has_ytt_mark(text) || !variable_in(text).empty()) return true;
  for (const std::string_view mark : {"{%", "<%", "%{ ", "[[ ", "${"}) {
    if (text.find(mark) != text.npos) return true;
  }
  return false;
}

bool has_template_marks(const ConfigNode& object) {
  const std::string_view text = object.tree().text();
  const std::size_t end = std::min<std::size_t>(text.find('\n', object.end()), text.size());
  return has_ytt_mark(text.substr(object.begin(), end - object.begin())) || object_has_braces(object);
}

std::string_view variable_in(std::string_view text) {
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"${", "}"}, {"$(", ")"}, {"@@", "@@"}}) {
    const std::string_view found = variable_between(text, open, close);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace apf
