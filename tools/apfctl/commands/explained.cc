#include "commands/explained.h"

#include <fmt/core.h>

#include <algorithm>

#include <apf/output.h>

#include "flags/options.h"
#include "shared/command_line.h"

namespace apfctl {

namespace {

constexpr std::size_t kLabel = 15;

std::string number(int n) { return apf::grouped(static_cast<std::uint64_t>(std::max(n, 0))); }

void write_strings(apf::JsonWriter& json, const std::vector<std::string>& words) {
  json.begin_array();
  for (const std::string& word : words) json.value(word);
  json.end_array();
}

void write_request_info(apf::JsonWriter& json, const apf::RequestInfo& info, bool selectors) {
  json.begin_object()
      .field("isResourceRequest", info.is_resource_request)
      .field("path", info.path)
      .field("verb", info.verb);
  json.field("apiPrefix", info.api_prefix).field("apiGroup", info.api_group).field("apiVersion", info.api_version);
  json.field("namespace", info.ns)
      .field("resource", info.resource)
      .field("subresource", info.subresource)
      .field("name", info.name);
  json.key("parts");
  if (info.has_parts) write_strings(json, info.parts);
  else json.null();
  json.field("fieldSelector", selectors ? info.field_selector : "");
  json.field("labelSelector", selectors ? info.label_selector : "").end_object();
}

// "list pods.metrics.k8s.io/status web"
std::string request_phrase(const apf::RequestInfo& info) {
  if (!info.is_resource_request) return info.verb + " " + info.path;
  std::string out = info.verb + " " + info.resource;
  if (!info.api_group.empty()) out += "." + info.api_group;
  if (!info.subresource.empty()) out += "/" + info.subresource;
  if (!info.name.empty()) out += " " + info.name;
  return out;
}

const char* distinguisher_phrase(apf::Classifier::Schema::Distinguisher distinguisher) {
  switch (distinguisher) {
    case apf::Classifier::Schema::Distinguisher::none:
      return "all requests of the FlowSchema are one flow";
    case apf::Classifier::Schema::Distinguisher::by_user:
      return "one flow for each user";
    case apf::Classifier::Schema::Distinguisher::by_namespace:
      return "one flow for each namespace";
    case apf::Classifier::Schema::Distinguisher::by_user_part:
    case apf::Classifier::Schema::Distinguisher::by_namespace_part:
      break;  // the explanation says how it was found
  }
  return "";
}

// A label as wide as the others.
std::string label(const char* name) { return fmt::format("{:<{}}", name, kLabel); }

std::string level_remark(const apf::LevelLimits& level, int server_concurrency_limit) {
  if (level.exempt) return "exempt: never queued, never rejected";
  const std::string seats = fmt::format("{} of {} seats nominal, {} to {}", number(level.nominal_cl),
                                        number(server_concurrency_limit), number(level.min_cl), number(level.max_cl));
  if (level.queues == 0) return seats + "; rejects what does not fit";
  if (level.queues == 1) return fmt::format("{}; 1 queue of {}", seats, level.queue_length_limit);
  return fmt::format("{}; {} queues of {}, hands of {}", seats, level.queues, level.queue_length_limit,
                     level.hand_size);
}

void add_seats(apf::Passage& out, const Explainer::Answer& answer) {
  if (!answer.estimated)
    return out.fact(label("Seats"), "none counted", "before 1.28 exempt requests are not estimated");
  std::string value = fmt::format("{}", answer.seats.initial_seats);
  if (answer.seats.final_seats > 0)
    value += fmt::format(", then {} for {}", answer.seats.final_seats,
                         apf::format_go_duration(answer.seats.additional_latency));
  if (answer.wanted_seats) value = fmt::format("wants {}, may take {}", number(*answer.wanted_seats), value);
  std::string remark;
  if (answer.seats_given) remark = "as the trace line says";
  for (const apf::Remark& note : answer.notes)
    if (note.kind == apf::RemarkKind::object_count_unknown) remark = apf::render_text(note);
  if (answer.level && answer.level->max_seats > 0)
    remark +=
        fmt::format("{}at most {} for one request of this level", remark.empty() ? "" : "; ", answer.level->max_seats);
  out.fact(label("Seats"), value, remark);
}

void write_audit(apf::JsonWriter& json, const apf::AuditVerdict& audit) {
  json.key("audit").begin_object().field("level", apf::to_string(audit.level)).key("rule");
  if (audit.rule) json.value(static_cast<std::uint64_t>(*audit.rule));
  else json.null();
  json.key("omitStages").begin_array();
  for (std::size_t i = 0; i < apf::kAuditStages; ++i) {
    const auto stage = static_cast<apf::AuditStage>(i);
    if (audit.omit_stages.has(stage)) json.value(apf::to_string(stage));
  }
  json.end_array().end_object();
}

void write_assumptions(apf::JsonWriter& json, const std::vector<Assumption>& assumptions) {
  if (assumptions.empty()) return;
  json.key("assumptions").begin_array();
  for (const Assumption& assumption : assumptions) {
    json.begin_object().field("kind", assumption.kind).field("message", assumption.message);
    if (!assumption.hint.empty()) json.field("hint", assumption.hint);
    json.end_object();
  }
  json.end_array();
}

void write_server(apf::JsonWriter& json, const AskedServer& server) {
  json.key("server").begin_object().field("configuration", server.configuration).key("files");
  write_strings(json, server.files);
  json.field("kubernetesVersion", server.version.str())
      .field("serverConcurrencyLimit", server.server_concurrency_limit)
      .field("seats", server.seats)
      .end_object();
}

void add_audit(apf::Passage& out, const apf::AuditVerdict& audit) {
  const std::string rule =
      audit.rule ? fmt::format("rules[{}] of the audit policy", *audit.rule) : "no rule of the audit policy matches";
  if (audit.level == apf::AuditLevel::none) return out.fact(label("Audit log"), "never recorded", rule);
  std::string omitted;
  for (std::size_t i = 0; i < apf::kAuditStages; ++i) {
    const auto stage = static_cast<apf::AuditStage>(i);
    if (audit.omit_stages.has(stage))
      omitted += (omitted.empty() ? "; omits stage " : ", ") + std::string(apf::to_string(stage));
  }
  out.fact(label("Audit log"), fmt::format("recorded at level {}", apf::to_string(audit.level)), rule + omitted);
}

std::string user_remark(const Explainer::Answer& answer) {
  for (const Assumption& assumption : answer.assumptions)
    if (assumption.kind == user_not_named().kind) return text_of(assumption);
  return {};
}

// The FlowSchemas before and after the one that matches: where another one would go.
void add_ladder(apf::Passage& out, const Explainer::Answer& answer) {
  const auto& trace = answer.explanation.trace;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (trace[i].flow_schema != answer.explanation.flow_schema) continue;
    const auto name = [&](std::size_t at) {
      return fmt::format("{} {}", trace[at].matching_precedence, trace[at].flow_schema);
    };
    std::string neighbours;
    if (i > 0) neighbours += "after " + name(i - 1);
    if (i + 1 < trace.size()) neighbours += (neighbours.empty() ? "before " : ", before ") + name(i + 1);
    if (!neighbours.empty()) out.fact(label("Ladder"), neighbours);
    return;
  }
}

// The reason without the user: the head of the text names the user already.
std::string without_user(const std::string& because, const apf::User& user) {
  const std::string kMiss = "no subject matches ", who = kMiss + "user \"" + user.name + "\" (";
  if (!because.starts_with(who)) return because;
  std::size_t end = because.find("); rules[", who.size());
  if (end == std::string::npos) end = because.rfind(')');
  return end == std::string::npos ? because : "no subject matches" + because.substr(end + 1);
}

// "namespace \"\" needs clusterScope: true" of a rule that has the user; else whose requests it takes. The lower the
// rank, the nearer.
struct NearMiss {
  int rank = 0;
  std::string flow_schema, why;
};

NearMiss near_miss(const apf::TraceEntry& entry, const apf::User& user) {
  const std::string because = without_user(entry.because, user);
  constexpr std::string_view kMiss = "no subject matches", kWould = " would, but ";
  if (!because.starts_with(kMiss)) {
    const std::size_t rule = because.find(": ");
    return {0, entry.flow_schema, because.starts_with("rules[") ? because.substr(rule + 2) : because};
  }
  const std::size_t would = because.find(kWould);
  if (would == std::string::npos) return {2, entry.flow_schema, std::string(kMiss)};
  return {1, entry.flow_schema, "it " + because.substr(would + kWould.size())};
}

// What it comes to, and why not the nearest of the FlowSchemas that are not Kubernetes' own: those were written for
// something.
std::string verdict_of(const Explainer::Answer& answer, const Explainer& explainer, const apf::User& user) {
  const apf::Explanation& e = answer.explanation;
  std::string out = e.flow_schema + " → " + e.priority_level;
  if (answer.passes_by)
    out = "Not limited: long-running requests bypass API Priority and Fairness: no queue, no seats. It would be of " +
          out;
  std::optional<NearMiss> nearest;
  bool is_behind = false;
  for (const apf::TraceEntry& entry : e.trace) {
    is_behind = is_behind || entry.flow_schema == e.flow_schema;
    if (is_behind) {
      if (!explainer.is_built_in(e.flow_schema)) break;  // of one's own: which comes first was chosen
      if (!entry.matches || explainer.is_built_in(entry.flow_schema)) continue;
      nearest = NearMiss{-1, entry.flow_schema,
                         fmt::format("it would match, but {} ({}) comes before {}", e.flow_schema,
                                     answer.schema->matching_precedence, entry.matching_precedence)};
      break;
    }
    if (entry.matches || explainer.is_built_in(entry.flow_schema)) continue;
    NearMiss miss = near_miss(entry, user);
    // One that is not for this user explains nothing where another one of them was.
    if (miss.rank > 0 && !explainer.is_built_in(e.flow_schema)) continue;
    if (!nearest || miss.rank < nearest->rank) nearest = std::move(miss);
  }
  if (nearest) out += fmt::format("; not {}: {}", nearest->flow_schema, nearest->why);
  return out;
}

void add_trace(apf::Passage& out, const Explainer::Answer& answer, const apf::User& user, const Explainer& explainer,
               const TextRequest& request) {
  const TraceShown shown = request.shown;
  std::size_t after = 0;
  bool decided = false;
  apf::Table table;
  const bool titled = request.titled;
  table.left(titled ? "PRECEDENCE" : "").left(titled ? "FLOWSCHEMA" : "", 20).left(titled ? "WHY" : "").wraps();
  // Kubernetes' own ones that do not match, one after the other.
  std::vector<const apf::TraceEntry*> passed;
  const auto show_passed = [&] {
    if (passed.empty()) return;
    std::string names;
    for (const apf::TraceEntry* entry : passed) names += (names.empty() ? "" : ", ") + entry->flow_schema;
    const auto number = [](const apf::TraceEntry* entry) { return std::to_string(entry->matching_precedence); };
    table.row({{fmt::format("- {:>7}", passed.size() == 1 ? number(passed.front())
                                                          : number(passed.front()) + "-" + number(passed.back())),
                apf::Tone::faint},
               {passed.size() == 1 ? "built-in" : fmt::format("{} built-in", passed.size())},
               {"for other users or requests: " + names}});
    passed.clear();
  };
  for (const apf::TraceEntry& entry : answer.explanation.trace) {
    const bool chosen = !decided && entry.matches;
    if (decided && shown == TraceShown::until_match) {
      ++after;
      continue;
    }
    if (shown == TraceShown::until_match && !entry.matches && explainer.is_built_in(entry.flow_schema)) {
      passed.push_back(&entry);
      continue;
    }
    show_passed();
    decided = decided || entry.matches;
    std::string because = without_user(entry.because, user);
    if (!entry.field.empty() && shown == TraceShown::nearest) because += " [" + entry.field + "]";
    apf::Table::Cell rung(fmt::format("{} {:>7}",
                                      chosen          ? "=>"
                                      : entry.matches ? "+ "
                                                      : "- ",
                                      entry.matching_precedence),
                          chosen          ? apf::Tone::good
                          : entry.matches ? apf::Tone::plain
                                          : apf::Tone::faint);
    if (chosen) rung.place = "taken";
    table.row({std::move(rung), name_cell(entry.flow_schema, chosen ? apf::Tone::strong : apf::Tone::plain), because});
  }
  show_passed();  // of a fallback
  out.show(std::move(table));
  if (after > 0) out.item(fmt::format("{} more not consulted (use -o wide to show them)", after), "   ");
}

}  // namespace

Explainer::Explainer(const apf::Config& config, AskedServer server, apf::ObjectCounts objects,
                     std::optional<apf::AuditPolicy> policy)
    : classifier_(config),
      limits_(apf::compute_limits(config, server.server_concurrency_limit, server.version)),
      server_(std::move(server)),
      objects_(std::move(objects)),
      policy_(std::move(policy)) {
  for (const apf::FlowSchema& schema : apf::bootstrap_config(server_.version, apf::Builtins::all).flow_schemas)
    built_in_.insert(schema.meta.name);
  for (const apf::FlowSchema& schema : config.flow_schemas) schema_uids_[schema.meta.name] = schema.meta.uid;
  for (const apf::PriorityLevel& of : config.priority_levels) level_uids_[of.meta.name] = of.meta.uid;
}

Explainer::Answer Explainer::explain(const apf::RequestInfo& info, const apf::RequestQuery& query,
                                     const apf::User& user, const std::optional<apf::WorkEstimate>& seats,
                                     const std::optional<apf::User>& authenticated) const {
  Answer answer;
  answer.explanation = apf::explain(classifier_, info, user);
  answer.schema = &classifier_.schemas()[answer.explanation.match.schema];
  const auto level = std::find_if(limits_.levels.begin(), limits_.levels.end(), [&](const apf::LevelLimits& l) {
    return l.name == answer.explanation.priority_level;
  });
  answer.level = level == limits_.levels.end() ? nullptr : &*level;
  answer.passes_by = apf::passes_by(info, server_.version);
  answer.selectors = apf::records_selectors(server_.version);
  const auto uid = [](const std::map<std::string, std::string>& uids, const std::string& name) {
    const auto at = uids.find(name);
    return at == uids.end() ? std::string() : at->second;
  };
  answer.flow_schema_uid = uid(schema_uids_, answer.explanation.flow_schema);
  answer.priority_level_uid = uid(level_uids_, answer.explanation.priority_level);
  if (policy_) answer.audit = apf::audit_verdict(*policy_, info, authenticated.value_or(user));
  if (seats) {
    answer.seats = *seats;
    answer.seats_given = true;
    return answer;
  }
  const apf::SeatEstimate estimate =
      apf::estimate_seats(info, query, objects_, answer.level ? answer.level->max_seats : 0, server_.version,
                          answer.level && answer.level->exempt);
  answer.seats = estimate.work;
  answer.estimated = estimate.estimated;
  answer.wanted_seats = estimate.wanted_seats;
  if (estimate.counts_missing) {
    answer.notes.push_back({.kind = apf::RemarkKind::object_count_unknown, .name = info.resource});
    add_hints(answer.notes);
  }
  return answer;
}

Explainer::Answer Explainer::place(const apf::RequestInfo& info, const apf::User& user) const {
  Answer answer;
  const apf::Classifier::Schema& schema = classifier_.schemas()[classifier_.match(info, user).schema];
  answer.explanation.flow_schema = schema.name;
  answer.explanation.priority_level = classifier_.levels()[schema.level].name;
  return answer;
}

std::string render_json(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                        const Explainer& explainer) {
  const apf::Explanation& e = answer.explanation;
  apf::JsonWriter json;
  json.begin_object().key("requestInfo");
  write_request_info(json, info, answer.selectors);
  json.key("user").begin_object().field("name", user.name).key("groups");
  write_strings(json, user.groups);
  json.end_object().field("flowSchema", e.flow_schema).field("priorityLevel", e.priority_level);
  if (answer.passes_by) json.field("notLimited", "long-running");
  if (!answer.flow_schema_uid.empty()) json.field("flowSchemaUID", answer.flow_schema_uid);
  if (!answer.priority_level_uid.empty()) json.field("priorityLevelUID", answer.priority_level_uid);
  json.field("exempt", e.exempt).field("fallback", e.fallback).field("flowDistinguisher", e.flow_distinguisher);
  if (!e.flow_distinguisher_from.empty()) json.field("flowDistinguisherFrom", e.flow_distinguisher_from);
  json.key("hash").decimal_string(e.has_flow ? e.hash : 0).key("hand").begin_array();
  for (const std::uint32_t card : e.hand) json.value(card);
  json.end_array()
      .key("seats")
      .begin_object()
      .field("initial", answer.seats.initial_seats)
      .field("final", answer.seats.final_seats);
  json.field("additionalLatencyNs", answer.seats.additional_latency)
      .field("maxSeats", answer.level ? answer.level->max_seats : 0);
  if (answer.wanted_seats) json.field("wanted", *answer.wanted_seats);
  if (!answer.estimated) json.field("estimated", false);
  json.end_object().key("trace").begin_array();
  for (const apf::TraceEntry& entry : e.trace) {
    json.begin_object().field("flowSchema", entry.flow_schema).field("matchingPrecedence", entry.matching_precedence);
    json.field("matches", entry.matches).field("because", entry.because);
    if (!entry.field.empty()) json.field("field", entry.field);
    json.end_object();
  }
  json.end_array();
  if (!answer.notes.empty()) apf::write_remarks(json, "notes", answer.notes);
  if (answer.audit) write_audit(json, *answer.audit);
  write_assumptions(json, answer.assumptions);
  write_server(json, explainer.server());
  json.end_object();
  return json.take();
}

apf::Document document_of(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                          const Explainer& explainer, const TextRequest& request) {
  const apf::Explanation& e = answer.explanation;
  apf::Document out("Who serves " + request_phrase(info));
  std::string place;
  if (info.is_resource_request)
    place = info.ns.empty() ? "no namespace (cluster-scoped, or all of them)" : "namespace " + info.ns;
  out.section().judge(verdict_of(answer, explainer, user), apf::Tone::strong);
  apf::Passage& asked = out.section();
  asked.fact(label("Request"), request_phrase(info), place, apf::Tone::strong);
  if (!request.uri.empty())
    asked.fact(label(""), request.method.empty() ? request.uri : request.method + " " + request.uri);
  asked.fact(label("User"), user.name.empty() ? "(no name)" : user.name, user_remark(answer));
  asked.fact(
      label("Groups"), user.groups.empty() ? "(none)" : join(user.groups),
      request.implied.empty()
          ? ""
          : fmt::format("implied: {}", request.implied.size() == user.groups.size() ? "all" : join(request.implied)));
  apf::Passage& served = out.section();
  served.fact(label("FlowSchema"), e.flow_schema,
              e.fallback ? "does not match, but gets what no FlowSchema matches"
                         : fmt::format("matchingPrecedence {}", answer.schema->matching_precedence),
              apf::Tone::strong);
  served.fact(label("Level"), e.priority_level,
              answer.level ? level_remark(*answer.level, explainer.limits().server_concurrency_limit) : "",
              apf::Tone::strong);
  if (e.has_flow) {
    served.fact(
        label("Flow"), e.flow_distinguisher.empty() ? "(no distinguisher)" : e.flow_distinguisher,
        e.flow_distinguisher_from.empty() ? distinguisher_phrase(answer.schema->effective) : e.flow_distinguisher_from);
    std::string hand;
    for (const std::uint32_t card : e.hand) hand += (hand.empty() ? "" : " ") + std::to_string(card);
    served.fact(label("Hash"), std::to_string(e.hash));
    served.fact(label("Hand"), hand);
  }
  add_seats(served, answer);
  if (answer.audit) add_audit(served, *answer.audit);
  add_ladder(served, answer);
  served.fact(label("Server"), explainer.server().configuration + "; " + explainer.server().seats);
  add_trace(out.section(request.titled ? "The ladder" : ""), answer, user, explainer, request);
  return out;
}

std::string render_line(const apf::RequestInfo& info, const apf::User& user, const Explainer::Answer& answer,
                        const apf::TextStyle& style) {
  constexpr std::size_t kSchema = 26, kLevelName = 16;
  std::string request = request_phrase(info);
  if (!info.ns.empty() && info.resource != "namespaces") request += " -n " + info.ns;
  const std::size_t width = style.full ? std::string::npos : static_cast<std::size_t>(std::max(style.width, 60));
  std::string out;
  std::size_t used = 0;
  const auto add = [&](std::string_view gap, const std::string& part, std::size_t least = 0) {
    out += gap;
    out += part;
    const std::size_t columns = apf::text_width(part);
    if (columns < least) out.append(least - columns, ' ');
    used += gap.size() + std::max(columns, least);
  };
  add("", apf::printable(answer.explanation.flow_schema), kSchema);
  add("  ", apf::printable(answer.explanation.priority_level), kLevelName);
  // What does not fit behind it goes below, each part on its line.
  const auto add_part = [&](std::string_view gap, const std::string& part) {
    if (used + gap.size() + apf::text_width(part) <= width) return add(gap, part);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    used = 0;
    add("    ", part);
  };
  add_part("  ", apf::printable(request));
  add_part(" ", "by " + (user.name.empty() ? "(no user)" : apf::printable(user.name)));
  return out;
}

}  // namespace apfctl
