#include "advise/patch.h"

#include <apf/limits.h>
#include <apf/lint.h>
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "advise/client_level.h"
#include "advise/clients.h"
#include "base/releases.h"
#include "base/sort_stably.h"
#include "config/field_errors.h"
#include "config/tree.h"
#include "config/validate_object.h"
#include "lint/autoupdate.h"
#include "lint/fix_edits.h"
#include "lint/given_schemas.h"

namespace apf {

namespace {

constexpr const char* kNewFile = "suggested.yaml";
constexpr const char* kLevelOfSchema = "spec.priorityLevelConfiguration.name";

const char* path_of(SuggestField field) {
  switch (field) {
    case SuggestField::shares:
      return "spec.limited.nominalConcurrencyShares";
    case SuggestField::borrowing:
      return "spec.limited.borrowingLimitPercent";
    case SuggestField::lendable:
      return "spec.limited.lendablePercent";
    case SuggestField::queue_length:
      return "spec.limited.limitResponse.queuing.queueLengthLimit";
    case SuggestField::queues:
      return "spec.limited.limitResponse.queuing.queues";
    case SuggestField::hand:
      return "spec.limited.limitResponse.queuing.handSize";
    case SuggestField::level:
    case SuggestField::seats:
      break;
  }
  return "";
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// "ceil(150 * 20 / 265 shares) = 12 seats, 6 to 40 with borrowing".
std::string arithmetic(const ReplayOptions& options, const std::string& name) {
  const LimitsTable table = compute_limits(options.config, options.server_concurrency_limit, options.version);
  for (const LevelLimits& limits : table.levels)
    if (limits.name == name)
      return fmt::format("ceil({} seats * {} / {} shares) = {}", options.server_concurrency_limit,
                         limits.nominal_concurrency_shares, table.share_sum, limits.nominal_cl) +
             (has(options.version, Feature::borrowing)
                  ? fmt::format(", {} to {} with borrowing", limits.min_cl, limits.max_cl)
                  : std::string());
  return {};
}

std::string queue_arithmetic(const ReplayOptions& options, const std::string& name) {
  for (const PriorityLevel& level : options.config.priority_levels) {
    if (level.meta.name != name || !level.limited || !level.limited->queuing) continue;
    const Queuing& queuing = *level.limited->queuing;
    return fmt::format("{} queues of {} = {} places, {} * {} = {} for a flow", queuing.queues,
                       queuing.queue_length_limit, std::int64_t{queuing.queues} * queuing.queue_length_limit,
                       queuing.hand_size, queuing.queue_length_limit,
                       std::int64_t{queuing.hand_size} * queuing.queue_length_limit);
  }
  return {};
}

// Lines of a comment.
std::string commented(const std::string& lines, const std::string& indent, const char* line_break) {
  std::string out;
  for (std::size_t at = 0; at <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    out += indent + "# " + lines.substr(at, end - at) + line_break;
    at = end + 1;
  }
  return out;
}

// `after` is the configuration with the changes.
std::string comment_of(const SuggestChange& change, const ReplayOptions& after, const Remarks& remarks) {
  const auto known = remarks.find(change.level);
  const std::string remark = known == remarks.end() ? std::string() : "\n" + known->second;
  switch (change.field) {
    case SuggestField::shares:
    case SuggestField::borrowing:
    case SuggestField::lendable:
      return fmt::format("{} was {}\n{}{}", last_of(path_of(change.field)),
                         change.from < 0 ? "not set" : std::to_string(change.from), arithmetic(after, change.level),
                         change.field == SuggestField::shares ? remark : "");
    case SuggestField::queue_length:
    case SuggestField::queues:
    case SuggestField::hand:
      return fmt::format("{} was {}\n{}", last_of(path_of(change.field)), change.from,
                         queue_arithmetic(after, change.level));
    case SuggestField::level:
      return fmt::format("{} shares: {}{}", change.to, arithmetic(after, change.level), remark);
    case SuggestField::seats:
      break;
  }
  return {};
}

std::string was_of(const FlowSchema& before, const FlowSchema& after) {
  return "its level was " + before.priority_level +
         (before.distinguisher_method && !after.distinguisher_method
              ? ", its distinguisherMethod " + *before.distinguisher_method
              : std::string());
}

// Nothing: its layout allows no edit.
std::vector<Edit> edits_of(const FlowSchema& before, const FlowSchema& after) {
  const ConfigNode& root = *before.meta.source.tree;
  std::vector<Edit> out = replace_scalar(root, kLevelOfSchema, after.priority_level);
  if (out.empty() || before.distinguisher_method == after.distinguisher_method) return out;
  const std::vector<Edit> goes = remove_field(root, "spec.distinguisherMethod");
  if (goes.empty()) return {};
  out.insert(out.end(), goes.begin(), goes.end());
  return out;
}

// Whether the server has a FlowSchema of that name itself, and restores it.
bool own_of_server(const std::string& schema, KubeVersion version) {
  const Config builtins = bootstrap_config(version);
  return find_schema(builtins, schema) != nullptr;
}

struct Patcher {
  const Config& before;
  const ReplayOptions& after;
  const std::set<std::string>& suggested;
  const Remarks& remarks;
  const std::set<std::string>& no_files;
  std::vector<Edit> edits = {};
  std::set<std::string> whole = {};  // levels and FlowSchemas that no file has
  std::string unwritable = {};       // an object whose file does not allow the edit

  std::set<std::string> kept = {};  // suggested levels whose file forbids now that the server restores them

  void edit(const SuggestChange& change, const std::vector<ConfigText>& texts);
  void lead_there(const SuggestChange& level, const std::vector<ConfigText>& texts);
  void keep(const ObjectMeta& meta, const std::vector<ConfigText>& texts);
  void add(const ConfigText& text, const ConfigNode& root, const std::string& comment, std::vector<Edit> own);
};

// The edits that give a field this value, or take it away.
std::vector<Edit> edits_of(const ConfigNode& root, const SuggestChange& change) {
  std::string field = path_of(change.field);
  const std::string assured = "spec.limited.assuredConcurrencyShares";  // before v1beta3
  if (change.field == SuggestField::shares && find_field(root, assured).exact) field = assured;
  if (change.to < 0) return remove_field(root, field);
  if (find_field(root, field).exact) return replace_scalar(root, field, change.to);
  // Left out so far: a line of its own beside a neighbour.
  const std::string parent = field.substr(0, field.rfind('.'));
  for (const char* neighbour : {"nominalConcurrencyShares", "assuredConcurrencyShares", "limitResponse", "queues",
                                "handSize", "queueLengthLimit"}) {
    std::vector<Edit> own = insert_after(root, parent + "." + neighbour, last_of(field), change.to);
    if (!own.empty()) return own;
  }
  if (!parent.ends_with("queuing") || find_field(root, parent).exact) return {};
  return insert_mapping_after(root, "spec.limited.limitResponse.type", "queuing", last_of(field), change.to);
}

std::size_t line_start(const std::string& text, std::size_t at) {
  const std::size_t end = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return end == std::string::npos ? 0 : end + 1;
}

bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

// Of the line of `at`.
bool has_crlf(const std::string& text, std::size_t at) {
  const std::size_t end = text.find('\n', at);
  return end != std::string::npos && end > 0 && text[end - 1] == '\r';
}

// Lines above the one of the edit, indented as that.
Edit comment_above(const ConfigText& text, const Edit& edit, const std::string& comment) {
  // An insertion is a line of its own: it stands after the line that it follows.
  std::size_t at = edit.begin;
  std::string indent;
  if (edit.begin == edit.end && edit.text.starts_with(' ') && edit.text.ends_with('\n')) {
    indent = edit.text.substr(0, edit.text.find_first_not_of(' '));
  } else {
    at = line_start(text.text, edit.begin);
    indent = std::string(std::min(text.text.find_first_not_of(' ', at), text.text.size()) - at, ' ');
  }
  return {text.name, at, at, commented(comment, indent, has_crlf(text.text, at) ? "\r\n" : "\n")};
}

void Patcher::edit(const SuggestChange& change, const std::vector<ConfigText>& texts) {
  const auto level = std::find_if(before.priority_levels.begin(), before.priority_levels.end(),
                                  [&](const PriorityLevel& l) { return l.meta.name == change.level; });
  if (level == before.priority_levels.end() || !level->meta.source.tree || no_files.contains(level->meta.source.file)) {
    whole.insert(change.level);
    return;
  }
  std::vector<Edit> own = edits_of(*level->meta.source.tree, change);
  const auto text =
      std::find_if(texts.begin(), texts.end(), [&](const ConfigText& t) { return t.name == level->meta.source.file; });
  if (own.empty() || text == texts.end()) {
    unwritable = "PriorityLevelConfiguration/" + change.level;
    return;
  }
  add(*text, *level->meta.source.tree, comment_of(change, after, remarks), std::move(own));
  if (suggested.contains(change.level) && is_restored(level->meta) && kept.insert(change.level).second)
    keep(level->meta, texts);
}

// The server must not restore it. No edit for that: lint objects to the plan.
void Patcher::keep(const ObjectMeta& meta, const std::vector<ConfigText>& texts) {
  const auto text =
      std::find_if(texts.begin(), texts.end(), [&](const ConfigText& t) { return t.name == meta.source.file; });
  if (std::vector<Edit> forbids = forbid_autoupdate(meta); !forbids.empty() && text != texts.end())
    add(*text, *meta.source.tree, "else the server restores its own spec", std::move(forbids));
}

// FlowSchemas of the user's own lead to a new level.
void Patcher::lead_there(const SuggestChange& level, const std::vector<ConfigText>& texts) {
  for (const std::string& name : level.flow_schemas) {
    const FlowSchema &schema = *find_schema(before, name), &led = *find_schema(after.config, name);
    if (!schema.meta.source.tree || no_files.contains(schema.meta.source.file)) {
      whole.insert(name);
      continue;
    }
    std::vector<Edit> own = edits_of(schema, led);
    const auto text = std::find_if(texts.begin(), texts.end(),
                                   [&](const ConfigText& t) { return t.name == schema.meta.source.file; });
    if (own.empty() || text == texts.end()) unwritable = "FlowSchema/" + name;
    else add(*text, *schema.meta.source.tree, was_of(schema, led), std::move(own));
    if (own_of_server(name, after.version) && is_restored(schema.meta)) keep(schema.meta, texts);
  }
}

// Whether that is within a text of several lines.
bool is_within_text(const ConfigNode& node, std::size_t at) {
  if (node.is_scalar()) return node.begin() < at && at < node.end();
  const auto holds = [&](const ConfigNode& child) { return is_within_text(child, at); };
  return std::any_of(node.items().begin(), node.items().end(), holds) ||
         std::any_of(node.entries().begin(), node.entries().end(),
                     [&](const ConfigEntry& entry) { return holds(entry.key) || holds(entry.value); });
}

void Patcher::add(const ConfigText& text, const ConfigNode& root, const std::string& comment, std::vector<Edit> own) {
  for (Edit& edit : own) edit.file = text.name;
  if (const Edit above = comment_above(text, own.front(), comment);
      !is_json(text.text) && !is_within_text(root, above.begin))
    edits.push_back(above);
  edits.insert(edits.end(), own.begin(), own.end());
}

std::string applied(const ConfigText& text, std::vector<Edit> edits) {
  std::erase_if(edits, [&](const Edit& edit) { return edit.file != text.name; });
  sort_stably(edits, [](const Edit& a, const Edit& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);  // insertions first
  });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at) continue;
    out += text.text.substr(at, edit.begin - at) + edit.text;
    at = edit.end;
  }
  return out + text.text.substr(at);
}

// With the line breaks that the text has.
void append_document(std::string& to, const std::string& document) {
  const bool crlf = has_crlf(to, 0);
  std::string added;
  if (!to.empty() && to.back() != '\n') added += '\n';
  if (!to.empty()) added += "---\n";
  added += document;
  for (const char c : added) {
    if (c == '\n' && crlf) to += '\r';
    to += c;
  }
}

// As the release takes it: v1 from 1.29 on.
std::string document_of(const std::string& v1, KubeVersion version) {
  if (newest_served(version) == FlowControlVersion::v1) return v1;
  const std::vector<ConfigText> texts = {{"object", v1}};
  const Rewritten rewritten = convert_objects(load_config(texts), texts, newest_served(version), version);
  return rewritten.objects.empty() ? v1 : rewritten.objects.front().yaml;
}

// The server resets its own objects unless they say that it must not.
void opt_out(ObjectMeta& meta) {
  std::erase_if(meta.annotations, [](const auto& a) { return a.first == kAutoupdateAnnotation; });
  meta.annotations.emplace_back(kAutoupdateAnnotation, "false");
}

// A new level, and the FlowSchemas that lead there: those that files have already are no new documents.
void write_level(const SuggestChange& change, const Config& before, const ReplayOptions& after, const Remarks& remarks,
                 const std::set<std::string>& whole, std::vector<std::string>& objects, std::string& fresh) {
  for (const std::string& name : change.flow_schemas) {
    const FlowSchema& was = *find_schema(before, name);
    FlowSchema is = *find_schema(after.config, name);
    if (own_of_server(name, after.version)) opt_out(is.meta);
    objects.push_back(commented(was_of(was, is), "", "\n") + document_of(render_yaml(is), after.version));
    if (whole.contains(name)) append_document(fresh, objects.back());
  }
  const char* const what = !change.keeps_seats              ? "A level of its own, which borrows no seats,"
                           : kept_lend_percent(change) == 0 ? "Seats of its own, which it does not lend,"
                                                            : "Seats of its own, of which it lends a tenth,";
  const std::string why = fmt::format("# {} for\n# {}\n", what, change.user);
  if (change.precedence > 0) {
    objects.push_back(why + document_of(render_yaml(schema_of(change)), after.version));
    append_document(fresh, objects.back());
  }
  objects.push_back((change.precedence > 0 ? "" : why) + commented(comment_of(change, after, remarks), "", "\n") +
                    document_of(render_yaml(level_of(change, after.version)), after.version));
  append_document(fresh, objects.back());
}

// The objects of all changes, each once: new documents for the files are those in `fresh`.
void write_objects(const Plan& plan, const Config& before, const ReplayOptions& after,
                   const std::set<std::string>& suggested, const Remarks& remarks, const std::set<std::string>& whole,
                   std::vector<std::string>& objects, std::string& fresh) {
  std::set<std::string> written;
  for (const SuggestChange& change : plan) {
    if (change.field == SuggestField::seats) continue;
    if (change.field == SuggestField::level) {
      write_level(change, before, after, remarks, whole, objects, fresh);
      continue;
    }
    if (!written.insert(change.level).second) continue;
    Config config = after.config;
    PriorityLevel* level = find_level(config, change.level);
    if (!level) continue;
    std::string comments;
    for (const SuggestChange& other : plan)
      if (other.level == change.level && other.field != SuggestField::level)
        comments += commented(comment_of(other, after, remarks), "", "\n");
    if (suggested.contains(change.level)) opt_out(level->meta);
    objects.push_back(comments + document_of(render_yaml(*level), after.version));
    if (whole.contains(change.level)) append_document(fresh, objects.back());
  }
}

}  // namespace

std::set<std::string> suggested_levels(KubeVersion version) {
  std::set<std::string> out;
  for (const PriorityLevel& level : bootstrap_config(version).priority_levels)
    if (!is_mandatory_level(level.meta.name)) out.insert(level.meta.name);
  return out;
}

PatchedTexts patch(const std::vector<ConfigText>& texts, const Plan& plan, const ReplayOptions& before,
                   const std::set<std::string>& suggested, const Remarks& remarks,
                   const std::set<std::string>& no_files) {
  ReplayOptions after = before;
  apply_plan(plan, after);
  PatchedTexts out;
  Patcher patcher{before.config, after, suggested, remarks, no_files};
  for (const SuggestChange& change : plan)
    if (change.field == SuggestField::level) patcher.lead_there(change, texts);
    else if (change.field != SuggestField::seats) patcher.edit(change, texts);
  out.unwritable = patcher.unwritable;
  for (const ConfigText& text : texts) out.texts.push_back({text.name, applied(text, patcher.edits)});
  std::string fresh;
  write_objects(plan, before.config, after, suggested, remarks, patcher.whole, out.objects, fresh);
  if (fresh.empty()) return out;
  const auto takes_documents = [](const ConfigText& text) {
    return (text.name.ends_with(".yaml") || text.name.ends_with(".yml")) && !is_json(text.text);
  };
  const auto last = std::find_if(out.texts.rbegin(), out.texts.rend(), takes_documents);
  if (last != out.texts.rend()) append_document(last->text, fresh);
  else out.texts.push_back({kNewFile, fresh});
  return out;
}

std::string rejection_by_server(const Plan& plan, const ReplayOptions& before) {
  ReplayOptions after = before;
  apply_plan(plan, after);
  std::vector<Diagnostic> faults;
  for (const SuggestChange& change : plan) {
    const PriorityLevel* level = find_level(after.config, change.level);
    if (!level) continue;
    FieldErrors errors(level->meta, "PriorityLevelConfiguration", after.version, faults);
    validate_level_spec(*level, true, errors);
  }
  return faults.empty() ? std::string() : "the server would reject it: " + faults.front().message;
}

LintBaseline::LintBaseline(const std::vector<ConfigText>& texts, const ReplayOptions& before)
    : texts_(texts), before_(before), suggested_(suggested_levels(before.version)) {}

LintBaseline::Keys LintBaseline::findings(const std::vector<ConfigText>& texts, int seats) const {
  LintOptions options;
  options.version = before_.version;
  options.max_requests_inflight = seats;
  options.max_mutating_requests_inflight = 0;
  Keys out;
  for (const Diagnostic& d : lint(load_config(texts), texts, options).findings)
    if (d.severity != Severity::info) out.emplace(d.code, d.kind + "/" + d.object_name);
  return out;
}

// Suggested levels that change are the user's own from then on: what is found in them as they are is not new, and
// levels that are as the server has them are not looked at. What more seats alone bring about is not the plan's either.
std::shared_ptr<const LintBaseline::Keys> LintBaseline::known_with(const std::set<std::string>& suggested, int seats) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const Keys>& known = known_[{suggested, seats}];
  if (known) return known;
  Plan touch;
  for (const PriorityLevel& level : before_.config.priority_levels) {
    if (!suggested.contains(level.meta.name) || !level.limited || !level.limited->queuing) continue;
    const int length = level.limited->queuing->queue_length_limit;
    touch.push_back({SuggestField::queue_length, level.meta.name, length, length + 1, {}, 0, false});
  }
  const std::vector<ConfigText> touched = patch(texts_, touch, before_, suggested_).texts;
  Keys all = findings(texts_, before_.server_concurrency_limit);
  for (const int s : {before_.server_concurrency_limit, seats}) all.merge(findings(touched, s));
  known = std::make_shared<const Keys>(std::move(all));
  return known;
}

LintBaseline::Keys LintBaseline::found_anew(const Plan& plan) { return found_anew(plan, patched(plan).texts); }

std::set<std::string> LintBaseline::codes_found_in(const std::string& level, const Plan& plan) {
  std::set<std::string> out;
  for (const auto& [code, object] : found_anew(plan))
    if (object == "PriorityLevelConfiguration/" + level) out.insert(code);
  return out;
}

PatchedTexts LintBaseline::patched(const Plan& plan) const { return patch(texts_, plan, before_, suggested_); }

LintBaseline::Keys LintBaseline::found_anew(const Plan& plan, const std::vector<ConfigText>& texts) {
  std::set<std::string> suggested;
  int seats = before_.server_concurrency_limit;
  for (const SuggestChange& change : plan) {
    if (change.field == SuggestField::seats) seats = change.to;
    const bool is_change = change.field != SuggestField::seats && change.field != SuggestField::level;
    if (is_change && suggested_.contains(change.level)) suggested.insert(change.level);
  }
  const std::shared_ptr<const Keys> known = known_with(suggested, seats);
  Keys out = findings(texts, seats);
  std::erase_if(out, [&](const Key& key) { return known->contains(key); });
  return out;
}

std::string LintBaseline::objection(const Plan& plan) {
  if (std::string by_server = rejection_by_server(plan, before_); !by_server.empty()) return by_server;
  const PatchedTexts texts = patched(plan);
  if (!texts.unwritable.empty())
    return fmt::format("{} cannot be changed where it stands (an alias, say)", texts.unwritable);
  const Keys found = found_anew(plan, texts.texts);
  return found.empty() ? std::string()
                       : fmt::format("lint would find {} in {}", found.begin()->first, found.begin()->second);
}

}  // namespace apf
