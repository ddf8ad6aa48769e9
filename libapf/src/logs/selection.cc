#include "logs/selection.h"

#include <apf/logs.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace apf {

namespace {

// Fewer requests of one user or verb may be all there were.
constexpr std::uint64_t kLeastAlike = 20, kLeastRefused = 2;
// A server answers most requests within milliseconds.
constexpr Nanos kSlow = kSecond;
constexpr std::size_t kMostNumbers = 256;  // of one user, by user agents

constexpr std::array<const char*, 9> kVerbNames = {
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "others"};
constexpr VerbBits kReads = 7, kOthers = 1u << (kVerbNames.size() - 1);

bool is_same(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

}  // namespace

VerbBits verb_bit(std::string_view verb) {
  std::size_t number = 0;
  while (number + 1 < kVerbNames.size() && !is_same(verb, kVerbNames[number])) ++number;
  return static_cast<VerbBits>(1u << number);
}

bool is_of_selection(const Remark& remark) {
  switch (remark.kind) {
    case RemarkKind::no_request_ends:
    case RemarkKind::only_refusals:
    case RemarkKind::one_user:
    case RemarkKind::one_verb:
    case RemarkKind::only_slow:
    case RemarkKind::reads_missing:
      return true;
    default:
      return false;
  }
}

void Selection::note_client(std::uint32_t client) {
  last_client_ = client;
  if (clients_.size() < kMostNumbers && std::find(clients_.begin(), clients_.end(), client) == clients_.end())
    clients_.push_back(client);
}

void Selection::remark(const std::function<std::string(std::uint32_t client)>& name_of,
                       std::vector<Remark>& out) const {
  std::vector<Remark> found;
  if (requests_ > 0 && ends_ == 0) found.push_back({.kind = RemarkKind::no_request_ends, .count = requests_});
  if (requests_ >= kLeastRefused && refused_ == requests_)
    found.push_back({.kind = RemarkKind::only_refusals, .count = requests_});
  if (requests_ >= kLeastAlike) {
    const std::string user = clients_.empty() ? std::string() : name_of(clients_.front());
    const bool one = clients_.size() < kMostNumbers && std::all_of(clients_.begin(), clients_.end(), [&](auto client) {
                       return name_of(client) == user;
                     });
    if (one && !user.empty()) found.push_back({.kind = RemarkKind::one_user, .count = requests_, .name = user});
    const bool one_verb = verbs_ != 0 && (verbs_ & (verbs_ - 1)) == 0 && verbs_ != kOthers;
    for (std::size_t i = 0; one_verb && i < kVerbNames.size(); ++i)
      if (verbs_ == 1u << i) found.push_back({.kind = RemarkKind::one_verb, .count = requests_, .name = kVerbNames[i]});
    const bool known = std::any_of(out.begin(), out.end(),
                                   [](const Remark& remark) { return remark.kind == RemarkKind::reads_missing; });
    if (!one_verb && verbs_ != 0 && (verbs_ & kReads) == 0 && !known)
      found.push_back({.kind = RemarkKind::reads_missing, .count = requests_});
  }
  if (timed_ >= kLeastAlike && shortest_ >= kSlow)
    found.push_back({.kind = RemarkKind::only_slow, .count = timed_, .duration = shortest_});
  out.insert(out.begin(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

}  // namespace apf
