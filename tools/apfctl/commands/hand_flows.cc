#include "commands/hand_flows.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <apf/classify.h>
#include <apf/error.h>
#include <apf/hand.h>
#include <apf/logs.h>
#include <apf/output.h>

#include "shared/command_line.h"
#include "shared/words.h"

namespace apfctl {

namespace {

// By queue the flows that have it: what they share is found without comparing each with each.
void find_neighbours(LoggedFlows& out) {
  std::vector<std::vector<std::size_t>> of_queue(static_cast<std::size_t>(out.queues));
  for (std::size_t i = 0; i < out.flows.size(); ++i)
    for (const std::uint32_t queue : out.flows[i].hand) of_queue[queue].push_back(i);
  for (std::size_t i = 0; i < out.flows.size(); ++i) {
    LoggedFlows::Flow& flow = out.flows[i];
    std::map<std::size_t, int> common;
    for (const std::uint32_t queue : flow.hand) {
      flow.own_queues += of_queue[queue].size() == 1;
      for (const std::size_t other : of_queue[queue])
        if (other != i) ++common[other];
    }
    flow.sharing = common.size();
    flow.closest = i;
    for (const auto& [other, queues] : common) {
      if (queues <= flow.closest_queues) continue;
      flow.closest = other;
      flow.closest_queues = queues;
    }
  }
}

std::string name_of(const LoggedFlows::Flow& flow) {
  return flow.distinguisher.empty() ? "all of FlowSchema " + flow.flow_schema : flow.distinguisher;
}

}  // namespace

LoggedFlows flows_of_log(const std::string& log, const apf::Config& config, const std::string& level, int queues,
                         int hand_size) {
  LoggedFlows out;
  out.level = level;
  out.queues = queues;
  out.hand_size = hand_size;
  const apf::Classifier classifier(config);
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;  // by FlowSchema and distinguisher
  out.damaged = apf::read_requests(log, [&](const apf::LoggedRequest& logged) {
    ++out.requests;
    if (!logged.error.empty()) {
      ++out.unclassified;
      return;
    }
    const apf::Explanation found = apf::explain(classifier, logged.request.info, logged.user);
    if (found.priority_level == level) ++counts[{found.flow_schema, found.flow_distinguisher}];
  });
  if (counts.empty()) throw apf::Error(fmt::format("{}: no request goes to priority level {}", log, level));
  for (const auto& [name, count] : counts) {
    LoggedFlows::Flow& flow = out.flows.emplace_back();
    std::tie(flow.flow_schema, flow.distinguisher) = name;
    flow.requests = count;
    flow.hash = apf::flow_hash(flow.flow_schema, flow.distinguisher);
    flow.hand = apf::deal_hand(flow.hash, queues, hand_size);
  }
  std::stable_sort(out.flows.begin(), out.flows.end(),
                   [](const auto& a, const auto& b) { return a.requests > b.requests; });
  find_neighbours(out);
  // Among hands of so many queues, those that lie within the queues in use.
  std::set<std::uint32_t> used;
  for (const LoggedFlows::Flow& flow : out.flows) used.insert(flow.hand.begin(), flow.hand.end());
  out.covered = 1;
  for (int i = 0; i < hand_size; ++i) out.covered *= std::max(0.0, static_cast<double>(used.size()) - i) / (queues - i);
  return out;
}

apf::Document document_of(const LoggedFlows& flows) {
  apf::Document out(fmt::format("{} of level {}, {} queues, hands of {}", plural(flows.flows.size(), "flow", "flows"),
                                flows.level, flows.queues, flows.hand_size));
  std::size_t alone = 0;
  for (const LoggedFlows::Flow& flow : flows.flows) alone += flow.own_queues > 0;
  out.section(out.title).begins_report().say(
      fmt::format("{} of them {} a queue that no other has. A further flow finds all its queues among theirs with a "
                  "probability of {:.3g}.",
                  grouped(alone), alone == 1 ? "has" : "have", flows.covered));
  for (const LoggedFlows::Flow& flow : flows.flows) {
    std::string hand;
    for (const std::uint32_t queue : flow.hand) hand += (hand.empty() ? "" : " ") + std::to_string(queue);
    apf::Passage& of = out.section(name_of(flow));
    of.item(
        fmt::format("{}, FlowSchema {}, hand {}", plural(flow.requests, "request", "requests"), flow.flow_schema, hand),
        "  ");
    of.item(flow.sharing == 0 ? "shares no queue"
                              : fmt::format("shares queues with {}, most with {}: {} of {}; {} of its own",
                                            plural(flow.sharing, "other", "others"), name_of(flows.flows[flow.closest]),
                                            flow.closest_queues, flows.hand_size, flow.own_queues),
            "  ", apf::Tone::plain, 2);
  }
  return out;
}

std::string render_json(const LoggedFlows& flows) {
  apf::JsonWriter json;
  json.begin_object().field("priorityLevel", flows.level).field("queues", flows.queues);
  json.field("handSize", flows.hand_size).key("flows").begin_array();
  for (const LoggedFlows::Flow& flow : flows.flows) {
    json.begin_object().field("flowSchema", flow.flow_schema).field("flowDistinguisher", flow.distinguisher);
    json.key("hash").decimal_string(flow.hash).field("requests", flow.requests).key("hand").begin_array();
    for (const std::uint32_t queue : flow.hand) json.value(queue);
    json.end_array().field("sharesWith", static_cast<std::uint64_t>(flow.sharing));
    json.field("ownQueues", flow.own_queues).key("closest");
    if (flow.sharing == 0) {
      json.null();
    } else {
      const LoggedFlows::Flow& other = flows.flows[flow.closest];
      json.begin_object().field("flowSchema", other.flow_schema).field("flowDistinguisher", other.distinguisher);
      json.field("queues", flow.closest_queues).end_object();
    }
    json.end_object();
  }
  json.end_array().field("covered", flows.covered).end_object();
  return json.take();
}

}  // namespace apfctl
