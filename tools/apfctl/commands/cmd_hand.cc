// apfctl hand: which queues a flow may use, and the odds that other flows fill them all.

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>

#include <apf/classify.h>
#include <apf/error.h>
#include <apf/hand.h>
#include <apf/output.h>
#include <apf/report.h>

#include "commands/hand_flows.h"
#include "commands/hand_odds.h"
#include "flags/damaged_logs.h"
#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/settings_flags.h"
#include "flags/user_shorthand.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/suggest.h"

namespace apfctl {

namespace {

constexpr std::int64_t kMostElephants = 100'000;

struct HandFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  SettingsFlags settings;
  std::string queues, hand_size, level, elephants, batch, flows_of;
  std::vector<std::string> users, flows, hashes;
  bool table = false;
};

struct Deck {
  int queues = 0, hand_size = 0;
};

void declare(CommandLine& line, HandFlags& flags) {
  line.synopsis("hand [USER]... [--queues N --hand-size H | --level L] [--flow FS/DISTINGUISHER]... [FLAG]...");
  line.about(
      "Which queues does a flow get, and how likely do others fill them all?",
      "Deals hands as kube-apiserver does: shows the queues that a flow may use, in the order dealt, from the SHA-256 "
      "hash of the FlowSchema's name and the flow distinguisher. With --elephants, shows the probability that heavy "
      "flows fill every queue in a small flow's hand, if hands are dealt uniformly and independently. Without USER, "
      "--flow, --hash, --batch and --table, shows only these odds. USER: sa:NS/NAME, node:NAME or a name, with each "
      "FlowSchema that gives this user a flow.");
  line.example("the hand of a service account", "apfctl hand sa:ci/builder");
  line.example("are 256 queues worth it?", "apfctl hand --queues 256 --hand-size 6 --elephants 1,4,16");
  line.example("which flows of a log share queues?",
               "apfctl hand --level workload-low --log examples/incident/audit.log.gz");
  line.refuse("--flows-of", "is --log now");
  line.heading("Hands");
  line.option(
      "--queues", flags.queues, "N",
      "Number of queues of the level; with --table also lists and ranges, such as 64-1024 (doubling) or 50,100.");
  line.option("--hand-size", flags.hand_size, "H",
              "Number of queues in a hand; with --table also lists and ranges, such as 4-8.");
  line.option("--level", flags.level, "NAME",
              "Take both numbers from this priority level of the configuration (default: the level that each "
              "FlowSchema names).");
  line.choices("--level", built_in_levels());
  line.list(
      "--flow", flags.flows, "FS/DISTINGUISHER",
      "A flow: its FlowSchema, a slash, and the user (also sa:NS/NAME, node:NAME) or namespace that distinguishes it. "
      "Repeatable.");
  line.list("--hash", flags.hashes, "V", "A flow, by its 64-bit hash. Repeatable.");
  line.option("--batch", flags.batch, "FILE",
              "Answer each line of FILE (- = standard input): a JSON object with queues, handSize, and either "
              "flowSchema and flowDistinguisher, or hash.");
  line.option("--log", flags.flows_of, "LOG",
              "With --level: the flows of this log at that level, which of them share queues, and the odds for that "
              "number of flows.");
  line.option("--elephants", flags.elephants, "N[,N]...",
              "Numbers of heavy flows to show the odds for (default 1,4,16).");
  line.flag("--table", flags.table,
            "Show the odds as a table: for all pairs of --queues and --hand-size, by default the rows of the table in "
            "the Kubernetes documentation.");
  flags.config.declare(line);
  flags.release.declare(line);
  flags.settings.declare(line);
  flags.output.declare(line, {"text", "json", "markdown", "html", "wide"});
  flags.console.declare(line);
}

std::vector<int> parse_elephants(const std::string& text) {
  std::vector<int> numbers;
  std::string_view rest = text.empty() ? "1,4,16" : std::string_view(text);
  for (;;) {
    const std::size_t comma = rest.find(',');
    numbers.push_back(static_cast<int>(parse_int("--elephants", rest.substr(0, comma), 1, kMostElephants)));
    if (comma == std::string_view::npos) return numbers;
    rest.remove_prefix(comma + 1);
  }
}

void check_deck(const Deck& deck) {
  const std::string fault = apf::dealer_error(deck.queues, deck.hand_size);
  if (!fault.empty())
    throw apf::Error(fmt::format("cannot deal hands of {} from {} queues: {}", deck.hand_size, deck.queues, fault));
}

// The queues of a level. Throws if the level has none.
Deck deck_of(const apf::Config& config, const std::string& level_name) {
  std::vector<std::string> names;
  for (const apf::PriorityLevel& level : config.priority_levels) {
    names.push_back(level.meta.name);
    if (level.meta.name != level_name) continue;
    const bool queues =
        level.type == "Limited" && level.limited && level.limited->limit_response == "Queue" && level.limited->queuing;
    if (!queues) throw apf::Error("priority level " + level_name + " has no queues");
    if (const std::string fault = apf::malformed_reason(level); !fault.empty())
      throw apf::Error("priority level " + level_name + " deals no hands: " + fault);
    return {level.limited->queuing->queues, level.limited->queuing->hand_size};
  }
  throw apf::Error("there is no priority level " + level_name + did_you_mean(level_name, names));
}

// Where the queue numbers come from: flags, a level, or the level that each FlowSchema names.
class DeckSource {
 public:
  // False: the configuration has errors.
  bool prepare(const HandFlags& flags) {
    const bool by_numbers = !flags.queues.empty() || !flags.hand_size.empty();
    if (by_numbers && !flags.level.empty()) throw UsageError("use either --level, or --queues and --hand-size");
    if (by_numbers) {
      if (flags.queues.empty() || flags.hand_size.empty())
        throw UsageError("--queues and --hand-size must be used together");
      fixed_ = Deck{static_cast<int>(parse_int("--queues", flags.queues, INT32_MIN, INT32_MAX)),
                    static_cast<int>(parse_int("--hand-size", flags.hand_size, INT32_MIN, INT32_MAX))};
      check_deck(*fixed_);
      if (flags.users.empty()) return true;
    }
    config_ = flags.config.load(flags.console, flags.release);
    if (!config_) return false;
    warnings_ = remarks_about(*config_, flags.release);
    if (!flags.level.empty()) fixed_ = deck_of(*config_, flags.level);
    return true;
  }
  const apf::Config& config() const { return *config_; }
  Setup setup(const HandFlags& flags) const {
    Setup out;
    if (!flags.flows_of.empty()) out.emplace_back("Log", apf::printable(flags.flows_of));
    if (config_) out.emplace_back("Configuration", flags.config.origin(*config_, flags.release));
    return out;
  }
  // About the configuration; none where the numbers are given.
  const std::vector<apf::Remark>& warnings() const { return warnings_; }
  bool fixed() const { return fixed_.has_value(); }
  Deck deck() const {
    if (!fixed_) throw UsageError("the number of queues is missing: use --queues and --hand-size, or --level");
    return *fixed_;
  }
  Deck deck_for(const std::string& flow_schema) const {
    if (fixed_) return *fixed_;
    std::vector<std::string> names;
    for (const apf::FlowSchema& schema : config_->flow_schemas) {
      names.push_back(schema.meta.name);
      if (schema.meta.name == flow_schema) return deck_of(*config_, schema.priority_level);
    }
    throw apf::Error("there is no FlowSchema " + flow_schema + did_you_mean(flow_schema, names) +
                     " (use --level, or --queues and --hand-size)");
  }

 private:
  std::optional<Deck> fixed_;
  std::optional<apf::Config> config_;
  std::vector<apf::Remark> warnings_;
};

apf::FlowHand dealt(apf::FlowHand hand, const Deck& deck) {
  hand.queues = deck.queues;
  hand.hand_size = deck.hand_size;
  hand.hand = apf::deal_hand(hand.hash, deck.queues, deck.hand_size);
  return hand;
}

// A namespace has no colon: what has one is a user, by its name or a short one.
std::string distinguisher_of(const std::string& text) {
  return text.find(':') == std::string::npos ? text : user_of_shorthand("--flow", text, {}).name;
}

// Whatever the user asks for.
bool may_take(apf::FlowSchema schema, const apf::User& user) {
  for (apf::PolicyRule& rule : schema.rules) rule.resource_rules = {{{"*"}, {"*"}, {"*"}, {"*"}, true}};
  return apf::matches_flow_schema(schema, apf::name_request("list", "pods", "", "").request.info, user);
}

// The user's flows: of each FlowSchema that distinguishes users, up to the first that takes all resources from them.
std::vector<std::string> flows_of_user(const std::string& text, const apf::Config& config, const Console& console) {
  apf::User user = user_of_shorthand("USER", text, {});
  note_meant_user(config, user, console);
  apf::add_implied_groups(user);
  std::vector<std::string> out;
  const apf::RequestInfo cluster_wide = apf::name_request("list", "pods", "", "").request.info;
  const apf::Classifier classifier(config);
  for (const apf::Classifier::Schema& schema : classifier.schemas()) {
    if (!may_take(schema.object, user)) continue;
    if (schema.effective == apf::Classifier::Schema::Distinguisher::by_user)
      out.push_back(schema.name + "/" + user.name);
    if (apf::matches_flow_schema(schema.object, cluster_wide, user)) break;
  }
  if (out.empty()) throw apf::Error("no FlowSchema gives " + apf::printable(user.name) + " a flow of its own");
  return out;
}

std::vector<apf::FlowHand> deal_all(const HandFlags& flags, const DeckSource& source) {
  std::vector<apf::FlowHand> hands;
  std::vector<std::string> flows = flags.flows;
  for (const std::string& user : flags.users)
    for (std::string& flow : flows_of_user(user, source.config(), flags.console)) flows.push_back(std::move(flow));
  for (const std::string& flow : flows) {
    apf::FlowHand hand;
    const std::size_t slash = flow.find('/');
    hand.has_flow = true;
    hand.flow_schema = flow.substr(0, slash);
    if (slash != std::string::npos) hand.flow_distinguisher = distinguisher_of(flow.substr(slash + 1));
    hand.hash = apf::flow_hash(hand.flow_schema, hand.flow_distinguisher);
    hands.push_back(dealt(std::move(hand), source.deck_for(flow.substr(0, slash))));
  }
  for (const std::string& text : flags.hashes) {
    apf::FlowHand hand;
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
      throw UsageError("--hash: '" + apf::printable(text) + "' is not a 64-bit number in decimal");
    }
    errno = 0;
    hand.hash = std::strtoull(text.c_str(), nullptr, 10);
    if (errno == ERANGE) throw UsageError("--hash: " + text + " does not fit into 64 bits");
    hands.push_back(dealt(std::move(hand), source.deck()));
  }
  return hands;
}

void add_hand(apf::Document& out, const apf::FlowHand& hand) {
  apf::Passage& of = out.section();
  if (hand.has_flow) {
    of.fact("FlowSchema   ", hand.flow_schema);
    of.fact("Flow         ",
            hand.flow_distinguisher.empty() ? "(all requests of the FlowSchema)" : hand.flow_distinguisher);
  }
  of.fact("Hash         ", std::to_string(hand.hash));
  std::string queues;
  for (const std::uint32_t queue : hand.hand) queues += (queues.empty() ? "" : " ") + std::to_string(queue);
  of.fact("Hand         ", queues, fmt::format("({} of {} queues)", hand.hand_size, hand.queues));
}

int answer_batch(const HandFlags& flags) {
  if (flags.output.targets.size() != 1) throw UsageError("--batch supports only one output (-o)");
  if (!flags.output.given.empty() && flags.output.targets[0].format != "json")
    throw UsageError("--batch supports only -o json");
  LineReader reader(flags.batch);
  Output out(flags.output.targets[0].file);
  std::size_t lines = 0, bad = 0;
  std::string error;
  for (std::string_view line; !out.closed_pipe(); ++lines) {
    if (!reader.has_line()) out.flush();  // a caller may wait for this answer before it writes the next line
    if (!reader.next(line)) break;
    const std::optional<apf::FlowHand> hand = apf::parse_hand_line(line, error);
    if (hand) {
      out.write(apf::render_json(*hand) + "\n");
    } else {
      apf::JsonWriter json;
      json.begin_object().field("error", error).end_object();
      out.write(json.str() + "\n");
      ++bad;
    }
  }
  out.close();
  if (bad > 0)
    flags.console.warn(
        fmt::format("{} of {} lines of {} are invalid", grouped(bad), grouped(lines), apf::printable(flags.batch)));
  return bad > 0 && bad == lines ? kUsageOrInput : 0;
}

int show_table(const HandFlags& flags) {
  const std::vector<int> elephants = parse_elephants(flags.elephants);
  const OddsTable table = odds_table(flags.queues, flags.hand_size, elephants);
  write_report(
      flags.output, flags.console, [&](const apf::View& view) { return document_of(table, view); },
      [&] {
        std::string out;
        for (const apf::CollisionOdds& odds : table.rows) out += (out.empty() ? "" : "\n") + apf::render_json(odds);
        return out;
      });
  if (table.impossible > 0)
    flags.console.note(fmt::format("no hand can be dealt of {} {} of these numbers", grouped(table.impossible),
                                   table.impossible == 1 ? "pair" : "pairs"));
  return 0;
}

}  // namespace

int cmd_hand(CommandLine& line) {
  HandFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  flags.users = line.arguments(0, CommandLine::kAnyNumber, "USER");
  for (const std::string& user : flags.users)
    if (!meant_file(line, user).empty())
      throw UsageError(apf::printable(user) + " is a file or folder here: name a user, and a configuration with -f");
  flags.console.check();
  flags.output.check();
  flags.release.check();
  if (!flags.settings.read(flags.console, &flags.config.cluster)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.settings.fill(flags.config);
  if (!flags.batch.empty()) return answer_batch(flags);
  if (flags.table) return show_table(flags);
  const bool names_flows = !flags.users.empty() || !flags.flows.empty() || !flags.hashes.empty();
  if (!flags.flows_of.empty() && (flags.level.empty() || names_flows))
    throw UsageError("--log needs --level, and neither USER nor --flow nor --hash");
  DeckSource source;
  if (!source.prepare(flags)) return kUsageOrInput;
  if (!flags.flows_of.empty()) {
    const LoggedFlows flows =
        flows_of_log(flags.flows_of, source.config(), flags.level, source.deck().queues, source.deck().hand_size);
    bool partial = report_damaged_logs(flows.damaged);
    partial |= report_unclassified(flows.unclassified, flows.requests, flags.flows_of, flags.console);
    write_report(
        flags.output, flags.console, [&](const apf::View&) { return document_of(flows); },
        [&] { return with_warnings(render_json(flows), source.warnings()); }, {}, source.setup(flags));
    return partial ? kUsageOrInput : 0;
  }
  const std::vector<apf::FlowHand> hands = deal_all(flags, source);
  std::optional<apf::CollisionOdds> odds;
  if (hands.empty() || !flags.elephants.empty()) {
    const Deck deck = source.deck();
    odds = apf::collision_odds(deck.queues, deck.hand_size, parse_elephants(flags.elephants));
  }
  write_report(
      flags.output, flags.console,
      [&](const apf::View& view) {
        apf::Document out("Hands");
        for (const apf::FlowHand& hand : hands) add_hand(out, hand);
        if (odds) add_odds(out, *odds, view);
        return out;
      },
      [&] {
        std::string out;
        const auto add = [&](const std::string& json) {
          out += (out.empty() ? "" : "\n") + with_warnings(json, source.warnings());
        };
        for (const apf::FlowHand& hand : hands) add(apf::render_json(hand));
        if (odds) add(apf::render_json(*odds));
        return out;
      },
      {}, source.setup(flags));
  return 0;
}

}  // namespace apfctl
