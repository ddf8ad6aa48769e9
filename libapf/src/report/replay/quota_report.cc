// A quota check as text and as JSON. The tables are laid out as `kubectl describe quota` does it (v1.36).

#include <apf/config.h>
#include <apf/output.h>
#include <apf/quota.h>
#include <apf/replays_report.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/joined.h"
#include "report/core/chart.h"
#include "report/core/units.h"

namespace apf {

namespace {

constexpr std::size_t kFewOfMany = 10;  // of long lists

const char* scope_meaning(std::string_view scope) {
  if (scope == "Terminating") return "Only pods with activeDeadlineSeconds count.";
  if (scope == "NotTerminating") return "Only pods without activeDeadlineSeconds count.";
  if (scope == "BestEffort") return "Only pods without any CPU or memory request or limit count.";
  if (scope == "NotBestEffort") return "Only pods with a CPU or memory request or limit count.";
  if (scope == "PriorityClass") return "Only pods of the priority classes selected count.";
  if (scope == "CrossNamespacePodAffinity") return "Only pods with affinity to pods of other namespaces count.";
  if (scope == "VolumeAttributesClass") return "Only claims of the volume attributes classes selected count.";
  return nullptr;
}

std::string place(const ManifestReference& m) { return printable(fmt::format("{}:{}", m.span.file, m.span.line)); }

std::string object_name(const ManifestReference& m) {
  return printable(m.name.empty() ? m.kind + " without a name" : fmt::format("{} {}", m.kind, m.name));
}

// kubectl shows what is used in the family of the hard limit.
std::string used_text(const Quantity& used, const Quantity& hard) {
  return used.format() == hard.format() ? used.str() : Quantity(used.value(), hard.format()).str();
}

// The same where kubectl shows nothing: an amount beyond 64 bits, which wraps around there, as it is.
std::string exact_text(const Quantity& amount, const Quantity& hard) {
  return Quantity(amount.value(), hard.format()) < amount ? amount.str() : used_text(amount, hard);
}

// Rows of cells as Go's tabwriter aligns them, two blanks between.
std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      if (i >= widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], text_width(row[i]) + 2);
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - text_width(row[i]), ' ');
    }
    out += '\n';
  }
  return out;
}

std::string describe(const QuotaTable& table) {
  std::vector<std::vector<std::string>> rows{{"Name:", printable(table.name)}, {"Namespace:", printable(table.ns)}};
  std::string out;
  if (!table.scopes.empty()) {
    rows.push_back({"Scopes:", printable(joined(table.scopes, ", "))});
  }
  for (const std::string& text : table.scope_selector) rows.push_back({"Scope Selector:", printable(text)});
  if (!table.scopes.empty()) {  // lines in between start new columns
    out += columns(rows);
    rows.clear();
    for (const std::string& scope : table.scopes) {
      if (const char* meaning = scope_meaning(scope)) out += fmt::format(" * {}\n", meaning);
    }
  }
  rows.push_back({"Resource", "Used", "Hard"});
  rows.push_back({"--------", "----", "----"});
  for (const QuotaAmount& a : table.amounts) {
    rows.push_back({printable(a.resource), used_text(a.used, a.hard), a.hard.str()});
  }
  return out + columns(rows);
}

double amount_of(const Quantity& quantity) {
  constexpr std::int64_t kLarge = 1'000'000;
  return std::max(0.0, quantity.value() < kLarge ? static_cast<double>(quantity.milli_value()) / 1000
                                                 : static_cast<double>(quantity.value()));
}

// Used of hard, before and with the objects; and what is denied.
Passage used_of_hard(const QuotaReport& report) {
  Passage out("Used of hard");
  std::vector<Card> cards;
  for (const QuotaTable& table : report.quotas) {
    Bars bars("Part of the hard limit", fmt::format("What is used of quota {}", table.name),
              "The table below has the numbers.");
    bars.mean_marks("hard limit");
    for (const QuotaAmount& a : table.amounts) {
      const double hard = amount_of(a.hard), start = amount_of(a.start), used = amount_of(a.used),
                   demand = std::max(used, amount_of(a.demand));
      const auto text = [&](const Quantity& of) { return exact_text(of, a.hard); };
      bars.add({a.resource,
                fmt::format("{} of {}", text(a.used), a.hard.str()),
                "",
                std::max(hard, demand),
                {{"c5", start, "used before", text(a.start)},
                 {"served", used - start, "by these objects", used > start ? text(a.used - a.start) : ""},
                 {"full", demand - used, "denied", demand > used ? text(a.demand - a.used) : ""}},
                {hard}});
    }
    cards.emplace_back(place_of("quota", table.ns + "/" + table.name), table.ns + "/" + table.name);
    if (!bars.empty()) cards.back().add(bars);
  }
  show_cards(out, cards);
  return out;
}

std::string denied_what(const QuotaDenial& d) {
  if (d.created.empty()) return object_name(d.manifest);
  if (d.of == 1) return fmt::format("the {} of {}", d.created, object_name(d.manifest));
  std::string out =
      fmt::format("{} {} of {} of {}", d.created, grouped(d.first), grouped(d.of), object_name(d.manifest));
  if (d.denied > 1) out += fmt::format(", and {} more like it", grouped(d.denied - 1));
  return out;
}

std::string listed_names(const std::vector<std::string>& names) { return printable(joined(names, ", ")); }

// What a ResourceQuota would need to cover the object.
std::string cure(const QuotaDenial& d) {
  const std::string& ns = d.manifest.ns;
  std::string out;
  if (!d.uncovered_resources.empty())
    out = fmt::format("namespace {} needs a ResourceQuota that limits {}", printable(ns),
                      listed_names(d.uncovered_resources));
  for (const ScopeRequirement& scope : d.uncovered_scopes) {
    out += out.empty() ? fmt::format("namespace {} needs a ResourceQuota ", printable(ns)) : ", and one ";
    if (scope.op == "In")
      out += fmt::format("whose scopeSelector has scopeName {} with {} (or Exists)", scope.scope_name,
                         listed_names(scope.values));
    else if (scope.op == "DoesNotExist")
      out += fmt::format("whose scopeSelector has scopeName {} with the operator DoesNotExist", scope.scope_name);
    else out += fmt::format("with the scope {}", printable(scope.scope_name));
  }
  return out;
}

std::string in_any_order(const QuotaDenial& d) {
  if (d.other_quotas.empty()) return {};
  return fmt::format(
      "{} quotas of namespace {} refuse it; the server asks them in no certain order and may name \"{}\"",
      d.other_quotas.size() + 1, printable(d.manifest.ns), printable(joined(d.other_quotas, "\", \"")));
}

// The first entries of a long list, and how many more it has.
class Entries {
 public:
  Entries(Passage& out, std::size_t all, const QuotaTextOptions& options, std::string sign = "  ")
      : out_(out), all_(all), options_(options), sign_(std::move(sign)) {}
  // False: enough.
  bool add(std::string sentence) {
    const bool fits = options_.all || count_ < kFewOfMany;
    const std::string hint = options_.all_hint.empty() ? "" : " (" + options_.all_hint + ")";
    if (!fits) sentence = fmt::format("and {} more{}", grouped(all_ - count_), hint);
    out_.item(std::move(sentence), sign_, Tone::plain, sign_.size() + 4);
    ++count_;
    return fits;
  }

 private:
  Passage& out_;
  std::size_t all_, count_ = 0;
  const QuotaTextOptions& options_;
  std::string sign_;
};

void add_denials(Document& document, const QuotaReport& report, const QuotaTextOptions& options) {
  Passage& out = document.section("First denied:", Tone::bad);
  Entries entries(out, report.denials.size(), options);
  for (const QuotaDenial& d : report.denials) {
    if (&d - report.denials.data() == 1) out.say("Also denied:", Tone::bad);
    if (!entries.add(place(d.manifest) + ": " + denied_what(d))) break;
    for (const std::string& more : {d.message, in_any_order(d), cure(d)})
      if (!more.empty()) out.item(more, "    ", Tone::plain, 8);
  }
}

std::string update_words(const RollingUpdate& update) {
  std::string needs;
  for (const RollingUpdate::Need& need : update.needs)
    needs += fmt::format("{}{} {} of {}", needs.empty() ? "" : ", ", printable(need.resource),
                         exact_text(need.needed, need.hard), need.hard.str());
  const std::string what = fmt::format("{}: a rolling update first creates {} more {}{}", object_name(update.manifest),
                                       grouped(update.more), update.created, update.more == 1 ? "" : "s");
  if (update.created != "Pod")
    return fmt::format("{}, which does not fit: {}: every later rollout stalls", what, needs);
  const std::string limits =
      fmt::format("maxSurge {}, maxUnavailable {}", grouped(update.max_surge), grouped(update.max_unavailable));
  if (update.stalls)
    return fmt::format("{} ({}), which does not fit: {}: every later rollout stalls", what, limits, needs);
  const char* const without =
      update.max_unavailable > 0 ? "it goes on with fewer Pods" : "it goes on with fewer new Pods at a time";
  return fmt::format("{} ({}), which do not all fit: {}: {}", what, limits, needs, without);
}

// What all the objects together would take.
Table shortage(const QuotaReport& report) {
  Table table;
  table.left("NAMESPACE", 12)
      .left("QUOTA", 12)
      .left("RESOURCE", 16)
      .right("NEEDED")
      .right("HARD")
      .right("MORE")
      .drop(1);
  for (const QuotaTable& quota : report.quotas) {
    for (const QuotaAmount& a : quota.amounts) {
      if (a.demand <= a.hard || a.demand <= a.start) continue;  // a quota that holds less than there is already
      table.row({quota.ns,
                 quota.name,
                 {a.resource, Tone::strong},
                 exact_text(a.demand, a.hard),
                 a.hard.str(),
                 {"+" + exact_text(a.demand - a.hard, a.hard), Tone::bad}});
    }
  }
  return table;
}

// What the cluster has to hold.
Table together(const QuotaReport& report) {
  Table table;
  table.left("RESOURCE", 16).right("USED").right("NEEDED").right("HARD");
  for (const QuotaAmount& a : report.total)
    table.row({{a.resource, Tone::strong},
               exact_text(a.used, a.hard),
               {exact_text(a.demand, a.hard), a.demand > a.hard ? Tone::bad : Tone::plain},
               a.hard.str()});
  return table;
}

void add_uncounted(Document& document, const QuotaReport& report, const QuotaTextOptions& options) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const UncountedObject& u : report.uncounted) {
    auto at =
        std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& entry) { return entry.first == u.reason; });
    if (at == by_reason.end()) at = by_reason.insert(by_reason.end(), {u.reason, {}});
    at->second.push_back(fmt::format("{}: {}{}", place(u.manifest), u.created.empty() ? "" : u.created + " of ",
                                     object_name(u.manifest)));
  }
  Passage& out = document.section("Not counted:");
  for (const auto& [reason, objects] : by_reason) {
    out.item(reason + ":", "  ", Tone::plain, 6);
    Entries entries(out, objects.size(), options, "    ");
    for (const std::string& object : objects)
      if (!entries.add(object)) break;
  }
}

// What the quotas and LimitRanges of a namespace say of each other: each finding, and the change that ends it.
void add_findings(Document& document, const QuotaReport& report, const QuotaTextOptions& options) {
  Passage& out = document.section("Together, the limits do not do what they say:", Tone::caution);
  Entries entries(out, report.diagnostics.size(), options);
  for (const Diagnostic& d : report.diagnostics) {
    if (!entries.add(printable(
            fmt::format("{}:{}: {} {}: {} [{}]", d.span.file, d.span.line, d.kind, d.object_name, d.message, d.code))))
      break;
    for (const Note& note : d.notes)
      if (!note.span.known()) out.item(printable(note.message), "    ", Tone::plain, 8);
  }
}

// "services.nodeports 1 of 0 (quota q in a)", where nothing that is given here adds to it.
std::string exceeded_before(const QuotaReport& report) {
  std::vector<std::string> out;
  for (const QuotaTable& table : report.quotas)
    for (const QuotaAmount& a : table.amounts)
      if (a.tracked && a.start > a.hard && !(a.demand > a.start))
        out.push_back(
            fmt::format("{} {} of {} (quota {} in {})", a.resource, a.start.str(), a.hard.str(), table.name, table.ns));
  return out.empty() ? std::string() : printable(joined(out, ", ")) + ", to which nothing here adds";
}

void judge(Passage& out, const QuotaReport& report) {
  if (report.objects == 0) return out.judge("0 objects: nothing to check", Tone::caution);
  std::string text = counted(report.objects, "object", "objects");
  if (report.created > 0) text += fmt::format(" and {} that controllers create", grouped(report.created));
  text += ": ";
  if (report.denied > 0) return out.judge(text + grouped(report.denied) + " denied", Tone::bad);
  const bool is_open = !report.fits();
  text += is_open                                ? "what is counted fits, but not all is counted"
          : report.objects + report.created == 1 ? "it fits"
                                                 : "all fit";
  if (const std::string before = exceeded_before(report); !before.empty()) text += "; exceeded before: " + before;
  const auto stalled = static_cast<std::size_t>(std::count_if(
      report.updates.begin(), report.updates.end(), [](const RollingUpdate& update) { return update.stalls; }));
  if (stalled == 0) return out.judge(text, is_open ? Tone::caution : Tone::good);
  out.judge(text + (is_open ? ", and " : ", but ") +
                (stalled == 1 ? "a rolling update stalls" : fmt::format("{} rolling updates stall", grouped(stalled))),
            Tone::bad);
}

}  // namespace

Document document_of(const QuotaReport& report, const QuotaTextOptions& options) {
  Document out("Manifests against ResourceQuotas");
  judge(out.section(), report);
  add_denials(out, report, options);
  out.section("To fit everything:").show(shortage(report));
  add_findings(out, report, options);
  Passage& stalled = out.section("Without room for a rolling update:");
  Entries updates(stalled, report.updates.size(), options);
  for (const RollingUpdate& update : report.updates)
    if (!updates.add(place(update.manifest) + ": " + update_words(update))) break;
  out.add(used_of_hard(report));
  for (const QuotaTable& table : report.quotas) out.section().quote(describe(table));
  out.section(fmt::format("All {} together, by the tightest quota without scopes of each:",
                          counted(report.namespaces, "namespace", "namespaces")))
      .show(together(report));
  Passage& created = out.section("Created by controllers, and counted:");
  Entries workloads(created, report.workloads.size(), options);
  for (const WorkloadCount& w : report.workloads)
    if (!workloads.add(place(w.manifest) + ": " + object_name(w.manifest) + ": " + w.created)) break;
  add_uncounted(out, report, options);
  Passage& notes = out.section();
  for (const Remark& note : report.notes) notes.item("Note: " + render_text(note), "", Tone::plain, 2);
  return out;
}

namespace {

void write_object(JsonWriter& json, const ManifestReference& m) {
  json.key("object").begin_object();
  json.field("apiVersion", m.api_version).field("kind", m.kind).field("name", m.name).field("namespace", m.ns);
  json.end_object();
}

void write_place(JsonWriter& json, const Span& span) {
  json.field("file", span.file).field("line", span.line).field("column", span.column);
}

void write_manifest(JsonWriter& json, const ManifestReference& m) {
  write_place(json, m.span);
  json.field("document", m.document);
  write_object(json, m);
}

void write_texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_created(JsonWriter& json, const std::string& created) {
  json.key("created");
  if (created.empty()) json.null();
  else json.value(created);
}

void write_table(JsonWriter& json, const QuotaTable& table) {
  json.begin_object().field("name", table.name).field("namespace", table.ns);
  write_place(json, table.span);
  write_texts(json, "scopes", table.scopes);
  write_texts(json, "scopeSelector", table.scope_selector);
  json.field("start", table.from_status ? "status" : "zero").key("resources").begin_array();
  for (const QuotaAmount& a : table.amounts) {
    json.begin_object().field("resource", a.resource).field("start", a.start.str());
    json.field("used", a.used.str()).field("hard", a.hard.str()).field("demand", a.demand.str());
    json.field("more", a.demand > a.hard ? (a.demand - a.hard).str() : "0").field("tracked", a.tracked).end_object();
  }
  json.end_array().end_object();
}

void write_denial(JsonWriter& json, const QuotaDenial& d) {
  json.begin_object();
  write_manifest(json, d.manifest);
  write_created(json, d.created);
  json.field("first", d.first).field("of", d.of).field("denied", d.denied);
  json.field("reason", d.reason).field("code", d.code).field("message", d.message).field("quota", d.quota);
  json.key("exceeded").begin_array();
  for (const QuotaExcess& e : d.exceeded) {
    json.begin_object().field("resource", e.resource).field("requested", e.requested.str());
    json.field("used", e.used.str()).field("hard", e.hard.str()).end_object();
  }
  json.end_array();
  write_texts(json, "otherQuotas", d.other_quotas);
  write_texts(json, "uncoveredResources", d.uncovered_resources);
  json.key("uncoveredScopes").begin_array();
  for (const ScopeRequirement& scope : d.uncovered_scopes) {
    json.begin_object().field("scopeName", scope.scope_name).field("operator", scope.op);
    write_texts(json, "values", scope.values);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_finding(JsonWriter& json, const Diagnostic& d) {
  json.begin_object().field("code", d.code).field("name", d.name).field("severity", to_string(d.severity));
  write_place(json, d.span);
  json.field("kind", d.kind).field("object", d.object_name).field("message", d.message);
  json.key("notes").begin_array();
  for (const Note& note : d.notes) json.value(note.message);
  json.end_array().end_object();
}

void write_update(JsonWriter& json, const RollingUpdate& update) {
  json.begin_object();
  write_manifest(json, update.manifest);
  json.field("created", update.created).field("more", update.more).field("maxSurge", update.max_surge);
  json.field("maxUnavailable", update.max_unavailable).field("stalls", update.stalls).key("needs").begin_array();
  for (const RollingUpdate::Need& need : update.needs) {
    json.begin_object().field("resource", need.resource).field("needed", need.needed.str());
    json.field("hard", need.hard.str()).end_object();
  }
  json.end_array().end_object();
}

}  // namespace

std::string render_json(const QuotaReport& report) {
  JsonWriter json;
  json.begin_object().key("fits");
  if (const auto fits = report.fits()) json.value(*fits);
  else json.null();
  json.key("quotas").begin_array();
  for (const QuotaTable& table : report.quotas) write_table(json, table);
  json.end_array();
  if (!report.total.empty()) {
    json.key("total").begin_object().field("namespaces", static_cast<std::uint64_t>(report.namespaces));
    json.key("resources").begin_array();
    for (const QuotaAmount& a : report.total) {
      json.begin_object().field("resource", a.resource).field("used", a.used.str());
      json.field("demand", a.demand.str()).field("hard", a.hard.str()).end_object();
    }
    json.end_array().end_object();
  }
  json.key("denials").begin_array();
  for (const QuotaDenial& d : report.denials) write_denial(json, d);
  json.end_array().key("workloads").begin_array();
  for (const WorkloadCount& w : report.workloads) {
    json.begin_object();
    write_manifest(json, w.manifest);
    json.field("created", w.created).end_object();
  }
  json.end_array().key("rollingUpdates").begin_array();
  for (const RollingUpdate& update : report.updates) write_update(json, update);
  json.end_array().key("notCounted").begin_array();
  for (const UncountedObject& u : report.uncounted) {
    json.begin_object();
    write_manifest(json, u.manifest);
    write_created(json, u.created);
    json.field("reason", u.reason).end_object();
  }
  json.end_array().key("findings").begin_array();
  for (const Diagnostic& d : report.diagnostics) write_finding(json, d);
  json.end_array();
  write_remarks(json, "notes", report.notes);
  json.key("summary").begin_object();
  json.field("objects", report.objects).field("created", report.created).field("denied", report.denied);
  json.end_object().end_object();
  return json.take();
}

}  // namespace apf
