// The order of harm, the same for all that weighs what a configuration does to whom: refusals of protected clients,
// then those of others, then waits beyond a second, then shorter ones. What those suffer who are isolated comes last.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <apf/replay.h>

namespace apf {

// Those of the server itself, of nodes and of leader election: by the levels that kube-apiserver has for them.
bool is_protected_level(const std::string& level);
// By who it is, or by where its requests go.
bool is_protected(const FlowReport& flow);

// Numbers of requests, the worst kind first.
struct Harm {
  enum Kind : std::uint8_t { refused_protected, refused, long_waits, waits, isolated, kKinds };
  std::array<std::int64_t, kKinds> of = {};
  bool operator==(const Harm&) const = default;
  bool operator<(const Harm& other) const { return of < other.of; }
  Harm& operator+=(const Harm& other);
};
using IsIsolated = std::function<bool(const FlowReport&)>;
Harm harm_of(const ReplayReport& report, const IsIsolated& is_isolated);
// Refused requests of protected clients, by their names; those without a refusal are there, too.
std::map<std::string, std::uint64_t> protected_refusals(const ReplayReport& report);

// What becomes of a figure from one configuration to another, by the differences between replays of both that share
// seed, phase and assumption: more (1), less (-1), or nothing beyond chance (0). `least`: smaller ones are none.
int paired_difference(const std::vector<double>& differences, double least);
// The first kind of harm, in their order, that differs: its sign.
int paired_harm(const std::vector<Harm>& before, const std::vector<Harm>& after);

}  // namespace apf
