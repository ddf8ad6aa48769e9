// What a file is that is no log of a known format: the names of what users hand over by mistake, and of the forms that
// log shippers give to audit events.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "logs/archive.h"
#include "logs/formats/csv_table.h"
#include "logs/formats/json_outline.h"
#include "logs/formats/sniff.h"

namespace apf {
namespace {

struct Head {
  std::string_view text;  // the file's first bytes
  std::string_view line;  // its first line that is not blank
  JsonOutline record;     // of that line, or of the document it begins
};

bool has_all(const JsonOutline& record, std::initializer_list<std::string_view> keys) {
  return std::all_of(keys.begin(), keys.end(), [&](std::string_view k) { return record.has(k); });
}

bool has_any(const JsonOutline& record, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](std::string_view k) { return record.has(k); });
}

// '9' is any digit, all else is itself.
bool has_form(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == '9' ? !digit : text[i] != form[i]) return false;
  }
  return true;
}

bool is_http_line(std::string_view line) {
  return contains(line, "httplog.go:") || contains(line, "wrap.go:") || contains(line, "\"HTTP\" verb=");
}

// --- compressed and binary ----------------------------------------------------------------------

bool is_packed(const Head& h) {
  // What is read through is inflated before: these are compressed twice, or by others.
  using namespace std::string_view_literals;
  constexpr std::string_view kPacked[] = {"\x1F\x8B",
                                          "\x1F\x9D",
                                          "\x1F\x1E",
                                          "\x1F\xA0",
                                          "\x89LZO",
                                          "LZIP",
                                          "LRZI",
                                          "\x5D\0\0"sv,
                                          "BZh",
                                          "\xFF\x06\0\0sNaPpY"sv,
                                          "\x28\xB5\x2F\xFD",
                                          "xar!",
                                          "Rar!\x1A",
                                          "MSCF\0"sv,
                                          "PAR1",
                                          "Salted__",
                                          "age-encryption.org",
                                          "-----BEGIN PGP MESSAGE"};
  return packing_of(h.text) != Packing::none || starts_with_any(h.text, kPacked);
}
// Of JSON or of gzip: the last word of the first line. A token (JWT) has dots.
bool is_base64(const Head& h) {
  constexpr std::size_t kLeast = 48;
  std::string_view word = h.line.substr(h.line.find_last_of(" \t") + 1);
  while (word.ends_with('\r') || word.ends_with('=')) word.remove_suffix(1);
  return word.size() >= kLeast && starts_with_any(word, {"eyJ", "ewo", "eyA", "H4sI"}) &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '+' || c == '/';
         });
}
bool is_utf16(const Head& h) { return starts_with_any(h.text, {"\xFF\xFE", "\xFE\xFF"}); }
bool is_binary(const Head& h) {
  const std::string_view head = h.text.substr(0, 4096);
  const auto control = std::count_if(head.begin(), head.end(), [](char c) {
    const auto b = static_cast<unsigned char>(c);
    return (b < 0x20 && b != '\n' && b != '\r' && b != '\t' && b != 0x1B) || b == 0x7F;
  });
  return control > 0 && static_cast<std::size_t>(control) * 20 > head.size();
}

// --- logs of others as shippers wrap them ---------------------------------------------------------

bool is_elastic(const Head& h) {
  return has_any(h.record, {"@timestamp"}) && has_any(h.record, {"message", "event", "agent", "ecs"});
}
bool is_fluent_bit(const Head& h) {
  return has_any(h.record, {"log"}) ||
         (has_any(h.record, {"date", "time", "@timestamp", "stream"}) && has_any(h.record, {"kubernetes", "message"}));
}
bool is_container_log(const Head& h) {
  return has_form(h.line, "9999-99-99T99:99:99") && (contains(h.line, " stderr ") || contains(h.line, " stdout "));
}

// --- other logs of the server ---------------------------------------------------------------------

bool is_httplog(const Head& h) { return !h.record.is_json && is_http_line(h.text.substr(0, 4096)); }
bool is_journal(const Head& h) { return contains(h.line, "kube-apiserver[") || contains(h.line, "]: I"); }
bool is_legacy_audit(const Head& h) { return contains(h.line, "AUDIT: id="); }
bool is_observed(const Head& h) { return contains(h.text.substr(0, 64 * 1024), "&request.RequestInfo{"); }
bool is_dump(const Head& h) { return starts_with_any(h.line, {"PriorityLevelName,", "PriorityLevelName ,"}); }
bool is_metrics(const Head& h) {
  return starts_with_any(h.line, {"# HELP ", "# TYPE "}) || (h.line.starts_with("apiserver_") && contains(h.line, " "));
}

// --- all else ---------------------------------------------------------------------------------------

bool is_html(const Head& h) {
  std::string start(h.line.substr(0, 15));
  std::transform(start.begin(), start.end(), start.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return starts_with_any(start, {"<!doctype html", "<html", "<head", "<body"});
}
bool is_xml(const Head& h) { return h.line.starts_with("<?xml"); }
bool is_request_count(const Head& h) { return contains(h.text.substr(0, 64 * 1024), "APIRequestCount"); }
bool is_prometheus(const Head& h) {
  const std::string_view head = h.text.substr(0, 4096);
  const std::size_t kind = head.find("\"resultType\"");
  const std::string_view of = kind == head.npos ? std::string_view() : head.substr(kind, 40);
  return contains(of, "\"vector\"") || contains(of, "\"matrix\"") ||
         (contains(head, "\"metric\"") && contains(head, "\"__name__\"")) || contains(head, "{__name__=") ||
         (contains(head, " => ") && contains(head, " @["));
}
bool is_core_dump(const Head& h) {  // ELF's type of a core
  return h.text.starts_with(
             "\x7F"
             "ELF") &&
         h.text.size() > 17 && h.text[16] == 4 && h.text[17] == 0;
}
bool is_elf(const Head& h) {
  return h.text.starts_with(
      "\x7F"
      "ELF");
}
bool is_pcap(const Head& h) {
  return starts_with_any(h.text, {"\xD4\xC3\xB2\xA1", "\xA1\xB2\xC3\xD4", "\x0A\x0D\x0D\x0A"});
}
bool is_pprof_text(const Head& h) { return h.line.starts_with("goroutine "); }
bool is_error_page(const Head& h) {
  return starts_with_any(h.line, {"error:", "Error from server", "Error:", "Unable to connect to the server"});
}
bool is_kubernetes_json(const Head& h) { return has_all(h.record, {"apiVersion", "kind"}); }
bool is_json_object(const Head& h) { return h.record.is_json; }
bool is_json_value(const Head& h) { return h.line.starts_with("["); }
bool is_kubernetes_yaml(const Head& h) {
  const std::string text = "\n" + std::string(h.text.substr(0, 64 * 1024));
  return contains(text, "\napiVersion:") || contains(text, "\nkind:");
}
bool is_yaml(const Head& h) { return h.line.starts_with("---") || h.line.starts_with("%YAML"); }
bool is_csv(const Head& h) {
  return !table_header(h.text.substr(static_cast<std::size_t>(h.line.data() - h.text.data()))).empty();
}
bool is_anything(const Head&) { return true; }

// Events in a form that is not read: a table, XML, attributes.
bool has_events(std::string_view text) {
  return contains(text, "auditID") && contains(text, "requestURI") && contains(text, "stage");
}
bool is_audit_markup(const Head& h) {
  return (h.record.is_json || h.line.starts_with("[") || h.line.starts_with("<?xml")) &&
         has_events(h.text.substr(0, 64 * 1024));
}
bool is_audit_text(const Head& h) { return has_events(h.line); }

struct ForeignRow {
  bool (*matches)(const Head& head);
  const char* looks_like;
  bool is_no_log = true, may_turn = false;
};

constexpr const char* kUnreadEvents =
    "audit events in a form that is not read here (export each as the server wrote it, one a line)";

// The first that matches is named.
constexpr ForeignRow kForeign[] = {
    {is_packed, "an archive, or a file compressed twice or by a program that is not known here (unpack it first)",
     false},
    {is_utf16, "UTF-16 text (convert it to UTF-8 first: iconv -f UTF-16 -t UTF-8)", false},
    {is_core_dump, "a core dump"},
    {is_elf, "a program"},
    {is_pcap, "a capture of network packets"},
    {is_binary, "a binary file"},
    {is_base64, "base64 (decode it first: base64 -d)", false},
    {is_audit_markup, kUnreadEvents, false},
    {is_audit_text, kUnreadEvents, false},
    {is_elastic, "documents of Elasticsearch or Elastic Agent, in which there are no audit events", true, true},
    {is_fluent_bit, "records of Fluent Bit or of a container runtime, in which there are no lines of kube-apiserver",
     true, true},
    {is_container_log, "the log of another container than kube-apiserver's", true, true},
    {is_legacy_audit, "an audit log in the legacy text format, which does not hold what is needed"},
    {is_observed,
     "requests as Go prints them, which hold no times, so that there is nothing to replay (apfctl explain --requests "
     "classifies them)"},
    {is_httplog, "lines of the HTTP log without the times that klog writes before them"},
    {is_journal, "a system journal without lines of kube-apiserver", true, true},
    {is_request_count,
     "counts of requests (APIRequestCount of OpenShift), which cannot be replayed (apfctl log reads files of them)"},
    {is_prometheus, "an answer of Prometheus, which has no requests (apfctl inspect --metrics reads it)"},
    {is_dump, "a dump of /debug/api_priority_and_fairness (apfctl inspect reads it)"},
    {is_metrics, "a scrape of /metrics, which has no requests (apfctl inspect --metrics reads it)"},
    {is_error_page, "an error message of a command"},
    {is_pprof_text, "a dump of goroutines"},
    {is_html, "an HTML page"},
    {is_xml, "an XML file"},
    {is_kubernetes_json, "a Kubernetes object in JSON (a manifest), not a log"},
    {is_json_object, "JSON of another kind", true, true},
    {is_json_value, "JSON of another kind"},
    {is_kubernetes_yaml, "a Kubernetes object in YAML (a manifest), not a log"},
    {is_yaml, "a YAML file"},
    {is_csv, "a CSV table", true, true},
    {is_anything, "plain text", true, true},
};

}  // namespace

ForeignText describe_foreign(std::string_view text) {
  Head head;
  head.text = text;
  const std::size_t begin = text.find_first_not_of(kBlankSpace);
  if (begin == std::string_view::npos) return {};
  head.line = text.substr(begin, text.find('\n', begin) - begin);
  head.record = outline_json(text.substr(begin));
  for (const ForeignRow& row : kForeign) {
    if (row.matches(head)) return {row.looks_like, row.is_no_log, row.may_turn};
  }
  return {};
}

}  // namespace apf
