// One entry of `tests`, as the cases that it stands for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/test_file.h>

#include "settings/keys.h"

namespace apf {

inline constexpr std::size_t kMostCases = 100'000;  // of one file

// "list pods -n ci": as a file would say it.
std::string words_of_request(const NamedRequest& request);

// A request in its long form: {verb: list, resource: pods}, {list: pods} or {method: GET, uri: /api}.
struct LongRequest {
  std::string verb, resource, subresource, ns, name, method, uri;
  std::vector<std::pair<std::string_view, std::string>> by_verb;  // "list", "pods"
};

// Of a test file, besides those of server_keys(), and of the mappings within its tests.
const std::vector<KeyOf<TestFile>>& test_file_keys();
const std::vector<KeyOf<LongRequest>>& long_request_keys();
const std::vector<KeyOf<ExpectedPlace>>& place_keys();
const std::vector<KeyOf<LintTest>>& lint_test_keys();
const std::vector<KeyOf<ReplaySetup>>& replay_test_keys();

class EntryReader {
 public:
  // `admin`: whom that name means.
  EntryReader(TestFile& file, Faults& faults, std::function<User(const TestFile&)> admin)
      : file_(file), faults_(faults), admin_(std::move(admin)) {}
  void read(const ConfigNode& node);

 private:
  struct NamedUser {
    std::string text;
    User user;
  };
  struct Request {
    std::string text;
    NamedRequest named;
    std::optional<NamedUser> user;  // said within the request
    const ConfigNode* node = nullptr;
  };

  void read_requests(const Fields& fields, const ConfigNode& node, const std::string& name);
  void read_limits(const ConfigNode& node, const std::string& name);
  void read_lint(const ConfigNode& node, const std::string& name);
  void read_replay(const ConfigNode& node, const std::string& name);

  std::optional<NamedUser> read_user(const ConfigNode* as, const ConfigNode* groups);
  std::vector<NamedUser> read_users(const Fields& fields);
  std::optional<Request> read_request(const ConfigNode& node);
  std::optional<Request> read_long_request(const ConfigNode& node);
  std::optional<NamedRequest> long_form(const Fields& fields, const ConfigNode& node);
  std::optional<ExpectedPlace> read_place(std::string_view key, const ConfigNode& node);
  void add(std::string name, const ConfigNode& at, std::variant<RequestTest, LimitTest, LintTest, ReplayTest> what);

  TestFile& file_;
  Faults& faults_;
  std::function<User(const TestFile&)> admin_;
};

}  // namespace apf
