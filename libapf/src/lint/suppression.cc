#include "lint/suppression.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include <apf/time.h>

#include "base/joined.h"
#include "base/text.h"
#include "config/closest.h"
#include "config/codes.h"
#include "config/tree.h"
#include "config/yaml_text.h"
#include "lint/rules.h"
#include "lint/select.h"

namespace apf {

namespace {

constexpr std::string_view kMarker = "apfctl:";

// The scalars that contain the marker: a '#' inside one of them doesn't begin a comment.
class MarkedScalars {
 public:
  explicit MarkedScalars(const ConfigTree& tree) : text_(tree.text()) {
    for (const ConfigDocument& document : tree.documents()) visit(*document.root);
    std::sort(ranges_.begin(), ranges_.end());  // they do not overlap
  }
  bool hold(std::size_t at) const {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), std::pair(at, text_.npos));
    return after != ranges_.begin() && at < std::prev(after)->second;
  }

 private:
  void visit(const ConfigNode& node) {
    if (node.is_scalar()) {
      if (text_.substr(node.begin(), node.end() - node.begin()).find(kMarker) == text_.npos) return;
      if (seen_.insert(text_.data() + node.begin()).second) ranges_.emplace_back(node.begin(), node.end());
      return;
    }
    // Aliases share their children: each is visited once.
    const void* const children = node.is_sequence() ? static_cast<const void*>(node.items().data())
                                                    : static_cast<const void*>(node.entries().data());
    if (!seen_.insert(children).second) return;
    for (const ConfigNode& item : node.items()) visit(item);
    for (const ConfigEntry& entry : node.entries()) {
      visit(entry.key);
      visit(entry.value);
    }
  }

  std::string_view text_;
  std::set<const void*> seen_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

// More rules than there are: nobody means that.
constexpr std::size_t kMostRulesOfOne = 1'000;

// Parses what follows "apfctl:".
void parse_directive(std::string_view text, Suppression& out) {
  if (const std::size_t dashes = text.find("--"); dashes != text.npos) {
    out.has_reason = !trimmed(text.substr(dashes + 2)).empty();
    text = text.substr(0, dashes);
  }
  text = trimmed(text);
  for (const auto& [word, scope] : {std::pair{std::string_view("ignore-file"), Suppression::Scope::file},
                                    std::pair{std::string_view("ignore"), Suppression::Scope::line}}) {
    if (!text.starts_with(word)) continue;
    out.scope = scope;
    text = trimmed(text.substr(word.size()));
    const std::size_t close = text.find(']');
    if (!text.starts_with('[') || close == text.npos) {
      out.fault = fmt::format("it names no rules: write {}[CODE]", word);
      return;
    }
    std::string_view list = text.substr(1, close - 1);
    while (!list.empty() && out.rules.size() < kMostRulesOfOne) {
      const std::size_t comma = std::min(list.find(','), list.size());
      if (const std::string_view rule = trimmed(list.substr(0, comma)); !rule.empty()) out.rules.emplace_back(rule);
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
    if (out.rules.empty()) out.fault = fmt::format("it names no rules: write {}[CODE]", word);
    if (!list.empty()) out.fault = fmt::format("it names more than {} rules", kMostRulesOfOne);
    text = trimmed(text.substr(close + 1));
    if (text.starts_with("until=")) {
      out.until = trimmed(text.substr(6));
      if (!is_calendar_date(out.until))
        out.fault = fmt::format("\"{}\" is not a date: write until=YYYY-MM-DD", out.until);
    } else if (!text.empty() && out.fault.empty()) {
      out.fault = fmt::format("\"{}\" is not allowed here: write the reason after \"--\"", text);
    }
    return;
  }
  out.fault = "it is neither ignore[…] nor ignore-file[…]";
}

// The lines of a text: number, from 1, and bounds.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t at = 0; at <= text.size(); at = line_end(text, at) + 1) starts_.push_back(at);
    look_around();
  }
  int of(std::size_t at) const {
    return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), at) - starts_.begin());
  }
  int count() const { return static_cast<int>(starts_.size()); }
  std::size_t begin(int line) const { return starts_[static_cast<std::size_t>(line - 1)]; }
  std::string_view text(int line) const {
    return text_.substr(begin(line), line_end(text_, begin(line)) - begin(line));
  }
  // The next line that holds more than a comment; 0 if the document ends before.
  int next_content(int line) const { return next_content_[static_cast<std::size_t>(line) + 1]; }
  // Has this document no content before the line? Directives and markers are none.
  bool is_first_content(int line) const { return first_content_[static_cast<std::size_t>(line)]; }
  int last_of_document(int line) const { return last_of_document_[static_cast<std::size_t>(line) + 1]; }

 private:
  void look_around();

  std::string_view text_;
  std::vector<std::size_t> starts_;
  std::vector<int> next_content_, last_of_document_;  // by line: at it or after it
  std::vector<bool> first_content_;
};

bool is_marker_line(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || is_space(line[3]));
}

// Before the comment there is nothing, or a document marker.
bool stands_alone(std::string_view before) {
  const std::string_view rest = trimmed(before);
  return rest.empty() || rest == "---";
}

// What the lines around each line are: gathered once, as a file may hold thousands of comments.
void Lines::look_around() {
  const auto lines = static_cast<std::size_t>(count());
  next_content_.assign(lines + 2, 0);
  last_of_document_.assign(lines + 2, count());
  for (std::size_t line = lines; line >= 1; --line) {
    const std::string_view here = text(static_cast<int>(line)), content = trimmed(here);
    const bool ends = content == "---" || content == "...", holds = !content.empty() && content[0] != '#';
    next_content_[line] = ends ? 0 : holds ? static_cast<int>(line) : next_content_[line + 1];
    last_of_document_[line] = is_marker_line(here) ? static_cast<int>(line) - 1 : last_of_document_[line + 1];
  }
  bool fresh = true;  // no content so far in this document
  first_content_.assign(lines + 2, false);
  for (std::size_t line = 1; line <= lines; ++line) {
    first_content_[line] = fresh;
    const std::string_view here = text(static_cast<int>(line)), content = trimmed(here);
    if (is_marker_line(here)) fresh = stands_alone(here.substr(0, here.find('#')));
    else if (!content.empty() && content[0] != '#' && content[0] != '%' && content != "...") fresh = false;
  }
}

// The documents of a text that are no YAML: what looks like a comment there may be anything.
class UnparsedDocuments {
 public:
  UnparsedDocuments(const ConfigText& text, std::span<const Diagnostic> found) {
    for (const Diagnostic& d : found) {
      if (d.span.file != text.name || d.span.line == 0) continue;
      if (d.code != kSyntaxError.code && d.code != kHelmTemplate.code) continue;
      if (!lines_) lines_.emplace(text.text);
      const int line = std::min(d.span.line, lines_->count());
      // What is still open is noticed at the marker of the next document.
      const bool at_next = line > 1 && is_marker_line(lines_->text(line));
      ends_.insert(lines_->last_of_document(at_next ? line - 1 : line));
    }
  }
  bool hold(int line) const { return lines_ && ends_.contains(lines_->last_of_document(line)); }

 private:
  std::optional<Lines> lines_;
  std::set<int> ends_;  // last lines
};

void place(const Lines& lines, bool alone, Suppression& out) {
  if (out.scope == Suppression::Scope::file) return;
  out.line = out.last_line = out.span.line;
  if (!alone) return;
  out.line = out.last_line = lines.next_content(out.span.line);
  if (out.line == 0 || !lines.is_first_content(out.line)) return;
  out.scope = Suppression::Scope::document;
  out.last_line = lines.last_of_document(out.line);
}

// The document that a place belongs to, or the one before it.
int document_at(const ConfigTree& tree, std::size_t at) {
  const std::vector<ConfigDocument>& all = tree.documents();
  const auto after = std::upper_bound(
      all.begin(), all.end(), at,
      [](std::size_t offset, const ConfigDocument& document) { return offset < document.root->begin(); });
  return after == all.begin() ? 0 : std::prev(after)->index;
}

bool covers(const Suppression& s, const Diagnostic& d) {
  if (s.file != d.span.file) return false;
  return s.scope == Suppression::Scope::file || (d.span.line >= s.line && d.span.line <= s.last_line && s.line > 0);
}

// As in Findings: no more than this of one kind is reported.
constexpr std::size_t kMostOfRule = 10'000;
// Words for which a rule of a similar name is looked for.
constexpr std::size_t kMostCorrected = 1'000;

class Applier {
 public:
  Applier(const LintOptions& options, LintResult& result) : options_(options), result_(result) {}

  void apply(std::vector<Suppression> suppressions, const std::set<std::string>& unread) {
    used_.resize(suppressions.size());
    for (std::size_t i = 0; i < suppressions.size(); ++i) {
      const Suppression& s = suppressions[i];
      used_[i].resize(s.rules.size());
      if (!s.fault.empty()) continue;
      Covering& of_file = covering_[s.file];
      if (s.scope == Suppression::Scope::file) of_file.whole.push_back(i);
      else if (s.line > 0) (s.last_line > s.line ? of_file.documents : of_file.lines)[s.line].push_back(i);
    }
    std::vector<Diagnostic> kept;
    for (Diagnostic& d : result_.findings) {
      (silences(suppressions, d) ? result_.suppressed : kept).push_back(std::move(d));
    }
    result_.findings = std::move(kept);
    for (std::size_t i = 0; i < suppressions.size(); ++i) {
      report(suppressions[i], used_[i], unread.contains(suppressions[i].file));
    }
  }

 private:
  bool expired(const Suppression& s) const {
    return !s.until.empty() && !options_.today.empty() && options_.today > s.until;
  }

  bool silences(const std::vector<Suppression>& suppressions, const Diagnostic& d) {
    const auto of_file = covering_.find(d.span.file);
    if (of_file == covering_.end()) return false;
    bool silenced = false;
    const auto try_all = [&](const std::vector<std::size_t>& list) {
      for (const std::size_t i : list) {
        const Suppression& s = suppressions[i];
        if (!covers(s, d)) continue;
        for (std::size_t r = 0; r < s.rules.size(); ++r) {
          if (!names_rule(s.rules[r], d.code, d.name)) continue;
          used_[i][r] = true;
          silenced = silenced || !expired(s);
        }
      }
    };
    const Covering& covering = of_file->second;
    try_all(covering.whole);
    if (const auto at = covering.lines.find(d.span.line); at != covering.lines.end()) try_all(at->second);
    // Documents do not overlap: only the last that begins before can hold the line.
    const auto after = covering.documents.upper_bound(d.span.line);
    if (after != covering.documents.begin()) try_all(std::prev(after)->second);
    return silenced;
  }

  void add(const Rule& rule, const Suppression& s, std::string message, bool removable) {
    if (!is_selected(options_, rule.code, rule.name) || ++reported_[&rule] > kMostOfRule) return;
    Diagnostic& d = result_.findings.emplace_back();
    d.code = rule.code;
    d.name = rule.name;
    d.severity = rule.severity;
    d.message = std::move(message);
    d.span = s.span;
    d.document = s.document;
    if (removable) d.fix = Fix{"remove the comment", true, {{s.file, s.begin, s.end, ""}}};
  }

  // Could the rules that ran have found something for this word at all?
  bool was_looked_for(const std::string& word) {
    const auto [known, is_new] = looked_for_.try_emplace(word);
    if (is_new) known->second = may_be_found(word);
    return known->second;
  }
  bool may_be_found(std::string_view word) const {
    return std::any_of(lint_rules().begin(), lint_rules().end(), [&](const RuleInfo& rule) {
      return names_rule(word, rule.code, rule.name) && is_selected(options_, rule.code, rule.name);
    });
  }

  // `unread`: parts of the file could not be read, so that findings may be missing.
  void report(const Suppression& s, const std::vector<bool>& used, bool unread) {
    if (!s.fault.empty()) return add(rule_unused_suppression, s, "this comment suppresses nothing: " + s.fault, false);
    if (!s.has_reason) {
      add(rule_suppression_without_reason, s, "this suppression gives no reason: write it after \"--\"", false);
    }
    bool any_used = false;
    std::vector<std::string> unused;
    for (std::size_t r = 0; r < s.rules.size(); ++r) {
      any_used = any_used || used[r];
      if (used[r]) continue;
      if (is_known(s.rules[r])) {
        if (!unread && was_looked_for(s.rules[r])) unused.push_back(s.rules[r] + " finds nothing here");
        else any_used = true;
      } else {
        const std::string_view near = ++unknown_ > kMostCorrected ? std::string_view() : nearest_rule(s.rules[r]);
        unused.push_back(
            fmt::format("there is no rule \"{}\"{}", s.rules[r], near.empty() ? "" : ", " + did_you_mean(near)));
      }
    }
    if (expired(s) && any_used) {
      return add(rule_expired_suppression, s, fmt::format("this suppression ended on {}", s.until), false);
    }
    if (unused.empty()) return;
    add(rule_unused_suppression, s, fmt::format("unused suppression: {}", joined(unused, "; ")), !any_used);
  }

  static bool is_known(std::string_view word) {
    return std::any_of(lint_rules().begin(), lint_rules().end(),
                       [&](const RuleInfo& rule) { return names_rule(word, rule.code, rule.name); });
  }

  const LintOptions& options_;
  LintResult& result_;
  // By number: which suppressions of a file can hold for a finding there.
  struct Covering {
    std::vector<std::size_t> whole;
    std::map<int, std::vector<std::size_t>> lines, documents;  // by first line
  };

  std::vector<std::vector<bool>> used_;
  std::map<std::string, Covering, std::less<>> covering_;
  std::map<std::string, bool> looked_for_;
  std::map<const Rule*, std::size_t> reported_;
  std::size_t unknown_ = 0;  // words that name no rule
};

}  // namespace

std::vector<Suppression> find_suppressions(const ConfigText& text, const ConfigTree* tree) {
  std::vector<Suppression> out;
  const std::string_view all = text.text;
  if (all.find(kMarker) == all.npos) return out;
  const Lines lines(all);
  std::optional<MarkedScalars> strings;
  if (tree) strings.emplace(*tree);
  for (std::size_t at = all.find(kMarker); at != all.npos; at = all.find(kMarker, at + 1)) {
    const int line = lines.of(at);
    std::size_t hash = at;
    while (hash > lines.begin(line) && is_blank(all[hash - 1])) --hash;
    if (hash == lines.begin(line) || all[hash - 1] != '#') continue;
    --hash;
    if (hash > lines.begin(line) && !is_blank(all[hash - 1])) continue;
    if (strings && strings->hold(hash)) continue;
    Suppression& s = out.emplace_back();
    s.file = text.name;
    const std::string_view before = all.substr(lines.begin(line), hash - lines.begin(line));
    s.begin = hash;
    s.end = line_end(all, hash);
    if (s.end > s.begin && all[s.end - 1] == '\r') --s.end;
    s.span = {text.name, line, static_cast<int>(before.size()) + 1, line,
              static_cast<int>(s.end - lines.begin(line)) + 1};
    parse_directive(all.substr(at + kMarker.size(), s.end - at - kMarker.size()), s);
    place(lines, stands_alone(before), s);
    if (tree) s.document = document_at(*tree, line_end(all, lines.begin(s.line > 0 ? s.line : line)));
    // Removing it leaves neither an empty line nor blanks at a line's end.
    if (trimmed(before).empty()) {
      s.begin = lines.begin(line);
      s.end = std::min(line_end(all, s.end) + 1, all.size());
    } else {
      while (is_blank(all[s.begin - 1])) --s.begin;
    }
  }
  return out;
}

void apply_suppressions(const LoadedConfig& loaded, std::span<const ConfigText> texts, const LintOptions& options,
                        LintResult& result) {
  std::map<std::string_view, const ConfigTree*> trees;
  const auto know = [&](const ObjectMeta& meta) {
    if (meta.source.tree) trees.emplace(meta.source.file, &meta.source.tree->tree());
  };
  std::vector<Suppression> all;
  for (const ConfigText& text : texts) {
    if (text.text.find(kMarker) == std::string::npos) continue;
    if (trees.empty()) {
      for (const FlowSchema& object : loaded.config.flow_schemas) know(object.meta);
      for (const PriorityLevel& object : loaded.config.priority_levels) know(object.meta);
      for (const ResourceQuota& object : loaded.resource_quotas) know(object.meta);
      for (const ResourceQuotaConfiguration& object : loaded.resource_quota_configurations) know(object.meta);
      for (const AuditPolicy& object : loaded.audit_policies) know(object.meta);
      for (const EventRateLimitConfiguration& object : loaded.event_rate_limits) know(object.meta);
    }
    const auto tree = trees.find(text.name);
    const UnparsedDocuments unparsed(text, loaded.diagnostics);
    for (Suppression& s : find_suppressions(text, tree == trees.end() ? nullptr : tree->second)) {
      if (!unparsed.hold(s.span.line)) all.push_back(std::move(s));
    }
  }
  if (all.empty()) return;
  std::set<std::string> unread;
  for (const Diagnostic& d : loaded.diagnostics) {
    if (d.severity == Severity::error) unread.insert(d.span.file);
  }
  Applier(options, result).apply(std::move(all), unread);
}

}  // namespace apf
