// Applying the fixes of findings to the text they were found in.
#include "lint/fix.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "base/sort_stably.h"
#include "lint/select.h"

namespace apf {

namespace {

auto key_of(const Edit& edit) { return std::tie(edit.begin, edit.end, edit.text); }
bool same(const Edit& a, const Edit& b) { return key_of(a) == key_of(b); }

// Two insertions at one place are in each other's way: which comes first is open.
bool overlap(const Edit& a, const Edit& b) {
  return (a.begin < b.end && b.begin < a.end) || (a.begin == b.begin && (a.begin == a.end) == (b.begin == b.end));
}

// Accepted edits in order of their place, none of which overlap.
class EditList {
 public:
  // All of `edits` (sorted) or none of them.
  bool add(const std::vector<Edit>& edits) {
    std::vector<Edit> fresh;
    for (const Edit& edit : edits) {
      if (!fresh.empty() && overlap(fresh.back(), edit)) return false;
      const auto at = std::lower_bound(edits_.begin(), edits_.end(), edit, before);
      if (at != edits_.end() && same(*at, edit)) continue;
      if (at != edits_.end() && overlap(*at, edit)) return false;
      if (at != edits_.begin() && overlap(*(at - 1), edit)) return false;
      fresh.push_back(edit);
    }
    // Most fixes come in order of their place.
    const auto middle = static_cast<std::ptrdiff_t>(edits_.size());
    edits_.insert(edits_.end(), fresh.begin(), fresh.end());
    if (middle > 0 && !fresh.empty() && before(fresh.front(), edits_[static_cast<std::size_t>(middle - 1)])) {
      std::inplace_merge(edits_.begin(), edits_.begin() + middle, edits_.end(), before);
    }
    return true;
  }

  std::string apply(std::string_view text) const {
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits_) {
      out += text.substr(at, edit.begin - at);
      out += edit.text;
      at = edit.end;
    }
    out += text.substr(at);
    return out;
  }

 private:
  static bool before(const Edit& a, const Edit& b) { return key_of(a) < key_of(b); }
  std::vector<Edit> edits_;
};

}  // namespace

FixResult apply_fixes(std::string_view text, std::string_view file, std::span<const Diagnostic> findings,
                      bool include_unsafe) {
  FixResult result;
  struct Fixing {
    std::vector<Edit> edits;
    const Diagnostic* finding;
  };
  std::vector<Fixing> fixes;
  for (const Diagnostic& finding : findings) {
    if (!finding.fix || finding.fix->edits.empty() || (!finding.fix->safe && !include_unsafe)) continue;
    std::vector<Edit> edits = finding.fix->edits;
    const auto here = [&](const Edit& edit) { return edit.file == file; };
    if (std::none_of(edits.begin(), edits.end(), here)) continue;
    const auto fits = [&](const Edit& edit) { return here(edit) && edit.begin <= edit.end && edit.end <= text.size(); };
    if (!std::all_of(edits.begin(), edits.end(), fits)) {
      ++result.skipped;
      continue;
    }
    std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return key_of(a) < key_of(b); });
    fixes.push_back({std::move(edits), &finding});
  }
  sort_stably(fixes, [](const auto& a, const auto& b) { return a.edits[0].begin < b.edits[0].begin; });
  EditList accepted;
  for (const auto& [edits, finding] : fixes) {
    const bool added = accepted.add(edits);
    ++(added ? result.applied : result.skipped);
    if (added) result.fixed.push_back(finding);
  }
  result.text = accepted.apply(text);
  return result;
}

namespace {

// More rounds than any text needs; rules whose fixes undo each other end here.
constexpr int kMostRounds = 1000;

std::size_t rejected(const std::vector<Diagnostic>& findings) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Diagnostic& d) { return is_rejection(d.code); }));
}

// Without the numbers of entries, which change where an entry goes.
std::string without_indexes(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c < '0' || c > '9' || (!out.empty() && out.back() != '[')) out += c;
  return out;
}

// A finding, wherever edits have moved it.
using FindingName = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;
FindingName name_of_finding(const Diagnostic& d) {
  return {d.code, d.span.file, d.kind, d.object_name, without_indexes(d.field), without_indexes(d.message)};
}

// A state of the texts and what is found in it.
struct State {
  std::vector<ConfigText> texts;
  std::vector<Diagnostic> findings;
  std::set<FindingName> left;  // whose own fixes leave them
};

// Whether there are fewer of each of those whose fixes were applied, by as many.
bool are_gone(const std::vector<const Diagnostic*>& fixed, const std::vector<Diagnostic>& before,
              const std::vector<Diagnostic>& after) {
  std::map<FindingName, int> more;
  for (const Diagnostic* d : fixed) ++more[name_of_finding(*d)];
  const auto count = [&](const std::vector<Diagnostic>& findings, int sign) {
    for (const Diagnostic& d : findings)
      if (const auto at = more.find(name_of_finding(d)); at != more.end()) at->second += sign;
  };
  count(after, 1);
  count(before, -1);
  return std::all_of(more.begin(), more.end(), [](const auto& name) { return name.second <= 0; });
}

bool may_be_fixed(const State& state, const Diagnostic& d, bool include_unsafe) {
  return d.fix && (d.fix->safe || include_unsafe) && !state.left.contains(name_of_finding(d));
}

// The number of fixes applied; none if there are none, if they would spoil something, or if they leave a finding.
int advance(State& state, std::span<const Diagnostic> findings, const FindingsOf& findings_of, bool include_unsafe) {
  State next{state.texts, {}, state.left};
  std::vector<const Diagnostic*> fixed;
  for (ConfigText& text : next.texts) {
    FixResult result = apply_fixes(text.text, text.name, findings, include_unsafe);
    fixed.insert(fixed.end(), result.fixed.begin(), result.fixed.end());
    text.text = std::move(result.text);
  }
  if (fixed.empty()) return 0;
  next.findings = findings_of(next.texts);
  if (rejected(next.findings) > rejected(state.findings)) return 0;
  if (!are_gone(fixed, state.findings, next.findings)) {
    if (fixed.size() == 1) state.left.insert(name_of_finding(*fixed.front()));
    return 0;
  }
  state = std::move(next);
  return static_cast<int>(fixed.size());
}

int advance_by_one(State& state, const FindingsOf& findings_of, bool include_unsafe) {
  const std::vector<Diagnostic> findings = state.findings;
  for (const Diagnostic& d : findings) {
    if (!may_be_fixed(state, d, include_unsafe)) continue;
    if (const int applied = advance(state, std::span(&d, 1), findings_of, include_unsafe)) return applied;
  }
  return 0;
}

}  // namespace

FixedTexts fix_texts(std::vector<ConfigText> texts, const FindingsOf& findings_of, bool include_unsafe) {
  State state{std::move(texts), {}, {}};
  state.findings = findings_of(state.texts);
  FixedTexts fixed;
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<Diagnostic> fixable = state.findings;
    std::erase_if(fixable, [&](const Diagnostic& d) { return !may_be_fixed(state, d, include_unsafe); });
    int applied = advance(state, fixable, findings_of, include_unsafe);
    if (applied == 0) applied = advance_by_one(state, findings_of, include_unsafe);
    if (applied == 0) break;
    fixed.applied += applied;
  }
  fixed.texts = std::move(state.texts);
  return fixed;
}

}  // namespace apf
