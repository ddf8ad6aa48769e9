#include "sweep/plan_flags.h"

#include <span>

#include <apf/error.h>
#include <apf/flag_values.h>
#include <apf/test_file.h>
#include <fmt/core.h>

#include "replay/engine/load_scaler.h"
#include "replay/engine/seat_sizes.h"
#include "test_file/entries.h"
#include "test_file/server_keys.h"

namespace apf {

namespace {

constexpr int kMostBurst = 1'000'000'000;

// Calls `take` for the text, or each text of the list. What it throws is a fault there.
template <class Take>
void each_text(Faults& faults, const Fields& fields, const char* key, const char* expected, Take take) {
  const ConfigNode* node = fields.get(key);
  if (!node) return;
  if (node->is_sequence() && node->items().empty())
    faults.add(*node, fmt::format("{}: expected {}, found an empty list", key, expected));
  for (const ConfigNode& item : node->is_sequence() ? node->items() : std::span<const ConfigNode>(node, 1)) {
    const std::optional<std::string> text = text_of(faults, key, item, expected);
    if (!text) continue;
    try {
      take(*text);
    } catch (const Error& error) {
      faults.add(item, fmt::format("{}: {}", key, error.what()));
    }
  }
}

}  // namespace

std::optional<std::string> name_in(Faults& faults, const Fields& fields, const ConfigNode& node, const char* what,
                                   std::set<std::string>& names) {
  const ConfigNode* name = fields.get("name");
  if (!name) {
    if (!fields.has_unknown()) faults.add(node, fmt::format("{} without a name: give it one", what));
    return std::nullopt;
  }
  std::optional<std::string> text = text_of(faults, "name", *name, "a text");
  if (text && !names.insert(*text).second) {
    faults.add(*name, fmt::format("name: there are two of the name \"{}\": give each its own", *text));
    return std::nullopt;
  }
  return text;
}

std::vector<std::string> files_in(Faults& faults, const std::string& plan, const char* key, const ConfigNode& node) {
  std::vector<std::string> out;
  for (const std::string& path : texts_of(faults, key, node, "a path")) {
    if (path == "-")
      faults.add(node, fmt::format("{}: standard input (-) is not there for every task: name a file", key));
    out.push_back(path_beside(plan, path));
  }
  return out;
}

std::vector<SweepFlags> FlagSetReader::read(const ConfigNode& node) {
  const Fields fields(faults_, "a set of flags", node,
                      {"name",
                       "kubernetes-version",
                       "builtins",
                       "max-requests-inflight",
                       "max-mutating-requests-inflight",
                       "server-concurrency",
                       "seats-from",
                       "borrowing",
                       "request-timeout",
                       "apf",
                       "scale",
                       "nodes",
                       "execution-scale",
                       "width-cap",
                       "width-bytes",
                       "event-rate-limit",
                       "event-sender",
                       "quota",
                       "quota-used",
                       "quota-resync",
                       "quota-conflicts",
                       "client-qps",
                       "client-burst",
                       "client-limit",
                       "client-model",
                       "client-timeout",
                       "retries"});
  if (!node.is_mapping()) return {};
  SweepFlags flags;
  flags.span = node.span();
  const std::optional<std::string> name = name_in(faults_, fields, node, "a set of flags", names_);
  flags.kubernetes_version = version_in(faults_, fields);
  flags.builtins = builtins_in(faults_, fields);
  flags.borrowing = word_of<Borrowing>(
      faults_, fields, "borrowing", {{"server", Borrowing::server}, {"kep", Borrowing::kep}, {"off", Borrowing::off}});
  if (const ConfigNode* apf = fields.get("apf")) flags.apf = boolean_of(faults_, "apf", *apf).value_or(true);
  read_timeout(fields, flags);
  read_seats(fields, node, flags);
  read_scales(fields, flags);
  read_events(fields, flags);
  read_quotas(fields, node, flags);
  read_limits(fields, flags);
  read_clients(fields, flags);
  const std::vector<int> sizes = read_sizes(fields, flags);
  check(node, flags);
  if (!name) return {};
  flags.name = *name;
  if (sizes.empty()) return {flags};
  std::vector<SweepFlags> out;
  for (const int seats : sizes) {
    SweepFlags& sized = out.emplace_back(flags);
    sized.name = fmt::format("{}, {} seats", *name, seats);
    sized.sizes_of = *name;
    sized.server_concurrency = seats;
  }
  return out;
}

std::vector<int> FlagSetReader::read_sizes(const Fields& fields, const SweepFlags& flags) {
  constexpr int kStepsAnOctave = 4;
  const ConfigNode* node = fields.get("seats-from");
  if (!node) return {};
  if (flags.server_concurrency || flags.max_requests_inflight || flags.max_mutating_requests_inflight)
    faults_.add(*node, "seats-from says the seats itself: leave out server-concurrency and the max-…-inflight flags");
  if (!flags.apf) faults_.add(*node, "seats-from cannot be used with apf: false, which has no seats");
  if (node->is_sequence()) faults_.add(*node, "seats-from: expected A..B, found a list");
  const std::string text =
      node->is_sequence() ? "" : text_of(faults_, "seats-from", *node, "A..B such as 200..2000").value_or("");
  if (text.empty()) return {};
  try {
    const auto [least, most] = parse_seats_range(text);
    return seats_between(least, most, kStepsAnOctave);
  } catch (const Error& error) {
    faults_.add(*node, fmt::format("seats-from: {}", error.what()));
    return {};
  }
}

void FlagSetReader::read_timeout(const Fields& fields, SweepFlags& flags) {
  const ConfigNode* timeout = fields.get("request-timeout");
  if (!timeout) return;
  const std::string text = text_of(faults_, "request-timeout", *timeout, "a duration such as 60s").value_or("");
  flags.request_timeout = parse_go_duration(text);
  const bool good = flags.request_timeout && *flags.request_timeout > 0 && is_duration_in_range(*flags.request_timeout);
  if (!good && !text.empty())
    faults_.add(*timeout, fmt::format("request-timeout: \"{}\" is not a duration above 0, such as 60s or 2m", text));
  if (!good) flags.request_timeout.reset();
}

void FlagSetReader::read_seats(const Fields& fields, const ConfigNode& node, SweepFlags& flags) {
  const InflightKeys inflight = inflight_in(faults_, fields, node);
  flags.max_requests_inflight = inflight.reads;
  flags.max_mutating_requests_inflight = inflight.writes;
  flags.server_concurrency = inflight.sum;
  if (flags.server_concurrency && !flags.apf)
    faults_.add(node.find_entry("server-concurrency")->key,
                "server-concurrency cannot be used with apf: false, which limits reads and writes separately: give "
                "max-requests-inflight and max-mutating-requests-inflight");
  if (flags.apf && !flags.server_concurrency &&
      flags.max_requests_inflight.value_or(400) + flags.max_mutating_requests_inflight.value_or(200) == 0)
    faults_.add(node, "the server has no seats: kube-apiserver does not start with a sum of 0");
}

void FlagSetReader::read_scales(const Fields& fields, SweepFlags& flags) {
  each_text(faults_, fields, "scale", "a factor such as 2, or CLIENT=2",
            [&](const std::string& text) { flags.scales.push_back(parse_scale(text)); });
  each_text(faults_, fields, "execution-scale", "a factor such as 2, or pods=2",
            [&](const std::string& text) { flags.execution_scales.push_back(parse_execution_scale(text)); });
  if (const ConfigNode* cap = fields.get("width-cap"))
    flags.list_widths.most = number_of(faults_, "width-cap", *cap, 1, kMostListSeats).value_or(0);
  const ConfigNode* bytes = fields.get("width-bytes");
  if (bytes && bytes->is_sequence()) faults_.add(*bytes, "width-bytes: expected a quantity such as 100k, found a list");
  else
    each_text(faults_, fields, "width-bytes", "a quantity such as 100k",
              [&](const std::string& text) { flags.list_widths.bytes = parse_bytes(text); });
  if (const ConfigNode* width = fields.get("width-cap") ? fields.get("width-cap") : bytes; width && !flags.apf)
    faults_.add(*width, "width-cap and width-bytes cannot be used with apf: false: requests have no seats then");
  const ConfigNode* nodes = fields.get("nodes");
  if (nodes && nodes->is_sequence()) faults_.add(*nodes, "nodes: expected a factor such as 2, found a list");
  else
    each_text(faults_, fields, "nodes", "a factor such as 2",
              [&](const std::string& text) { flags.scales.push_back(parse_nodes(text)); });
}

void FlagSetReader::read_events(const Fields& fields, SweepFlags& flags) {
  const ConfigNode* file = fields.get("event-rate-limit");
  if (file) {
    if (file->is_sequence())
      faults_.add(*file, "event-rate-limit: expected the path of one configuration, found a list");
    else if (const std::vector<std::string> paths = files_in(faults_, plan_, "event-rate-limit", *file); !paths.empty())
      flags.event_rate_limit_file = paths.front();
  }
  const ConfigNode* sender = fields.get("event-sender");
  if (sender && !file) faults_.add(*sender, "event-sender needs event-rate-limit: name the file of its configuration");
  if (sender && sender->is_sequence())
    faults_.add(*sender, "event-sender: expected server, abandon or retry, found a list");
  else
    each_text(faults_, fields, "event-sender", "server, abandon or retry",
              [&](const std::string& text) { flags.event_sending = parse_event_sending(text); });
}

void FlagSetReader::read_quotas(const Fields& fields, const ConfigNode& node, SweepFlags& flags) {
  const ConfigNode* files = fields.get("quota");
  if (files) flags.quota_files = files_in(faults_, plan_, "quota", *files);
  if (const auto used = word_of<QuotaStart>(
          faults_, fields, "quota-used",
          {{"auto", QuotaStart::automatic}, {"status", QuotaStart::status}, {"zero", QuotaStart::zero}}))
    flags.quota_start = *used;
  if (const ConfigNode* resync = fields.get("quota-resync")) {
    const std::string text = text_of(faults_, "quota-resync", *resync, "a duration such as 5m, or off").value_or("off");
    try {
      if (text != "off") flags.quota_resync = parse_duration(text);
    } catch (const Error& error) {
      faults_.add(*resync, fmt::format("quota-resync: {}", error.what()));
    }
  }
  for (const char* key : {"quota-used", "quota-resync"})
    if (fields.has(key) && !files)
      faults_.add(node.find_entry(key)->key, fmt::format("{} needs quota: name the files of the quotas", key));
  if (fields.has("quota-conflicts"))
    faults_.add(node.find_entry("quota-conflicts")->key,
                "quota-conflicts: a task replays each server by itself, and updates conflict between servers: use "
                "apfctl replay --server");
}

void FlagSetReader::read_limits(const Fields& fields, SweepFlags& flags) {
  std::optional<float> qps;
  std::optional<int> burst;
  std::vector<ClientLimitOf> by_user_agent;
  if (const ConfigNode* node = fields.get("client-qps")) {
    if (node->kind() != NodeKind::integer && node->kind() != NodeKind::floating) {
      faults_.add(*node, fmt::format("client-qps: expected a number, found {}",
                                     node->is_scalar() ? fmt::format("\"{}\"", node->text()) : kind_of(*node)));
    } else {
      each_text(faults_, fields, "client-qps", "a number",
                [&](const std::string& text) { qps = parse_client_qps(text); });
    }
  }
  if (const ConfigNode* node = fields.get("client-burst"))
    if (const std::optional<int> number = number_of(faults_, "client-burst", *node, 0, kMostBurst))
      burst = parse_client_burst(std::to_string(*number));
  each_text(faults_, fields, "client-limit", "AGENT=QPS/BURST",
            [&](const std::string& text) { by_user_agent.push_back(parse_client_limit(text)); });
  flags.client_limits = client_limits_of(qps, burst, std::move(by_user_agent));
}

void FlagSetReader::read_clients(const Fields& fields, SweepFlags& flags) {
  each_text(faults_, fields, "client-model", "AGENT=MODEL, or auto", [&](const std::string& text) {
    if (text == "auto") flags.client_models_by_log = true;
    else flags.client_models.push_back(parse_client_model(text));
  });
  each_text(faults_, fields, "client-timeout", "AGENT=DURATION",
            [&](const std::string& text) { flags.client_timeouts.push_back(parse_client_timeout(text)); });
  if (const ConfigNode* retries = fields.get("retries"))
    flags.retries = boolean_of(faults_, "retries", *retries).value_or(false);
}

// What does not go together.
void FlagSetReader::check(const ConfigNode& node, const SweepFlags& flags) {
  const bool models = !flags.client_models.empty() || flags.client_models_by_log;
  const char* bar = why_not_scalable(!flags.quota_files.empty(), flags.client_limits.has_value(), models);
  if (!flags.scales.empty() && bar)
    faults_.add(node.find_entry(node.find_present("scale") ? "scale" : "nodes")->key,
                fmt::format("the load cannot be scaled together with {}; leave one of them out", bar));
  ReplayOptions options;
  options.client_models = flags.client_models;
  options.client_models_by_log = flags.client_models_by_log;
  if (options.clients_need_first_replay() && !has_recorded_)
    faults_.add(
        node.find_entry("client-model")->key,
        "client-model: how clients wait for their answers is found by replaying the log under the configuration "
        "that the server ran: add recorded to the plan, or give workers their number");
}

}  // namespace apf
