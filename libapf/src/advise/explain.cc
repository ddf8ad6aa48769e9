// explain_by_replay(): a cause is what the replay does without it, a cure what it does with it.
#include <apf/advise.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "advise/experiments.h"
#include "advise/slow_part.h"
#include "advise/suspects.h"
#include "advise/victims.h"
#include "base/parallel.h"
#include "base/rfc3339.h"
#include "base/sort_stably.h"
#include "base/thousands.h"
#include "replay/clients/retry_chains.h"
#include "replay/engine/run_options.h"
#include "replay/passes/contradiction.h"
#include "replay/passes/harm.h"

namespace apf {

namespace {

// Parts of the refusals, or of the waits where nothing is refused, that are gone in an experiment.
constexpr double kDecides = 2.0 / 3, kIsNamed = 1.0 / 3, kCures = 0.95, kMends = 0.8;
constexpr double kOwn = 0.97;          // of the refusals: a client that has them alone harms no other
constexpr std::size_t kCommon = 3;     // clients that are as much to blame as each other: none of them is
constexpr std::size_t kManyAlike = 5;  // clients that do the same: they are named before a level that is too small
constexpr double kMostOfAll = 0.9;     // of all requests: a fleet that has them is the traffic
constexpr double kWatches = 0.8;       // of a client's requests
constexpr double kShort = 0.95;        // of the server's seats that are needed on average
constexpr std::size_t kNamed = 3;
constexpr double kApart = 0.25;  // of its refusals: the experiments' replay is another one than the report's

bool has_trouble(const ReplayReport& report) {
  return std::any_of(report.levels.begin(), report.levels.end(), is_in_trouble);
}

// What is replayed: the same log of a server that is known to be the replayed one, so that it says how long requests
// ran that waited there.
ReplayOptions options_of(const ReplayOptions& given, const ReplayReport& report) {
  ReplayOptions out = without_outputs(given);
  out.all_flows = true;
  out.candidates = 0;
  out.from.reset();
  out.to.reset();
  out.server_concurrency_limit = report.server_concurrency_limit;
  out.seats_by_log = false;
  if (!out.recorded && report.undecided) out.recorded = as_recorded(out);
  return out;
}

bool allows_experiments(const ReplayOptions& replay) {
  return !why_not_prepared(replay) && !replay.in_flight && !replay.fill && can_be_read_again(replay);
}

// What follows from them.
class Explainer {
 public:
  explicit Explainer(Experiments& experiments)
      : tried_(experiments),
        users_(users_in(experiments.report())),
        candidates_(configuration_cures(experiments.options(), experiments.report())) {}
  void explain(WhyReport& out);

 private:
  using OfSuspect = Experiments::OfSuspect;
  using OfCure = Experiments::OfCure;

  WhyVerdict decide();
  bool is_slow_server();
  bool is_client(WhyVerdict& verdict);
  bool is_overload();
  // `alike`: its clients do the same, as nodes do. `least`: users.
  bool is_fleet(bool alike, std::size_t least) const;
  // Users without whom about as much is gone.
  std::size_t alike(const OfSuspect& found) const {
    return static_cast<std::size_t>(std::count_if(without_.begin(), without_.end(), [&](const OfSuspect& tried) {
      return tried.suspect->by == WhyBy::user && tried.gone >= kDecides * found.gone;
    }));
  }
  // What must be gone without a culprit: where one is behind most of it, without the next one, too.
  double least() const {
    if (out_->verdict == WhyVerdict::server) return kCures;
    const auto first = out_->culprits.empty() ? users_.end() : users_.find(out_->culprits.front().name);
    const auto is_its = [&](const LevelReport& level) { return level.exempt && level.name == first->second.level; };
    const std::vector<LevelReport>& levels = tried_.report().levels;
    // No level can hold back a client that is exempt: whom it harms with is worth a name, too.
    const bool one = out_->verdict == WhyVerdict::client && first != users_.end() &&
                     std::none_of(levels.begin(), levels.end(), is_its);
    return one || out_->verdict == WhyVerdict::configuration ? kDecides : kIsNamed;
  }
  void name_culprits();
  void name_cures();
  void add_cures(const std::vector<OfCure>& tried, double OfCure::*gone = &OfCure::gone);
  void add_client_cures();
  void add_ranges();

  bool harms_others(const Suspect& suspect) const {
    if (tried_.base().refused == 0) return suspect.requests * 2 < tried_.report().total.requests;
    if (static_cast<double>(suspect.refused) < kOwn * static_cast<double>(tried_.base().refused)) return true;
    return suspect.by == WhyBy::user && std::any_of(users_.begin(), users_.end(), [&](const auto& user) {
             return user.first != suspect.name && user.second.longest >= kSecond;
           });
  }
  // Each is tried once, when it is first asked for.
  const std::vector<OfCure>& fields();         // each changed alone
  const std::vector<OfCure>& configuration();  // and several together
  const std::vector<OfCure>& seats() {
    if (!seats_) seats_ = tried_.try_all(seat_cures(tried_.options()));
    return *seats_;
  }
  const Doings& doings(const Suspect& suspect) {
    const auto [at, is_new] = doings_.try_emplace(&suspect);
    if (is_new) at->second = doings_of(suspect, tried_.log(), tried_.options(), tried_.report(), tried_.covers());
    return at->second;
  }
  // A level that rejects, or a FlowSchema that leads to catch-all, and little is refused without that.
  bool is_mistake() {
    return std::any_of(candidates_.begin(), candidates_.end(), [](const auto& one) { return one.is_mistake; }) &&
           std::any_of(fields().begin(), fields().end(),
                       [](const OfCure& cure) { return cure.candidate.is_mistake && cure.gone >= kMends; });
  }
  static bool any_cures(const std::vector<OfCure>& tried, double OfCure::*gone = &OfCure::gone) {
    return std::any_of(tried.begin(), tried.end(), [&](const OfCure& cure) { return cure.*gone >= kCures; });
  }
  // The first of that kind, where it decides.
  template <class IsKind>
  const OfSuspect* best(const IsKind& is_kind) const {
    for (const OfSuspect& tried : without_)
      if (is_kind(*tried.suspect)) return tried.gone >= kDecides ? &tried : nullptr;
    return nullptr;
  }
  static WhyFigure exactly(const Experiments::Result& result) {
    return {result.refused, result.refused, result.refused};
  }

  Experiments& tried_;
  const std::map<std::string, UserFigures> users_;
  const std::vector<CureCandidate> candidates_;  // each changes one field
  std::vector<Suspect> suspects_;
  std::vector<OfSuspect> without_;
  std::optional<std::vector<OfCure>> fields_, configuration_, seats_;
  std::map<const Suspect*, Doings> doings_;
  std::vector<const Suspect*> blamed_;  // as WhyReport::culprits
  bool by_user_ = false;                // the verdict is about one client
  WhyReport* out_ = nullptr;
};

// All requests, or kinds of them where nearly nothing is left of the refusals if they run as before. Where all requests
// explain no more than a part, nothing else is decided: while the server is slow, all clients look guilty.
bool Explainer::is_slow_server() {
  constexpr double kNearlyAll = 0.8;
  std::optional<WhyCure> part;
  for (const SlowPart& slow : find_slow_parts(tried_.log(), tried_.options(), tried_.covers())) {
    const bool is_of_kinds = !slow.request.empty();
    const Experiments::Result before = tried_.replay([&](JoinedEvent& joined) {
      PreparedEvent& event = joined.event;
      if (!tried_.is_covered(joined)) return false;
      if (joined.kind == JoinedEvent::Kind::request && event.execution != kNoTime)
        event.execution = static_cast<Nanos>(static_cast<double>(event.execution) / slow.times_of(event));
      return true;
    });
    const double gone = tried_.gone(before);
    if (gone < (is_of_kinds ? kNearlyAll : kIsNamed)) continue;
    WhyCure cure{WhyCureKind::server, is_of_kinds ? slow.request : "kube-apiserver", "execution times",
                 fmt::format("{:.1f}x", slow.times), "as before"};
    cure.refused_with = exactly(before);
    cure.wait_with = before.wait;
    const std::vector<SlowPart::Stretch> stretches = slow.all_stretches();
    const std::string more = times_again(stretches);
    if (gone >= kDecides) {
      out_->cures = {std::move(cure)};
      out_->from = stretches.front().from, out_->to = stretches.front().to;
      out_->slower = slow.times;
      out_->open = more;
      return true;
    }
    out_->open =
        fmt::format("from {} to {} requests of all levels took {:.1f} times as long{}, which explains only a part",
                    clock_of(stretches.front().from), clock_of(stretches.front().to), slow.times,
                    more.empty() ? more : ", and " + more);
    part = std::move(cure);
  }
  if (part) out_->cures = {std::move(*part)};
  return part.has_value();
}

// One client: it harms others, or itself only because it does not wait as it is told, or no configuration helps it.
bool Explainer::is_client(WhyVerdict& verdict) {
  const OfSuspect* const found = best([](const Suspect& suspect) { return suspect.by == WhyBy::user; });
  if (!found) return false;
  tried_.set_apart(found->suspect->name);
  const Doings& does = doings(*found->suspect);
  const bool misbehaves = 2 * does.early > found->suspect->requests;
  if (!misbehaves && (is_mistake() || (!harms_others(*found->suspect) && any_cures(fields())))) return false;
  if (alike(*found) >= kCommon && (is_overload() || any_cures(fields()))) return false;
  verdict = does.watches >= kWatches ? WhyVerdict::watches : WhyVerdict::client;
  by_user_ = true;
  return true;
}

// The demand of all levels: what was refused would have run as long as the rest.
bool Explainer::is_overload() {
  const ReplayReport& report = tried_.report();
  const double span = static_cast<double>(report.last_arrival.value_or(0) - report.first_arrival.value_or(0)) / 1e9;
  if (span <= 0) return false;
  double needed = 0;
  for (const LevelReport& level : report.levels) {
    const auto ran = static_cast<double>(level.tally.executed());
    if (ran > 0) needed += level.tally.seat_seconds * static_cast<double>(level.tally.requests) / ran;
  }
  out_->seats_needed = needed / span;
  return out_->seats_needed >= kShort * out_->seats;
}

bool Explainer::is_fleet(bool alike, std::size_t least) const {
  // Several programs that are as much to blame as each other are the traffic.
  std::set<std::optional<std::uint32_t>> agents;
  for (const OfSuspect& tried : without_)
    if (tried.suspect->by == WhyBy::user_agent && tried.gone >= kDecides) agents.insert(tried.suspect->agent);
  if (alike && agents.size() >= kCommon) return false;
  return best([&](const Suspect& suspect) {
           const bool is_alike = suspect.by == WhyBy::user_agent || suspect.name == kAllNodes;
           return (suspect.by == WhyBy::fleet || suspect.by == WhyBy::user_agent) && !suspect.second &&
                  is_alike == alike && suspect.users >= least &&
                  static_cast<double>(suspect.requests) <
                      kMostOfAll * static_cast<double>(tried_.report().total.requests);
         }) != nullptr;
}

WhyVerdict Explainer::decide() {
  WhyVerdict verdict = WhyVerdict::undecided;
  if (is_slow_server()) return out_->slower > 0 ? WhyVerdict::server : WhyVerdict::undecided;
  if (is_client(verdict)) return verdict;
  if (best([](const Suspect& suspect) { return suspect.watches; })) return WhyVerdict::watches;
  if (best([](const Suspect& suspect) { return suspect.second.has_value(); })) return WhyVerdict::herd;
  if (is_mistake()) return WhyVerdict::configuration;
  if (is_fleet(true, kManyAlike)) return WhyVerdict::fleet;
  if (is_overload()) return WhyVerdict::overload;
  if (any_cures(configuration())) return WhyVerdict::configuration;
  if (is_fleet(true, kCommon) || is_fleet(false, 0)) return WhyVerdict::fleet;
  if (any_cures(seats())) return WhyVerdict::overload;
  out_->open = "no client, no kind of requests and no change of a level stands out";
  return verdict;
}

// Those without which a third is gone; a fleet only where it is more than its members.
void Explainer::name_culprits() {
  // While the server is slow, each busy client has a part of the waits, and of a few refusals by chance.
  constexpr std::uint64_t kFew = 10;
  const bool is_slow = !out_->cures.empty();
  if (is_slow && (out_->verdict == WhyVerdict::undecided || tried_.base().refused < kFew)) return;
  if (is_slow && !without_.empty() && alike(without_.front()) >= kCommon) return;
  // Whom a wrong configuration hurts is no cause of it, nor is one of several that are as much to blame as each other.
  const bool is_configuration = out_->verdict == WhyVerdict::configuration;
  if (is_configuration && !without_.empty() &&
      (without_.front().gone < kDecides || alike(without_.front()) >= kCommon || is_mistake()))
    return;
  const bool of_one = out_->verdict == WhyVerdict::client || out_->verdict == WhyVerdict::server ||
                      out_->verdict == WhyVerdict::overload;
  for (const OfSuspect& tried : without_) {
    const Suspect& suspect = *tried.suspect;
    // Where all is too much, or too slow, each client is a part of it.
    const std::size_t most = out_->verdict == WhyVerdict::server || out_->verdict == WhyVerdict::overload ? 1 : kNamed;
    if (blamed_.size() == most || tried.gone < least()) break;
    if (!blamed_.empty() && of_one && least() == kDecides && alike(tried) >= kCommon) continue;
    if (!blamed_.empty() && !harms_others(suspect)) continue;  // what it has is gone with it, no more
    if (suspect.by == WhyBy::flow_schema || (suspect.by == WhyBy::request && !suspect.watches)) continue;
    if (of_one && suspect.by != WhyBy::user) continue;
    const bool fits = out_->verdict == WhyVerdict::herd ? suspect.second.has_value()
                      : out_->verdict == WhyVerdict::watches
                          ? (suspect.watches && !by_user_) || suspect.by == WhyBy::user
                      : out_->verdict == WhyVerdict::fleet ? suspect.by != WhyBy::user && !suspect.second
                                                           : suspect.by == WhyBy::user && harms_others(suspect);
    if (!of_one && !fits) continue;
    WhyCulprit& culprit = out_->culprits.emplace_back();
    culprit = {suspect.by, suspect.name,     suspect.requests, suspect.seat_seconds, doings(suspect).words,
               {},         tried.result.wait};
    culprit.refused_without = exactly(tried.result);
    blamed_.push_back(&suspect);
  }
}

void Explainer::add_cures(const std::vector<OfCure>& tried, double OfCure::*gone) {
  std::set<std::pair<std::string, std::string>> fields;
  // Where none cures, the one that helps most.
  const auto best =
      std::max_element(tried.begin(), tried.end(), [&](const OfCure& a, const OfCure& b) { return a.*gone < b.*gone; });
  const double least = tried.empty() || (*best).*gone >= kCures ? kCures : std::max(kIsNamed, (*best).*gone);
  for (const OfCure& one : tried) {
    WhyCure cure = one.candidate.cure;
    if (one.*gone < least || out_->cures.size() == kNamed || !fields.emplace(cure.object, cure.field).second) continue;
    cure.refused_with = exactly(one.result);
    cure.wait_with = one.result.wait;
    std::uint64_t further[Experiments::kFurther] = {};
    if (!tried_.covers())
      run_tasks(std::size(further), tried_.options().threads,
                [&](std::size_t i) { further[i] = tried_.with(one.candidate, {}, 1 + static_cast<int>(i)).refused; });
    WhyFigure& figure = cure.refused_with;
    if (!tried_.covers()) {
      const auto [low, high] = std::minmax_element(std::begin(further), std::end(further));
      figure.low = std::min(figure.low, *low), figure.high = std::max(figure.high, *high);
    }
    if (figure.low > 0)
      if (const auto low = tried_.refused_at_least(one.candidate)) figure.low = std::min(*low, figure.low);
    if (gone == &OfCure::spares) cure.others_refused = one.result.others_refused;
    for (const LevelReport& level : one.result.levels)
      for (const LevelReport& before : tried_.base().levels)
        if (before.name == level.name &&
            level.tally.rejected() > before.tally.rejected() + std::max<std::uint64_t>(3, before.tally.rejected() / 10))
          cure.worse.push_back(level.name);
    out_->cures.push_back(std::move(cure));
  }
}

// The first culprit's lists take one seat each; it does not come back within a second of a refusal.
void Explainer::add_client_cures() {
  if (blamed_.empty() || out_->culprits.front().by != WhyBy::user) return;
  const Suspect& suspect = *blamed_.front();
  const Doings& does = doings(suspect);
  const auto is_its = [&](JoinedEvent& joined) {
    return joined.kind == JoinedEvent::Kind::request && suspect.takes(joined.event);
  };
  const auto add = [&](const char* field, std::uint64_t from, const char* to,
                       const Experiments::Experiment& experiment) {
    const Experiments::Result result = tried_.replay(experiment);
    if (tried_.gone(result) < kIsNamed) return;
    WhyCure& cure = out_->cures.emplace_back();
    cure = {WhyCureKind::client, suspect.name, field, std::to_string(from), to};
    cure.refused_with = exactly(result);
    cure.wait_with = result.wait;
  };
  if (does.list_seats > 1)
    add("seats of a list", static_cast<std::uint64_t>(does.list_seats), "1", [&](JoinedEvent& joined) {
      if (is_its(joined) && joined.event.seat_kind == SeatKind::list) joined.event.list_seats = 1;
      if (is_its(joined) && joined.event.has_fixed_seats) joined.event.fixed.initial_seats = 1;
      return tried_.is_covered(joined);
    });
  if (does.early > 0)
    add("repeats within a second", does.early, "0", [&, chains = RetryChains()](JoinedEvent& joined) mutable {
      return tried_.is_covered(joined) && !(is_its(joined) && chains.add(joined.event).gap);
    });
}

const std::vector<Experiments::OfCure>& Explainer::fields() {
  if (!fields_) fields_ = tried_.try_all(candidates_);
  return *fields_;
}

// Where no field cures, the one that helps most is tried together with each other of its level, and so once more.
const std::vector<Experiments::OfCure>& Explainer::configuration() {
  constexpr int kMostFields = 3;
  if (configuration_) return *configuration_;
  std::vector<OfCure>& out = configuration_.emplace(fields());
  const std::vector<OfCure>& alone = fields();
  for (int fields = 2; fields <= kMostFields && !any_cures(out); ++fields) {
    const auto best =
        std::max_element(out.begin(), out.end(), [](const OfCure& a, const OfCure& b) { return a.gone < b.gone; });
    if (best == out.end() || best->gone < kIsNamed) break;
    std::vector<CureCandidate> both;
    for (const OfCure& other : alone)
      if (std::optional<CureCandidate> one = both_cures(tried_.options(), best->candidate, other.candidate))
        both.push_back(std::move(*one));
    std::vector<OfCure> tried = tried_.try_all(std::move(both));
    std::move(tried.begin(), tried.end(), std::back_inserter(out));
  }
  if (!any_cures(out)) out = alone;  // not worth several fields
  return out;
}

void Explainer::name_cures() {
  switch (out_->verdict) {
    case WhyVerdict::client:
    case WhyVerdict::watches:
      add_client_cures();
      if (!blamed_.empty() && any_cures(fields(), &OfCure::spares)) add_cures(fields(), &OfCure::spares);
      else add_cures(configuration());
      break;
    case WhyVerdict::configuration:
    case WhyVerdict::herd:
    case WhyVerdict::fleet:
      add_cures(configuration());
      break;
    case WhyVerdict::overload:
      add_cures(seats());
      add_client_cures();
      break;
    case WhyVerdict::server:
      add_client_cures();
      break;
    default:
      break;
  }
}

// What is named, replayed a few times more with other chance.
void Explainer::add_ranges() {
  if (tried_.covers()) return;
  std::vector<std::uint64_t> refused(blamed_.size() * Experiments::kFurther);
  run_tasks(refused.size(), tried_.options().threads, [&](std::size_t i) {
    refused[i] = tried_.refused_with_chance(tried_.without(*blamed_[i / Experiments::kFurther]),
                                            1 + static_cast<int>(i % Experiments::kFurther));
  });
  for (std::size_t i = 0; i < refused.size(); ++i) {
    WhyFigure& figure = out_->culprits[i / Experiments::kFurther].refused_without;
    figure.low = std::min(figure.low, refused[i]);
    figure.high = std::max(figure.high, refused[i]);
  }
  // Without whom as much may be refused as with: chance decides there.
  for (std::size_t i = blamed_.size(); i-- > 0;) {
    if (out_->refused == 0 || out_->culprits[i].refused_without.high < out_->refused) continue;
    out_->culprits.erase(out_->culprits.begin() + static_cast<std::ptrdiff_t>(i));
    blamed_.erase(blamed_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (out_->verdict != WhyVerdict::client || !blamed_.empty()) return;
  out_->verdict = WhyVerdict::undecided;
  out_->open = "no client stands out beyond chance";
}

void Explainer::explain(WhyReport& out) {
  out_ = &out;
  out.seats = tried_.options().server_concurrency_limit;
  suspects_ = find_suspects(tried_.log(), tried_.options(), tried_.report(), tried_.covers());
  without_ = tried_.try_all(suspects_);
  out.verdict = decide();
  name_culprits();
  if (out.verdict == WhyVerdict::undecided && !blamed_.empty())
    out.open = "no client alone is behind most of it, and no change of a level cures it";
  add_ranges();
  out.victims = victims_of(users_, out.culprits);
  name_cures();
}

// Why a replay refuses less than the log, where that may be why.
std::string about_watches(const ReplayReport& report) {
  constexpr std::uint64_t kCrowd = 5;  // a fifth of the requests; or half of the refusals
  const bool many = std::any_of(report.assumptions.begin(), report.assumptions.end(), [&](const Remark& remark) {
    return remark.kind == RemarkKind::watch_init_assumed && remark.duration == 0 &&
           (remark.count.value_or(0) * kCrowd >= report.recorded.compared ||
            2 * remark.other.value_or(0) > report.recorded.refused_in_log);
  });
  return many ? "; in it watches initialize at once, and the server's own log says how long that takes" : "";
}

}  // namespace

std::optional<WhyReport> explain_by_replay(const WhyOptions& options, const ReplayReport& report) {
  const ReplayOptions& replay = options.replay;
  if (!allows_experiments(replay) || report.interrupted || report.in_flight || report.summed > 0) return std::nullopt;
  WhyReport out;
  out.refused = report.total.outcomes.refused(AdmissionStage::apf);
  out.wait = report.total.wait.sum();
  if (!has_trouble(report)) return out;
  const auto leave_open = [&](const std::string& why) {
    out.verdict = WhyVerdict::undecided;
    out.open = why;
    return out;
  };
  const std::string contradiction = "the log contradicts this replay";
  if (const auto against = std::find_if(report.warnings.begin(), report.warnings.end(), is_contradiction);
      against != report.warnings.end()) {
    if (against->kind == RemarkKind::log_contradicts_at_end)
      return leave_open("the log ends amid its refusals or waits, and lacks the requests that still waited or ran");
    return leave_open(contradiction + (against->count > against->other ? about_watches(report) : std::string()));
  }
  Experiments experiments(options_of(replay, report), options.most_requests);
  if (experiments.part()) std::tie(out.from, out.to) = *experiments.part();
  const auto refused = static_cast<double>(out.refused), again = static_cast<double>(experiments.base().refused);
  out.refused = experiments.base().refused;
  out.wait = experiments.base().wait;
  const bool is_another =
      !experiments.part() && !report.undecided && std::abs(again - refused) > std::max(10.0, kApart * refused);
  if (is_another || (!differs_from_log(experiments.options()) && contradicts_log(experiments.report())))
    return leave_open(contradiction);
  if (!has_trouble(experiments.report()))
    return leave_open("it depends on how long requests ran, which the log leaves open");
  Explainer(experiments).explain(out);
  out.replays = experiments.replays();
  return out;
}

std::optional<WhyReport> explain_by_replay(const WhyOptions& options) {
  if (!allows_experiments(options.replay)) return std::nullopt;
  const ReplayReport report = replay(options.replay);
  std::optional<WhyReport> out = explain_by_replay(options, report);
  if (!out || out->verdict != WhyVerdict::none || report.recorded.refused_in_log == 0) return out;
  out->verdict = WhyVerdict::undecided;
  out->open = fmt::format("a replay refuses none of the {} requests that the log has refused",
                          with_thousands(report.recorded.refused_in_log)) +
              about_watches(report);
  return out;
}

}  // namespace apf
