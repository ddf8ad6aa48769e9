#include "summary/log_rows.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/identities.h"
#include "base/saturated.h"

namespace apf {
namespace {

using Rows = std::vector<LogRow>::iterator;

LogTally sum_of_rows(Rows from, Rows to) {
  LogTally sum;
  for (; from != to; ++from) add_tally(sum, from->tally);
  return sum;
}

bool is_most_of(const LogTally& part, const LogTally& all) {
  return part.requests * 2 > all.requests || part.refused * 2 > all.refused || part.seat_seconds * 2 > all.seat_seconds;
}

}  // namespace

void add_tally(LogTally& sum, const LogTally& other) {
  sum.requests += other.requests;
  sum.answered += other.answered;
  sum.refused += other.refused;
  sum.errors += other.errors;
  sum.waited += other.waited;
  sum.wait = saturated_sum(sum.wait, other.wait);
  sum.wait_and_run = saturated_sum(sum.wait_and_run, other.wait_and_run);
  sum.seat_seconds += other.seat_seconds;
  sum.with_seats += other.with_seats;
}

double cost_of(const LogTally& part, const LogTally& all) {
  const double requests =
      all.requests == 0 ? 0 : static_cast<double>(part.requests) / static_cast<double>(all.requests);
  return all.seat_seconds > 0 ? std::max(requests, part.seat_seconds / all.seat_seconds) : requests;
}

void keep_first(std::vector<LogRow>& rows, RowOrder order, std::size_t top) {
  const LogTally all = sum_of_rows(rows.begin(), rows.end());
  const auto measure = [&](const LogTally& tally) {
    if (order == RowOrder::refusals) return static_cast<double>(tally.refused);
    return order == RowOrder::seats ? tally.seat_seconds : cost_of(tally, all);
  };
  std::sort(rows.begin(), rows.end(), [&](const LogRow& a, const LogRow& b) {
    const double of_a = measure(a.tally), of_b = measure(b.tally);
    if (of_a != of_b) return of_a > of_b;
    if (a.tally.requests != b.tally.requests) return a.tally.requests > b.tally.requests;
    return a.names < b.names;
  });
  rows.resize(std::min(rows.size(), top));
}

void gather_nodes(std::vector<LogRow>& rows, std::size_t user) {
  const Rows first = std::stable_partition(
      rows.begin(), rows.end(), [&](const LogRow& row) { return !row.names[user].starts_with(kNodePrefix); });
  std::map<std::vector<std::string>, std::vector<LogRow>> groups;
  for (Rows row = first; row != rows.end(); ++row) {
    std::vector<std::string> others = row->names;
    others[user] = kAllNodes;
    groups[std::move(others)].push_back(std::move(*row));
  }
  rows.erase(first, rows.end());
  for (auto& [names, nodes] : groups) {
    const LogTally all = sum_of_rows(nodes.begin(), nodes.end());
    const bool are_many = nodes.size() > 2;
    const Rows rest = std::partition(nodes.begin(), nodes.end(),
                                     [&](const LogRow& row) { return are_many && is_most_of(row.tally, all); });
    const auto count = static_cast<std::uint64_t>(nodes.end() - rest);
    if (count > 1) {
      *rest = {names, sum_of_rows(rest, nodes.end()), count};
      nodes.erase(rest + 1, nodes.end());
    }
    std::move(nodes.begin(), nodes.end(), std::back_inserter(rows));
  }
}

}  // namespace apf
