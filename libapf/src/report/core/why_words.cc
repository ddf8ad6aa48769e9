#include "report/core/why_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/identities.h"
#include "base/rfc3339.h"
#include "base/thousands.h"
#include "report/core/chart.h"
#include "report/core/units.h"

namespace apf {

namespace {

constexpr std::size_t kNamedVictims = 4;
constexpr const char* kTo = " → ";

std::string figure_words(const WhyFigure& figure) {
  return figure.low == figure.high ? grouped(figure.value)
                                   : fmt::format("{} to {}", grouped(figure.low), grouped(figure.high));
}

// "0 refused of 636"; of waits "waits of 12.0s in all, of 4m05s"
std::string outcome_words(const WhyReport& why, const WhyFigure& refused, double wait) {
  if (why.refused > 0) return fmt::format("{} refused of {}", figure_words(refused), grouped(why.refused));
  return fmt::format("waits of {} in all, of {}", human_duration(whole_nanos(wait)),
                     human_duration(whole_nanos(why.wait)));
}

std::string name_words(WhyBy by, const std::string& name) {
  const std::string shown = printable(by == WhyBy::user || by == WhyBy::fleet ? short_name_of(name) : name);
  return by == WhyBy::flow_schema ? "the clients of FlowSchema " + shown : shown;
}

// The one kind of request that ran slowly, where it was not the whole server; else empty.
std::string slow_request(const WhyCure& cure) {
  return cure.kind == WhyCureKind::server && cure.object != "kube-apiserver" ? printable(cure.object) : std::string();
}

std::string verdict_words(const WhyReport& why) {
  switch (why.verdict) {
    case WhyVerdict::client:
      return why.culprits.size() > 1 ? fmt::format("Why: {} clients.", why.culprits.size()) : "Why: one client.";
    case WhyVerdict::fleet:
      return "Why: many clients that do the same.";
    case WhyVerdict::configuration:
      return fmt::format("Why: the configuration, not overload: {} would do with another one.",
                         seats_in_words(static_cast<int>(why.seats)));
    case WhyVerdict::overload:
      if (why.seats_needed < why.seats)
        return fmt::format(
            "Why: too few seats at times: on average its requests need {} of {}, but no change of a level helps, and "
            "more "
            "seats do.",
            one_decimal(why.seats_needed), seats_in_words(static_cast<int>(why.seats)));
      return fmt::format("Why: overload: its requests need {} on average, and there are {}.",
                         one_decimal(why.seats_needed) + " seats", grouped(static_cast<int>(why.seats)));
    case WhyVerdict::server: {
      const std::string request = why.cures.empty() ? std::string() : slow_request(why.cures.front());
      const bool are_several = request.starts_with("requests ") || request.starts_with("writes") ||
                               request.starts_with("most ") || request.find(" and ") != std::string::npos;
      return fmt::format("Why: {}: from {} to {} {} took {} times as long{}.",
                         request.empty() ? "the server, or what is behind it (etcd, webhooks, disk)"
                         : are_several   ? "what is behind some requests (a webhook, etcd, an aggregated server)"
                                         : "what is behind one kind of request (a webhook, etcd, an aggregated server)",
                         clock_of(why.from.value_or(0)), clock_of(why.to.value_or(0)),
                         request.empty() ? "requests of all levels" : (are_several ? "" : "each ") + request,
                         one_decimal(why.slower), why.open.empty() ? why.open : ", and " + why.open);
    }
    case WhyVerdict::watches:
      return "Why: watches that begin at once and hold seats until their initial events are sent.";
    case WhyVerdict::herd:
      return "Why: clients that come in the same seconds of the minute.";
    case WhyVerdict::undecided:
      return fmt::format("Why: not decided: {}.", why.open);
    default:
      return {};
  }
}

std::string culprit_words(const WhyReport& why) {
  std::string out;
  for (const WhyCulprit& culprit : why.culprits)
    out += fmt::format("{} {} ({}): {}", out.empty() ? "Because of whom: without" : "; without",
                       name_words(culprit.by, culprit.name),
                       culprit.does.empty() ? counted(culprit.requests, "request", "requests") : culprit.does,
                       outcome_words(why, culprit.refused_without, culprit.wait_without));
  return out.empty() ? out : out + ".";
}

std::string victim_words(const WhyReport& why, bool names_replay) {
  const char* const whom = names_replay ? "To whom, in the replay: " : "To whom: ";
  std::string out;
  for (std::size_t i = 0; i < why.victims.size() && i < kNamedVictims; ++i) {
    const WhyVictim& victim = why.victims[i];
    const std::string refused = victim.refused > 0 ? grouped(victim.refused) + " refused" : "",
                      waited = victim.longest > 0 ? "waited up to " + human_duration(victim.longest) : "";
    out += fmt::format("{}{} ({}{}{})", out.empty() ? whom : ", ", name_words(victim.by, victim.name), refused,
                       refused.empty() || waited.empty() ? "" : ", ", waited);
  }
  return out.empty() ? out : out + ".";
}

// "nominalConcurrencyShares 5 → 10"; of several fields with "and" between them
std::string change_words(const WhyCure& cure) {
  std::string out;
  std::size_t field = 0, from = 0, to = 0;
  const auto next = [](const std::string& text, std::size_t& at) {
    const std::size_t begin = at, comma = std::min(text.find(',', begin), text.size());
    at = comma + 1;
    return text.substr(begin, comma - begin);
  };
  while (field < cure.field.size()) {
    std::string name = next(cure.field, field);
    for (const char* of_object : {".type", ".name"})  // of what: "limitResponse"
      if (name.ends_with(of_object)) name.erase(name.rfind('.'));
    out += fmt::format("{}{} {}{}{}", out.empty() ? "" : " and ", name.substr(name.rfind('.') + 1),
                       next(cure.from, from), kTo, next(cure.to, to));
  }
  return out;
}

std::string cure_words(const WhyReport& why, const WhyCure& cure) {
  const std::string then = outcome_words(why, cure.refused_with, cure.wait_with);
  std::string what = change_words(cure);
  switch (cure.kind) {
    case WhyCureKind::client:
      if (cure.field.starts_with("repeats"))
        return fmt::format("{} waits for Retry-After and leaves out the {} requests that came sooner: {}",
                           name_words(WhyBy::user, cure.object), with_thousands(std::stoull(cure.from)), then);
      return fmt::format("lists of {} that take 1 seat each, not up to {}: {}", name_words(WhyBy::user, cure.object),
                         cure.from, then);
    case WhyCureKind::server:
      if (cure.field == "seats") return fmt::format("{} seats, not {}: {}", cure.to, cure.from, then);
      what = slow_request(cure);
      return what + (what.empty() ? "" : ": ") + "executions as fast as before: " + then;
    case WhyCureKind::level:
    case WhyCureKind::flow_schema:
      break;
  }
  const bool spares = cure.others_refused && cure.refused_with.value > 0;
  const std::string of_others =
      spares ? fmt::format(", {} of others", *cure.others_refused == 0 ? "none" : with_thousands(*cure.others_refused))
             : std::string();
  if (!cure.worse.empty()) what += fmt::format(" (worse for {})", cure.worse.front());
  return fmt::format("{}: {}: {}{}", printable(cure.object), what, then, of_others);
}

std::string cures_words(const WhyReport& why) {
  std::string out;
  for (const WhyCure& cure : why.cures) out += (out.empty() ? "What helps: " : "; or ") + cure_words(why, cure);
  return out.empty() ? out : out + ".";
}

// Empty: it is no change of an object.
std::string patch_command(const WhyCure& cure) {
  if (cure.patch.empty()) return {};
  return fmt::format("kubectl patch {} {} --type merge -p '{}'",
                     cure.kind == WhyCureKind::level ? "prioritylevelconfiguration" : "flowschema", cure.object,
                     cure.patch);
}

// The smallest change of an object, as a command.
std::string command_words(const WhyReport& why) {
  constexpr double kHardlyAny = 0.05;  // is left
  for (const WhyCure& cure : why.cures)
    if (!cure.patch.empty() &&
        (why.refused > 0 ? static_cast<double>(cure.others_refused.value_or(cure.refused_with.high)) <=
                               kHardlyAny * static_cast<double>(why.refused)
                         : cure.wait_with <= kHardlyAny * why.wait))
      return "Change it: " + patch_command(cure);
  return {};
}

void write_figure_of(JsonWriter& json, const char* name, const WhyFigure& figure) {
  json.key(name).begin_object().field("value", figure.value).field("low", figure.low).field("high", figure.high);
  json.end_object();
}

}  // namespace

std::vector<std::string> why_sentences(const WhyReport& why, std::optional<std::uint64_t> logged) {
  std::vector<std::string> out;
  std::string first = verdict_words(why);
  const bool names_replay = logged && why.basis == WhyBasis::replay &&
                            (!why.culprits.empty() || !why.victims.empty()) && *logged != why.refused;
  if (names_replay) first += fmt::format(" By a replay, which refuses {}.", grouped(why.refused));
  if (why.from && why.verdict != WhyVerdict::server && !first.empty())
    first += fmt::format(" That is by the worst part of the log, {} to {}.", clock_of(*why.from), clock_of(*why.to));
  for (std::string& sentence : std::vector{std::move(first), culprit_words(why), victim_words(why, names_replay),
                                           cures_words(why), command_words(why)})
    if (!sentence.empty()) out.push_back(std::move(sentence));
  return out;
}

std::string place_of_client(const std::string& name) { return place_of("client", short_name_of(name)); }

std::vector<Passage> why_passages(const WhyReport& why) {
  const auto client = [](WhyBy by, const std::string& name) {
    Table::Cell out = name_cell(name_words(by, name), Tone::strong);
    out.link = "#" + place_of_client(name);
    return out;
  };
  std::vector<Passage> out(3);
  Table culprits, victims, cures;
  culprits.left("CLIENT", 20).right("REQUESTS").right("SEAT-SECONDS").left("WITHOUT IT").left("WHAT IT DOES", 20);
  for (const WhyCulprit& of : why.culprits)
    culprits.row({client(of.by, of.name), grouped(of.requests), one_decimal(of.seat_seconds),
                  outcome_words(why, of.refused_without, of.wait_without), of.does});
  victims.left("CLIENT", 20).right("REFUSED").right("WAITED, IN SUM").right("LONGEST");
  for (const WhyVictim& of : why.victims)
    victims.row({client(of.by, of.name), count_cell(of.refused, Tone::bad), human_duration(whole_nanos(of.wait)),
                 human_duration(of.longest)});
  cures.left("OF WHAT", 20).left("CHANGE AND ITS EFFECT", 20);
  for (const WhyCure& of : why.cures) {
    Table::Cell object = client(WhyBy::user, of.object);
    if (of.kind != WhyCureKind::client) {
      object = name_cell(of.object.empty() ? to_string(of.kind) : of.object, Tone::strong);
      object.link = "#" + place_of("level", of.object);
    }
    cures.row({std::move(object), cure_words(why, of)});
  }
  out[0] = Passage("Because of whom");
  out[0].show(std::move(culprits));
  out[1] = Passage("To whom");
  out[1].show(std::move(victims));
  out[2] = Passage("What helps");
  out[2].show(std::move(cures));
  for (const WhyCure& of : why.cures)
    if (const std::string command = patch_command(of); !command.empty()) out[2].type(command);
  return out;
}

void write_why(JsonWriter& json, const WhyReport& why) {
  json.key("why").begin_object().field("verdict", to_string(why.verdict)).field("basis", to_string(why.basis));
  if (!why.open.empty()) json.field("open", why.open);
  if (why.from) json.field("beginNs", *why.from).field("endNs", *why.to);
  if (why.slower > 0) json.field("slower", why.slower);
  json.field("refused", why.refused).field("waitNs", whole_nanos(why.wait));
  json.key("culprits").begin_array();
  for (const WhyCulprit& culprit : why.culprits) {
    json.begin_object().field("by", to_string(culprit.by)).field("name", culprit.name);
    json.field("requests", culprit.requests).field("seatSeconds", culprit.seat_seconds).field("does", culprit.does);
    write_figure_of(json, "refusedWithout", culprit.refused_without);
    json.field("waitNsWithout", whole_nanos(culprit.wait_without)).end_object();
  }
  json.end_array().key("victims").begin_array();
  for (const WhyVictim& victim : why.victims)
    json.begin_object()
        .field("by", to_string(victim.by))
        .field("name", victim.name)
        .field("refused", victim.refused)
        .field("waitNs", whole_nanos(victim.wait))
        .end_object();
  json.end_array().key("cures").begin_array();
  for (const WhyCure& cure : why.cures) {
    json.begin_object().field("kind", to_string(cure.kind)).field("object", cure.object).field("field", cure.field);
    json.field("from", cure.from).field("to", cure.to).field("yaml", cure.yaml);
    write_figure_of(json, "refusedWith", cure.refused_with);
    if (cure.others_refused) json.field("othersRefused", *cure.others_refused);
    json.key("worse").begin_array();
    for (const std::string& level : cure.worse) json.value(level);
    json.end_array().end_object();
  }
  json.end_array().key("changes").begin_array();
  for (const WhyChange& change : why.changes) {
    json.begin_object().field("by", to_string(change.by)).field("name", change.name).field("request", change.request);
    json.field("of", change.seconds ? "seconds" : "requests").field("beginNs", change.from).field("endNs", change.to);
    json.field("before", change.before).field("then", change.then).field("share", change.share).end_object();
  }
  json.end_array().end_object();
}

}  // namespace apf
