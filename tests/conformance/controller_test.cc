// controller.jsonl: whole servers, every request and every borrowing round, as kube-apiserver v1.36 ran them.
#include "catch.h"

#include <cmath>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/hand.h>
#include <simdjson.h>
#include "schedule/controller.h"
#include "schedule/seats.h"

#include "support/vectors.h"

namespace {

using apf::Nanos;
using simdjson::dom::element;

apf::Config config_of(element objects) {
  std::vector<apf::ConfigText> texts;
  for (const char* list : {"flowSchemas", "priorityLevels"}) {
    for (element object : objects[list]) texts.push_back({"object", simdjson::minify(object)});
  }
  apf::LoadedConfig loaded = apf::load_config(texts);
  REQUIRE_FALSE(loaded.has_errors());
  REQUIRE(loaded.config.flow_schemas.size() + loaded.config.priority_levels.size() == texts.size());
  return std::move(loaded.config);
}

struct Arrival {
  Nanos time = 0, service = 0, wait_limit = 0;
  std::size_t request = 0, user = 0;
};

struct Result {
  int outcome = -1;
  std::string flow_schema, priority_level;
  int queue = -1;
  Nanos dispatch = -1, finish = -1, release = -1;
  apf::WorkEstimate work;
};

struct LevelState {
  std::string name;
  apf::LevelRound round;
};
struct RoundRecord {
  Nanos time = 0;
  bool config = false;
  double fair_frac = 0;
  std::vector<LevelState> levels;
};

class Scenario : public apf::ControllerListener {
 public:
  explicit Scenario(element vector) : vector_(vector) {
    options_.server_concurrency_limit = static_cast<int>(std::int64_t(vector["serverConcurrencyLimit"]));
    for (element t : vector["templates"]) {
      apf::parse_request(std::string_view(t.at(0)), std::string_view(t.at(1)), requests_.emplace_back());
      REQUIRE(requests_.back().url_error.empty());
    }
    for (element u : vector["users"]) {
      apf::User& user = users_.emplace_back();
      user.name = std::string_view(u["name"]);
      for (element g : u["groups"]) user.groups.emplace_back(std::string_view(g));
    }
    for (auto [name, r] : simdjson::dom::object(vector["resources"])) {
      counts_.set(name, std::int64_t(r["objectCount"]), std::int64_t(r["avgObjectSize"]));
      watches_[std::string(name)] = std::int64_t(r["watchCount"]);
    }
    for (element a : vector["arrivals"]) {
      arrivals_.push_back({.time = std::int64_t(a.at(0)),
                           .service = std::int64_t(a.at(3)),
                           .wait_limit = std::int64_t(a.at(4)),
                           .request = std::size_t(std::int64_t(a.at(1))),
                           .user = std::size_t(std::int64_t(a.at(2)))});
    }
  }

  void run() {
    controller_ = std::make_unique<apf::Controller>(options_, *this);
    digest(0, vector_["config"]);
    const auto changes = simdjson::dom::array(vector_["changes"]);
    std::size_t next_change = 0;
    results.resize(arrivals_.size());
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      for (; next_change < changes.size() && std::int64_t(changes.at(next_change)["t_ns"]) <= arrivals_[i].time;
           ++next_change) {
        digest(std::int64_t(changes.at(next_change)["t_ns"]), changes.at(next_change));
      }
      arrive(i);
    }
    CHECK(next_change == changes.size());
    controller_->run_until(arrivals_.back().time + 25 * apf::kSecond);
    rounds_counted = rounds.size();
    controller_->drain();
    CHECK(controller_->next_event() == apf::kNever);
  }

  Nanos on_dispatch(std::uint64_t tag, Nanos now) override {
    results[tag].outcome = static_cast<int>(apf::Outcome::executed);
    results[tag].dispatch = now;
    return now + arrivals_[tag].service;
  }
  void on_refuse(std::uint64_t tag, Nanos now, apf::Outcome outcome, int retry_after) override {
    results[tag].outcome = static_cast<int>(outcome);
    if (outcome == apf::Outcome::time_out) results[tag].dispatch = now;
    CHECK(retry_after >= 1);
  }
  void on_finish(std::uint64_t tag, Nanos now) override { results[tag].finish = now; }
  void on_release(std::uint64_t tag, Nanos now) override { results[tag].release = now; }
  void on_round(const apf::Round& round) override {
    RoundRecord& record = rounds.emplace_back();
    record.time = round.time;
    record.config = round.config;
    record.fair_frac = round.fair_frac;
    for (const apf::LevelRound& level : round.levels)
      record.levels.push_back({controller_->level_name(level.level), level});
  }

  std::vector<Result> results;
  std::vector<RoundRecord> rounds;
  std::size_t rounds_counted = 0;

 private:
  void digest(Nanos now, element objects) {
    const apf::Config config = config_of(objects);
    controller_->digest(now, config);
    classifier_ = std::make_unique<apf::Classifier>(config);
  }

  std::int64_t watches_of(const apf::RequestInfo& info) const {
    if (apf::interested_keys(info).count == 0) return 0;
    const auto found = watches_.find(info.api_group.empty() ? info.resource : info.resource + "." + info.api_group);
    return found == watches_.end() ? 0 : found->second;
  }

  void arrive(std::size_t i) {
    const Arrival& a = arrivals_[i];
    const apf::ParsedRequest& request = requests_[a.request];
    const apf::User& user = users_[a.user];
    const auto match = classifier_->match(request.info, user);
    const auto& schema = classifier_->schemas()[match.schema];
    const auto& level = classifier_->levels()[schema.level];

    apf::Ticket ticket;
    ticket.tag = i;
    ticket.level = controller_->level_id(level.name);
    if (level.uses_flows())
      ticket.flow_hash = apf::flow_hash(schema.name, classifier_->distinguisher(match.schema, request.info, user));
    ticket.work =
        apf::estimate_work(&request.info, request.query, counts_.find(request.info.api_group, request.info.resource),
                           watches_of(request.info), controller_->limits(ticket.level).max_seats, rules_);
    if (a.wait_limit >= 0) ticket.wait_deadline = a.time + a.wait_limit;
    results[i].flow_schema = schema.name;
    results[i].priority_level = level.name;
    results[i].work = ticket.work;
    results[i].queue = controller_->arrive(a.time, ticket);
  }

  element vector_;
  apf::ControllerOptions options_;
  std::unique_ptr<apf::Controller> controller_;
  std::unique_ptr<apf::Classifier> classifier_;
  std::vector<apf::ParsedRequest> requests_;
  std::vector<apf::User> users_;
  std::vector<Arrival> arrivals_;
  apf::ObjectCounts counts_;
  std::unordered_map<std::string, std::int64_t> watches_;
  apf::SeatRules rules_ = apf::SeatRules::of(apf::kNewestKubeVersion);
};

void check_result(const Result& result, element expected) {
  CHECK(result.outcome == std::int64_t(expected.at(0)));
  CHECK(result.flow_schema == std::string_view(expected.at(1)));
  CHECK(result.priority_level == std::string_view(expected.at(2)));
  CHECK(result.queue == std::int64_t(expected.at(3)));
  CHECK(result.dispatch == std::int64_t(expected.at(4)));
  CHECK(result.finish == std::int64_t(expected.at(5)));
  CHECK(result.release == std::int64_t(expected.at(6)));
  CHECK(result.work.initial_seats == std::int64_t(expected.at(7)));
  CHECK(result.work.final_seats == std::int64_t(expected.at(8)));
  CHECK(result.work.additional_latency == std::int64_t(expected.at(9)));
}

void check_round(const RoundRecord& round, element expected) {
  INFO("round at " << round.time);
  CHECK(round.time == std::int64_t(expected["t_ns"]));
  CHECK((round.config ? "config" : "borrow") == std::string_view(expected["kind"]));
  CHECK(std::abs(round.fair_frac - double(expected["fairFrac"])) <= 1e-9 * std::max(1.0, std::abs(round.fair_frac)));
  std::size_t i = 0;
  for (element level : expected["levels"]) {
    REQUIRE(i < round.levels.size());
    const LevelState& got = round.levels[i++];
    INFO("level " << got.name);
    CHECK(got.name == std::string_view(level["name"]));
    CHECK(got.round.nominal_cl == std::int64_t(level["nominalCL"]));
    CHECK(got.round.min_cl == std::int64_t(level["minCL"]));
    CHECK(got.round.max_cl == std::int64_t(level["maxCL"]));
    CHECK(got.round.current_cl == std::int64_t(level["currentCL"]));
    CHECK(got.round.high_watermark == double(level["highWatermark"]));
    CHECK(got.round.avg == double(level["avg"]));
    CHECK(got.round.stdev == double(level["stdev"]));
    CHECK(got.round.smoothed == double(level["smoothed"]));
  }
  CHECK(i == round.levels.size());
}

}  // namespace

TEST_CASE("controller vectors", "[conformance][schedule][controller]") {
  simdjson::dom::parser parser;
  for (const std::string& text : apf::test::read_vectors("controller.jsonl")) {
    const element vector = parser.parse(text);
    INFO("scenario " << std::string_view(vector["name"]));
    Scenario scenario(vector);
    scenario.run();
    std::size_t i = 0;
    for (element expected : vector["results"]) {
      INFO("request " << i);
      REQUIRE(i < scenario.results.size());
      check_result(scenario.results[i++], expected);
    }
    CHECK(i == scenario.results.size());
    std::size_t r = 0;
    for (element expected : vector["rounds"]) {
      REQUIRE(r < scenario.rounds_counted);
      check_round(scenario.rounds[r++], expected);
    }
    CHECK(r == scenario.rounds_counted);
  }
}
