// What can be done about the findings of a range: fixes, corrections, comments that suppress them.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "config/closest.h"
#include "config/reader.h"
#include "lint/fix.h"
#include "lint/suppression.h"
#include "lsp/answers.h"
#include "lsp/messages.h"

namespace apf {

namespace {

// Whether the finding has a fix for the present texts.
bool is_current(const Folder& folder, const Diagnostic& finding) {
  return finding.fix && std::all_of(finding.fix->edits.begin(), finding.fix->edits.end(), [&](const Edit& edit) {
           const Source* source = folder.find(edit.file);
           return source && source->linted == source->revision && edit.end <= source->text().size();
         });
}

// What the finding asks about, 'there is no rule "unusd-level", did you mean "unused-level"?', as a fix.
std::optional<Fix> answer_to(const Diagnostic& d, std::string_view text, TextRange at) {
  std::string said = d.message;
  for (const Note& note : d.notes) said += "\n" + note.message;
  const std::string meant(meant_in(said));
  if (meant.empty()) return std::nullopt;
  const std::size_t asks = said.find(did_you_mean(meant));
  // The words in quotes before it: the last one that stands there is the wrong one.
  std::optional<Fix> out;
  for (std::size_t open = said.find('"'), end = 0; open < asks; open = said.find('"', end + 1)) {
    end = said.find('"', open + 1);
    if (end > asks) break;
    const std::string word = said.substr(open + 1, end - open - 1);
    const std::size_t place = text.find(word, at.begin);
    if (!word.empty() && place != text.npos && place + word.size() <= at.end)
      out = {"replace it with \"" + meant + '"', false, {{d.span.file, place, place + word.size(), meant}}};
  }
  return out;
}

class ActionList {
 public:
  explicit ActionList(const Asked& at)
      : folder_(at.folder), path_(at.path), lines_(at.lines), text_(folder_.find(path_)->text()) {
    if (const auto only = member(at.params, {"context", "only"})) kinds_ = only->elements();
    const std::optional<JsonValue> trigger = member(at.params, {"context", "triggerKind"});
    is_automatic_ = trigger && trigger->whole() == 2;
    if (const auto range = at.params.get("range")) range_ = range_in(*range, lines_.of(path_));
  }

  std::string render() {
    json_.begin_array();
    std::vector<const Diagnostic*> here;
    for (const Diagnostic& d : folder_.findings(path_)) {
      const TextRange at = lines_.of(path_).range_of(d.span);
      if (at.begin <= range_.end && range_.begin <= at.end) here.push_back(&d);
    }
    if (is_wanted("quickfix")) {
      for (const bool safe : {true, false}) {
        for (const Diagnostic* d : here) {
          if (is_current(folder_, *d) && d->fix->safe == safe && !d->fix->edits.empty()) add_fix(*d);
        }
      }
      for (const Diagnostic* d : here) add_correction(*d);
      for (const Diagnostic* d : here) add_suppression(*d);
    }
    // Not for every move of the cursor: it takes as long as lint.
    if (is_wanted("source.fixAll.apfctl") && (kinds_ || !is_automatic_)) add_fix_all();
    json_.end_array();
    return json_.take();
  }

 private:
  // Kinds are hierarchical: who wants "source" wants "source.fixAll".
  bool is_wanted(std::string_view kind) const {
    if (!kinds_) return true;
    return std::any_of(kinds_->begin(), kinds_->end(), [&](const JsonValue& one) {
      const std::string_view wanted = one.text().value_or("?");
      return wanted.empty() || kind == wanted || (kind.starts_with(wanted) && kind[wanted.size()] == '.');
    });
  }

  void add(const std::string& title, const char* kind, const Diagnostic* d, bool preferred,
           const std::vector<Edit>& edits) {
    JsonWriter edit;
    write_edits(edit, edits, folder_, lines_);
    const std::string change = edit.take();
    if (!offered_.insert(title + change).second) return;
    json_.begin_object().field("title", title).field("kind", kind);
    if (d) {
      json_.key("diagnostics").begin_array();
      write_diagnostic(json_, *d, path_, lines_);
      json_.end_array();
    }
    if (preferred) json_.field("isPreferred", true);
    json_.key("edit").raw(change).end_object();
  }

  void add_fix(const Diagnostic& d) {
    const Fix& fix = *d.fix;
    const std::string title =
        fmt::format("{}: {}{}", d.code, fix.title, fix.safe ? "" : " (unsafe: requests may be treated otherwise)");
    add(title, "quickfix", &d, fix.safe, fix.edits);
  }

  // Of what lint has no such fix for: settings, kinds, the rules that comments name.
  void add_correction(Diagnostic d) {
    std::optional<Fix> answer = answer_to(d, text_, lines_.of(path_).range_of(d.span));
    const auto is_it = [&](const Edit& edit) { return edit.text.find(answer->edits[0].text) != edit.text.npos; };
    if (!answer || (d.fix && std::any_of(d.fix->edits.begin(), d.fix->edits.end(), is_it))) return;
    d.fix = std::move(answer);
    if (is_current(folder_, d))
      add(d.code.empty() ? d.fix->title : d.code + ": " + d.fix->title, "quickfix", &d, false, d.fix->edits);
  }

  // Would this text silence the finding, which is `added` lines further down, and nothing on other lines?
  bool silences(const Diagnostic& d, const Edit& edit, int added) const {
    const LineTable& table = lines_.of(path_);
    const auto [first, end] = table.document_around(static_cast<std::size_t>(d.span.line - 1));
    const std::size_t begin = table.begin_of(first), at = edit.begin - begin;
    ConfigText document{path_, text_.substr(begin, table.begin_of(end) - begin)};
    document.text.insert(at, edit.text);
    std::vector<Diagnostic> faults;
    const std::shared_ptr<ConfigTree> tree = read_manifests(document, faults);
    if (!faults.empty()) return false;
    const int line = d.span.line + added - static_cast<int>(first);
    const std::vector<Suppression> all = find_suppressions(document, tree.get());
    return std::any_of(all.begin(), all.end(), [&](const Suppression& s) {
      return s.fault.empty() && s.begin >= at && s.end <= at + edit.text.size() &&
             s.scope == Suppression::Scope::line && s.line == line;
    });
  }

  void add_suppression(const Diagnostic& d) {
    const RuleInfo* rule = find_rule(d.code);
    if (!rule || !d.span.known() || rule->group == RuleGroup::suppressions || rule->group == RuleGroup::rejected)
      return;
    const LineTable& table = lines_.of(path_);
    const auto line = static_cast<std::size_t>(d.span.line - 1);
    const std::string_view written = table.text_of(line);
    const std::string comment = fmt::format("# apfctl: ignore[{}] -- TODO: say why", d.code);
    const std::size_t indent = std::min(written.find_first_not_of(' '), written.size());
    const std::size_t begin = table.begin_of(line), end = begin + written.size();
    const Edit above{path_, begin, begin,
                     std::string(indent, ' ') + comment + (text_.compare(end, 2, "\r\n") == 0 ? "\r\n" : "\n")},
        behind{path_, end, end, " " + comment};
    const bool fits = silences(d, above, 1);
    if (!fits && !silences(d, behind, 0)) return;
    add(fmt::format("{}: suppress it here, with a reason", d.code), "quickfix", &d, false, {fits ? above : behind});
  }

  void add_fix_all() {
    const auto is_here = [&](const Diagnostic& d) {
      return is_current(folder_, d) && d.fix->safe &&
             std::all_of(d.fix->edits.begin(), d.fix->edits.end(), [&](const Edit& e) { return e.file == path_; });
    };
    const std::vector<Diagnostic>& found = folder_.findings(path_);
    if (std::none_of(found.begin(), found.end(), is_here)) return;
    const FixedTexts fixed = fix_texts(
        {{path_, text_}},
        [&](std::span<const ConfigText> texts) {
          const bool alone = folder_.is_large();
          LintRun run = folder_.next_run(alone ? path_ : "");
          run.partial = alone;
          for (ConfigText& text : run.found.texts) {
            if (text.name == path_) text.text = texts.front().text;
          }
          std::vector<Diagnostic> out = run_lint(std::move(run)).found.findings;
          std::erase_if(out, [&](const Diagnostic& d) { return d.span.file != path_; });
          return out;
        },
        false);
    const std::string& after = fixed.texts.front().text;
    if (after == text_) return;
    const auto [begin, end, new_end] = changed_lines(text_, after);
    add("Apply all safe fixes", "source.fixAll.apfctl", nullptr, false,
        {{path_, begin, end, after.substr(begin, new_end - begin)}});
  }

  Folder& folder_;
  const std::string& path_;
  Lines& lines_;
  const std::string& text_;
  TextRange range_;
  std::optional<std::vector<JsonValue>> kinds_;
  bool is_automatic_ = false;      // the cursor moved
  std::set<std::string> offered_;  // titles and edits
  JsonWriter json_;
};

}  // namespace

std::string render_actions(const Asked& at) { return ActionList(at).render(); }

}  // namespace apf
