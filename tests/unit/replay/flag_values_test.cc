// Values of flags: what they mean, and what is wrong with them.
#include <set>

#include <apf/error.h>
#include <apf/flag_values.h>

#include "catch.h"
#include "replay/passes/flag_values.h"

using namespace apf;

TEST_CASE("Client models are read with the number of requests in flight", "[replay]") {
  const ClientModelOf workers = parse_client_model("curl/8=x=workers:12");
  CHECK(workers.agent == "curl/8=x");
  CHECK(workers.model == ClientModel::workers);
  CHECK(workers.places == 12);
  CHECK(parse_client_model("*=loop:auto").places == 0);
  CHECK(parse_client_model("*=open").model == ClientModel::open);
  CHECK_THROWS_WITH(parse_client_model("*=open:1"),
                    "open clients have no number of requests in flight: use open alone");
  CHECK_THROWS_WITH(parse_client_model("*=lop"), "unknown value 'lop'; did you mean 'loop'?");
  CHECK_THROWS_WITH(parse_client_model("*=x"), "unknown value 'x'; expected one of open, workers, loop");
  CHECK_THROWS_WITH(parse_client_model("=loop"), "'=loop' is not AGENT=MODEL, such as ci/=loop, or auto");
  CHECK_THROWS_WITH(parse_client_model("*=loop:0"), "0 is not between 1 and 1000000");
  CHECK_THROWS_WITH(parse_client_model("*=loop:"), "'' is not an integer");
}

TEST_CASE("Client timeouts are above 0", "[replay]") {
  CHECK(parse_client_timeout("kubectl/=1m30s").patience == 90 * kSecond);
  CHECK_THROWS_WITH(parse_client_timeout("a=0s"), "a=0s must be greater than 0");
  CHECK_THROWS_WITH(parse_client_timeout("a=-1s"), "-1s is negative");
  CHECK_THROWS_WITH(parse_client_timeout("a=100000h"), "100000h is longer than ten years");
}

TEST_CASE("Limits of clients have client-go's defaults", "[replay]") {
  CHECK(parse_client_qps("0") == ClientLimit{}.qps);
  CHECK(parse_client_qps("-1") == -1);
  CHECK(parse_client_burst("0") == ClientLimit{}.burst);
  for (const char* bad : {"", "nan", "1e99", "5/s", "0x5"}) CHECK_THROWS_AS(parse_client_qps(bad), Error);
  CHECK_THROWS_AS(parse_client_burst("1000000001"), Error);
  const auto limit = parse_client_limit("a/b=50/300");
  CHECK(limit.first == "a/b");
  CHECK(limit.second.qps == 50);
  CHECK(limit.second.burst == 300);
}

TEST_CASE("Where only some user agents have limits, the others have none", "[replay]") {
  const auto limits = [](std::initializer_list<std::pair<const char*, const char*>> given) {
    ReplayOptions options;
    for (const auto& [name, value] : given) replay_setting(name).set(options, value);
    return options.client_limits;
  };
  CHECK(!limits({}));
  CHECK(limits({{"client-qps", "a/=50/300"}})->of_all.qps == -1);
  CHECK(limits({{"client-qps", "3"}})->of_all.burst == ClientLimit{}.burst);
  const auto both = limits({{"client-burst", "7"}, {"client-qps", "a/=50/300"}});
  CHECK(both->of_all.qps == ClientLimit{}.qps);
  CHECK(both->of_all.burst == 7);
  CHECK(both->by_user_agent.size() == 1);
  CHECK(limits({{"client-qps", "a/=50/300"}, {"client-qps", "3"}})->of_all.qps == 3);
}

TEST_CASE("What senders of events do has a duration", "[replay]") {
  CHECK(parse_event_sending("server").sender == EventSender::server);
  CHECK(parse_event_sending("retry").pause == 10 * kSecond);
  CHECK(parse_event_sending("abandon").pause == kSecond);
  CHECK(parse_event_sending("abandon:5m").pause == 300 * kSecond);
  CHECK_THROWS_WITH(parse_event_sending("server:1s"), "server takes no duration");
  CHECK_THROWS_WITH(parse_event_sending("retry:0s"), "the duration must be greater than 0");
}

TEST_CASE("Scales say whose load is how much", "[replay]") {
  CHECK(parse_scale("2") == LoadScale{"", 2, false});
  CHECK(parse_scale("0.5x") == LoadScale{"", 0.5, false});
  CHECK(parse_scale("sa:shop/*=3x") == LoadScale{"system:serviceaccount:shop:*", 3, false});
  CHECK(parse_scale("a=b=0") == LoadScale{"a=b", 0, false});
  CHECK(parse_nodes("1e1x") == LoadScale{"system:node:*", 10, true});
  CHECK(parse_client("node:*") == "system:node:*");
  CHECK(parse_client("node:n1") == "system:node:n1");
  CHECK(parse_client("user:sa:x") == "sa:x");
  CHECK(parse_client("system:kube-*") == "system:kube-*");
  CHECK_THROWS_WITH(parse_scale("=2"), "the name of the client is empty");
  CHECK_THROWS_WITH(parse_scale("sa:shop=2"), "'sa:shop' is not sa:NAMESPACE/NAME");
  for (const char* bad : {"", "x", "2xx", "twice", "2 ", "+2", "0x5"})
    CHECK_THROWS_WITH(parse_scale(bad), "'" + std::string(bad) + "' is not a factor such as 2 or 0.5x");
  for (const char* bad : {"10001", "-1", "inf", "nan", "1e400"})
    CHECK_THROWS_WITH(parse_nodes(bad), std::string(bad) + " is not between 0 and 10000");
}

TEST_CASE("Each setting has a name of its own, and needs only what there is", "[replay]") {
  std::set<std::string_view> names;
  for (const ReplaySetting& setting : replay_settings()) {
    CAPTURE(setting.name);
    CHECK(names.insert(setting.name).second);
    if (!setting.needs.empty()) CHECK_NOTHROW(replay_setting(setting.needs));
    const bool is_file = setting.form == SettingForm::file || setting.form == SettingForm::files;
    CHECK(is_file == !setting.apply);
    const bool has_words =
        setting.form == SettingForm::word || setting.form == SettingForm::on_off || setting.form == SettingForm::yes;
    CHECK(has_words == !setting.words.empty());
    // A text of plans is told in words where it is missing.
    if (setting.is_of("sweep") && (setting.form == SettingForm::text || setting.form == SettingForm::texts))
      CHECK(!setting.expected.empty());
  }
  ReplayOptions options;
  replay_setting("retries").set(options, "false");
  CHECK(!options.retries);
  CHECK_THROWS_WITH(replay_setting("width-cap").set(options, "0"), "0 is not between 1 and 100000");
  CHECK_THROWS_WITH(replay_setting("speed"), "there is no setting 'speed'");
}
