// How settings write whose load is how much more or less.
#include "replay/passes/flag_values.h"

#include <algorithm>

#include <apf/error.h>
#include <apf/request_words.h>
#include <fmt/format.h>

#include "base/decimal.h"
#include "base/identities.h"

namespace apf {

namespace {

constexpr double kMostFactor = 10'000;

double parse_factor(std::string_view text) {
  const std::string_view digits = text.substr(0, text.size() - (text.ends_with('x') ? 1 : 0));
  double factor = 0;
  const std::errc error = read_decimal(digits, factor);
  if (error == std::errc::invalid_argument) throw Error(fmt::format("'{}' is not a factor such as 2 or 0.5x", text));
  if (error != std::errc() || !(factor >= 0 && factor <= kMostFactor))
    throw Error(fmt::format("{} is not between 0 and 10000", text));
  return factor;
}

constexpr const char* kUsers =
    "name users: sa:NAMESPACE/NAME, sa:NAMESPACE/*, node:*, user:NAME or the beginning of a name with * behind it";

// "list pods": what explain takes, and no user.
bool is_request(std::string_view text) {
  RequestWords words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.plain.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  try {
    return words.plain.size() > 1 && request_of_words(words).request.error().empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string parse_client(std::string_view text) {
  if (text.empty()) throw Error("the name of the client is empty");
  std::string client(text);
  if (client == "node:*") return kAllNodes;
  if (client == "admin") return user_named(client).name;  // in whichever group
  const std::optional<Subject> subject = subject_named(client);
  if (!subject && is_request(client)) throw Error(fmt::format("'{}' is a request; {}", client, kUsers));
  if (!subject) return client;
  if (subject->service_account)
    return "system:serviceaccount:" + subject->service_account->ns + ":" + subject->service_account->name;
  if (subject->kind == "Group") throw Error(fmt::format("'{}' is a group; {}", client, kUsers));
  return subject->user.value_or(client);
}

// A name may contain '=' itself.
LoadScale parse_scale(std::string_view text) {
  LoadScale scale;
  const std::size_t equals = text.rfind('=');
  if (equals != std::string_view::npos) scale.user = parse_client(text.substr(0, equals));
  scale.factor = parse_factor(equals == std::string_view::npos ? text : text.substr(equals + 1));
  return scale;
}

ExecutionScale parse_execution_scale(std::string_view text) {
  LoadScale scale = parse_scale(text);
  return {std::move(scale.user), scale.factor};
}

LoadScale parse_nodes(std::string_view text) {
  constexpr double kPlain = 10;  // a larger factor is more likely a number of nodes
  if (text.starts_with('+'))
    throw Error(fmt::format("{}: how many nodes the log has is not known here; give a factor such as 2", text));
  const LoadScale out{kAllNodes, parse_factor(text), true};
  if (out.factor > kPlain && !text.ends_with('x'))
    throw Error(fmt::format("{0} times as many nodes, or {0} more? Write {0}x or +{0}", text));
  return out;
}

}  // namespace apf
