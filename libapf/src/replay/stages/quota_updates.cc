#include "replay/stages/quota_updates.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "admission/quota_writes.h"

namespace apf {

namespace {

using Verdict = HandlerStage::Verdict;

constexpr std::string_view kConflictReason = "conflict";
constexpr std::string_view kTimedOutReason = "timed-out";

// A tag names a server's request.
constexpr int kServerBits = 16;

class Settling final : public QuotaWriteListener {
 public:
  explicit Settling(std::span<const QuotaUpdates* const> servers)
      : servers_(servers),
        settings_(*servers.front()->settings),
        ledger_(settings_, settings_.conflicts.has_value()),
        counts_(servers.size(), ledger_.counts()) {
    for (const QuotaUpdates* server : servers) {
      out_.answers.emplace_back(server->asked.size());
      end_ = std::max(end_, server->end);
      if (server->first_request) first_ = std::min(first_.value_or(*server->first_request), *server->first_request);
    }
    if (!settings_.conflicts) return;
    const QuotaWriteRules rules{settings_.conflicts->lag, settings_.conflicts->write};
    writers_.emplace(servers.size(), ledger_.engine().quotas().size(), rules, *this);
    ledger_.on_recount = [this](std::size_t quota, Nanos time) {
      writers_->write_of_controller(static_cast<std::uint32_t>(quota), time);
    };
  }

  QuotaSettlement run() {
    if (first_) ledger_.begin(*first_);
    std::vector<std::size_t> next(servers_.size());
    for (;;) {
      const std::size_t server = earliest(next);
      if (server == servers_.size()) break;
      ask(server, next[server]++);
    }
    if (writers_) writers_->drain();
    ledger_.advance(std::max(end_, now_));
    for (std::uint32_t i = 0; i < servers_.size(); ++i) out_.reports.push_back(report_of(i));
    return std::move(out_);
  }

 private:
  // Who asks next; of one instant the first. Their number: nobody.
  std::size_t earliest(const std::vector<std::size_t>& next) const {
    std::size_t first = servers_.size();
    const auto time = [&](std::size_t i) { return servers_[i]->asked[next[i]].time; };
    for (std::size_t i = 0; i < servers_.size(); ++i)
      if (next[i] < servers_[i]->asked.size() && (first == servers_.size() || time(i) < time(first))) first = i;
    return first;
  }

  void ask(std::size_t server, std::size_t number) {
    const QuotaUpdates::Asked& asked = servers_[server]->asked[number];
    if (writers_) writers_->run_before(asked.time, static_cast<std::uint32_t>(server));
    now_ = std::max(now_, asked.time);
    QuotaAnswer& answer = out_.answers[server][number];
    answer.verdict = ledger_.ask(asked.ask, asked.time, asked.in_report, counts_[server]);
    if (answer.verdict == Verdict::refused) answer.set(ledger_.verdict());
    if (ledger_.charge()) want(server, number, asked);
    ledger_.settle(asked.end);
  }

  void want(std::size_t server, std::size_t number, const QuotaUpdates::Asked& asked) {
    QuotaWrite write;
    write.time = asked.time;
    for (const auto& [quota, amounts] : ledger_.charge()->quotas)
      write.quotas.push_back(static_cast<std::uint32_t>(quota));
    write.ns = static_cast<std::uint32_t>(ledger_.engine().quotas_of(asked.ask.attributes.ns).front());
    write.tag = number;
    write.counted = asked.in_report;
    charges_.emplace(key(server, number), *ledger_.charge());
    writers_->want(static_cast<std::uint32_t>(server), std::move(write));
  }

  static std::uint64_t key(std::size_t server, std::uint64_t number) { return number << kServerBits | server; }

  void before(Nanos now) override {
    now_ = std::max(now_, now);
    ledger_.advance(now);
  }

  void on_end(std::uint32_t server, const QuotaWrite& write, Nanos now, QuotaWriteEnd end,
              std::span<const std::uint32_t> failed) override {
    QuotaAnswer& answer = out_.answers[server][write.tag];
    if (end == QuotaWriteEnd::timed_out)
      return refuse(answer, now - write.time, 500, kTimedOutReason,
                    "Internal error occurred: resource quota evaluation timed out");
    const auto charge = charges_.extract(key(server, write.tag));
    if (answer.verdict == Verdict::refused) return ledger_.take_back(charge.mapped(), failed, now);  // timed out before
    if (end == QuotaWriteEnd::conflict) {
      refuse(answer, now - write.time, 409, kConflictReason, conflict_message(write, failed));
      return ledger_.take_back(charge.mapped(), failed, now);
    }
    // That nobody comes between is part of the execution in the log.
    const Nanos alone = static_cast<Nanos>(write.quotas.size()) * settings_.conflicts->write;
    answer.held = std::max<Nanos>(now - write.time - alone, 0);
    ledger_.pass(charge.mapped(), now);
  }

  static void refuse(QuotaAnswer& answer, Nanos held, int code, std::string_view reason, std::string message) {
    answer.verdict = Verdict::refused;
    answer.outcome = Outcome::quota_conflict;
    answer.held = held;
    answer.code = code;
    answer.reason = reason;
    answer.message = std::move(message);
  }

  // The server gives the last one's.
  std::string conflict_message(const QuotaWrite& write, std::span<const std::uint32_t> failed) const {
    std::uint32_t quota = write.quotas.front();
    for (const std::uint32_t one : failed)
      if (std::find(write.quotas.begin(), write.quotas.end(), one) != write.quotas.end()) quota = one;
    return fmt::format(
        "Operation cannot be fulfilled on resourcequotas \"{}\": the object has been modified; please apply your "
        "changes to the latest version and try again",
        ledger_.engine().quotas()[quota].name);
  }

  ResourceQuotaReport report_of(std::uint32_t server) {
    QuotaCounts& counts = counts_[server];
    if (writers_) {
      const QuotaWriteCounts& of = writers_->counts(server);
      counts.conflicts = of.conflicts_of;
      counts.report.conflicts = {*settings_.conflicts, of.requests, of.updates,  of.conflicts,
                                 of.retried,           of.refused,  of.timed_out};
    }
    return ledger_.report(counts);
  }

  const std::span<const QuotaUpdates* const> servers_;
  const QuotaSettings& settings_;
  QuotaLedger ledger_;
  std::vector<QuotaCounts> counts_;  // by server
  std::optional<QuotaWriters> writers_;
  std::unordered_map<std::uint64_t, QuotaCharge> charges_;  // of requests whose updates are not written yet
  std::optional<Nanos> first_;
  Nanos end_ = INT64_MIN, now_ = INT64_MIN;
  QuotaSettlement out_;
};

}  // namespace

void QuotaAnswer::set(const QuotaVerdict& refusal) {
  reason = to_string(refusal.refusal);
  code = refusal.code == 0 ? 500 : refusal.code;
  message = refusal.message;
}

QuotaSettlement settle_quotas(std::span<const QuotaUpdates* const> servers) { return Settling(servers).run(); }

void count_conflicts(std::span<ResourceQuotaReport* const> servers) {
  std::vector<const QuotaUpdates*> updates;
  for (const ResourceQuotaReport* server : servers) updates.push_back(server->updates.get());
  if (updates.empty() || !updates.front()->settings->conflicts) return;
  const QuotaSettlement settlement = settle_quotas(updates);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    servers[i]->conflicts = settlement.reports[i].conflicts;
    for (std::size_t q = 0; q < servers[i]->quotas.size(); ++q)
      servers[i]->quotas[q].conflicts = settlement.reports[i].quotas[q].conflicts;
  }
}

void add_conflicts(QuotaConflictReport& sum, const QuotaConflictReport& of_one) {
  sum.of = of_one.of;
  sum.requests += of_one.requests;
  sum.updates += of_one.updates;
  sum.conflicts += of_one.conflicts;
  sum.retried += of_one.retried;
  sum.refused += of_one.refused;
  sum.timed_out += of_one.timed_out;
}

}  // namespace apf
