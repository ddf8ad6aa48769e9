// Requests that show something, and the command that asks apfctl about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/version.h>

#include "lint/reach/index.h"

namespace apf {

// What the values of a target stand for, by side; 0 is what is not named, which `unnamed` stands for.
struct RequestNames {
  std::function<std::string_view(std::size_t side, std::uint32_t id)> text;
  std::string unnamed;
};

// A group and a resource that go together.
struct ResourceChoice {
  std::string group, resource;  // "pods/log"
  int scope = 0;                // 1 namespaced, 2 cluster-scoped, 0 unknown
};

// Requests of the target, the likeliest first: real resources in their own group and scope where "*" leaves the choice.
// A bounded number, the last of which has the first of the target's values on every side. Each is made when it is asked
// for, as most often one of the first will do.
class LikelyRequests {
 public:
  LikelyRequests(const RequestNames& names, const ReachTarget& target);
  LikelyRequests(const ReachIndex& index, const ReachTarget& target);
  // Of a part, by its number.
  LikelyRequests(const ReachIndex& index, std::uint32_t part)
      : LikelyRequests(index, index.target_of(index.parts()[part])) {}

  // These come after the last.
  void append(std::vector<RequestInfo> requests);

  // Null after the last. It stays where it is.
  const RequestInfo* at(std::size_t number);

  struct End {};
  class Iterator {
   public:
    explicit Iterator(LikelyRequests& of) : of_(of) {}
    const RequestInfo& operator*() const { return *of_.at(number_); }
    Iterator& operator++() { return ++number_, *this; }
    bool operator==(End) const { return of_.at(number_) == nullptr; }

   private:
    LikelyRequests& of_;
    std::size_t number_ = 0;
  };
  Iterator begin() { return Iterator(*this); }
  static End end() { return {}; }

 private:
  bool make_next();

  std::deque<RequestInfo> made_;
  // Of resources: all combinations, first of those that fit together.
  std::vector<ResourceChoice> choices_;
  std::vector<std::string> namespaces_, verbs_;
  bool fitting_ = true;
  std::size_t next_ = 0, made_here_ = 0;
  std::deque<RequestInfo> last_;
};
// How many of them a rule tries, for each part and user.
inline constexpr std::size_t kTriesPerPart = 8;

// "list pods -n ci": the words of explain, and of a test file; empty if no request can be like this.
std::string request_words(const RequestInfo& request);

// "apfctl explain list pods -n ci --as alice -f …"; empty if no request can be like this.
std::string explain_command(const User& user, const RequestInfo& request, const std::string& flags);

// The flags that name the configuration's files, the release and the preset.
std::string command_flags(const Config& config, KubeVersion version);

}  // namespace apf
