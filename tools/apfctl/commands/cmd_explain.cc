// apfctl explain: which FlowSchema takes a request, why, and why not the others.

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include <apf/classify.h>
#include <apf/error.h>
#include <apf/log_question.h>
#include <apf/output.h>

#include "commands/explained.h"
#include "commands/uid_lookup.h"
#include "flags/audit_policy_flag.h"
#include "flags/damaged_logs.h"
#include "flags/object_counts.h"
#include "flags/options.h"
#include "flags/report_output.h"
#include "flags/request_flags.h"
#include "flags/settings_flags.h"
#include "flags/user_shorthand.h"
#include "shared/commands.h"
#include "shared/completion_words.h"
#include "shared/exit_code.h"
#include "shared/input.h"
#include "shared/output.h"
#include "shared/suggest.h"
#include "shared/terminal.h"

namespace apfctl {

namespace {

struct ExplainFlags {
  Console console;
  OutputFlags output;
  ConfigFlags config;
  ReleaseFlags release;
  SettingsFlags settings;
  InflightFlags inflight;
  AuditPolicyFlag audit_policy;
  RequestFlags request;
  std::vector<std::string> uids;
  bool allow_empty = false, nearest = false;
  std::string requests, expect, objects;
};

void declare(CommandLine& line, ExplainFlags& flags) {
  line.synopsis(
      "explain VERB RESOURCE[.GROUP][/SUBRESOURCE] [NAME] [FLAG]...\n       apfctl explain VERB RESOURCE[.GROUP]/NAME "
      "[FLAG]...\n       apfctl explain METHOD /PATH|URL [FLAG]...\n      "
      " apfctl explain --method METHOD --uri URI [FLAG]...\n       apfctl explain --requests FILE [FLAG]...\n       "
      "apfctl explain --uid UID "
      "-f PATH [FLAG]...");
  line.about(
      "Which FlowSchema takes a request, and why not the others?",
      "Shows which FlowSchema matches a request and which priority level serves it, with its flow, hash, hand of "
      "queues and seats, and why each FlowSchema consulted before does not match. Does not contact a cluster.");
  line.example("which FlowSchema and which queues does this request get?",
               "apfctl explain list pods -n ci --as system:serviceaccount:ci:builder");
  line.example(
      "does the new FlowSchema match its requests? (exits 1 if not)",
      "apfctl explain list pods -A --as sa:shop/order-sync --expect order-sync -f examples/amok-controller/after.yaml");
  line.example("which path does what, for whom?",
               "apfctl explain get /metrics --as system:serviceaccount:monitoring:prometheus");
  line.refuse("--all", "is -o wide now");
  line.heading("Request");
  flags.request.declare(line);
  line.option("--requests", flags.requests, "FILE",
              "Read many requests (- = standard input): trace lines, audit events, RequestInfo dumps as in "
              "KEP-1040, or lines such as 'list pods -n ci --as alice'. Prints one line for each.");
  line.list("--uid", flags.uids, "UID",
            "Instead of a request: which object has this UID? As in the headers X-Kubernetes-PF-FlowSchema-UID and "
            "X-Kubernetes-PF-PriorityLevel-UID of an answer; the configuration must have UIDs. Repeatable.");
  line.heading("Answer");
  line.flag("--nearest", flags.nearest,
            "For each FlowSchema, show the field with the smallest change that would make it match.");
  line.option("--expect", flags.expect, "FS[/LEVEL]",
              "Exit 1 unless this FlowSchema (and priority level) gets the request.");
  line.choices("--expect", built_in_schemas());
  line.argument_choices(request_words());
  line.flag("--allow-empty", flags.allow_empty,
            "With --requests: accept an incomplete log. Without it, --expect exits 2 if a request cannot be "
            "classified or the compressed data is damaged.");
  line.option("--objects", flags.objects, "FILE",
              "Object counts, which determine the seats of list requests: lines such as pods=1234[,bytes], or a scrape "
              "of the server's /metrics.");
  flags.audit_policy.declare(line);
  flags.config.declare(line);
  flags.release.declare(line);
  flags.inflight.declare(line);
  flags.settings.declare(line);
  flags.output.declare(line, {"text", "json", "markdown", "html", "wide"});
  flags.console.declare(line);
}

// How the answer differs from FS or FS/LEVEL; empty if it does not.
std::string unmet(const std::string& expect, const apf::Explanation& e) {
  const std::size_t slash = expect.find('/');
  const bool schema_met = expect.substr(0, slash) == e.flow_schema;
  if (schema_met && (slash == std::string::npos || expect.substr(slash + 1) == e.priority_level)) return {};
  return fmt::format(
      "expected {}, got {}", apf::printable(expect),
      apf::printable(slash == std::string::npos ? e.flow_schema : e.flow_schema + "/" + e.priority_level));
}

// A hint if --expect names no FlowSchema.
std::string hint(const std::string& expect, const Explainer& explainer) {
  std::vector<std::string> names;
  const std::string wanted = expect.substr(0, expect.find('/'));
  for (const apf::Classifier::Schema& schema : explainer.classifier().schemas()) {
    if (schema.name == wanted) return {};
    names.push_back(schema.name);
  }
  const std::string near = apf::nearest_name(wanted, names);
  return " (no FlowSchema is named " + apf::printable(wanted) +
         (near.empty() ? ")" : "; did you mean '" + near + "'?)");
}

std::string error_json(const std::string& error) {
  apf::JsonWriter json;
  json.begin_object().field("error", error).end_object();
  return json.take();
}

int explain_one(const ExplainFlags& flags, const Explainer& explainer, const AskedRequest& asked) {
  const std::string& error = asked.request.error();
  if (!error.empty()) {
    flags.output.write(flags.console, [&](const std::string& format, const apf::TextStyle&) {
      return format == "json" ? error_json(error) + "\n" : std::string();
    });
    throw apf::Error(apf::printable(asked.uri) + ": " + error);
  }
  Explainer::Answer answer = explainer.explain(asked.request.info, asked.request.query, asked.user);
  answer.notes.insert(answer.notes.begin(), asked.notes.begin(), asked.notes.end());
  answer.assumptions = asked.assumptions;
  write_report(
      flags.output, flags.console,
      [&](const apf::View& view) {
        const TraceShown shown = flags.nearest      ? TraceShown::nearest
                                 : !view.is_brief() ? TraceShown::all
                                                    : TraceShown::until_match;
        return document_of(asked.request.info, asked.user, answer, explainer,
                           {asked.method, asked.uri, asked.implied, shown, view.notation != apf::Notation::text});
      },
      [&] { return render_json(asked.request.info, asked.user, answer, explainer); });
  if (flags.expect.empty()) return 0;
  const std::string difference = unmet(flags.expect, answer.explanation);
  if (difference.empty()) return 0;
  write_stderr("apfctl explain: " + difference + hint(flags.expect, explainer) + "\n");
  return kNotOk;
}

// What the answer to a line of words assumes, after `asked` of all.
std::vector<Assumption> assumptions_of(const apf::LoggedRequest& logged, const apf::User& admin,
                                       const std::vector<Assumption>& asked) {
  std::vector<Assumption> out = asked;
  if (!logged.as) return out;
  const auto assume = [&](std::optional<Assumption> assumption) {
    if (assumption) out.push_back(std::move(*assumption));
  };
  if (logged.as->empty()) assume(user_not_named());
  assume(administrator_meant(*logged.as, admin));
  assume(name_missing(logged.request.info));
  return out;
}

int explain_many(const ExplainFlags& flags, const Explainer& explainer, const AskedRequest& asked) {
  if (flags.output.targets.size() != 1) throw UsageError("--requests supports only one output (-o)");
  const std::string& format = flags.output.targets[0].format;
  const bool json = format == "json";
  const apf::TextStyle style = flags.output.style_of(flags.output.targets[0], flags.console);
  Output out(flags.output.targets[0].file);
  std::size_t requests = 0, bad = 0, different = 0, without_user = 0;
  std::string first_difference;
  take_stdin({&flags.requests, 1});
  claim_input(flags.requests);
  const apf::User admin = flags.settings.administrator(flags.release);
  const auto render = [&](const apf::LoggedRequest& logged) {
    Explainer::Answer answer = json ? explainer.explain(logged.request.info, logged.request.query, logged.user,
                                                        logged.seats, logged.authenticated)
                                    : explainer.place(logged.request.info, logged.user);
    if (json) {
      answer.notes.insert(answer.notes.begin(), logged.notes.begin(), logged.notes.end());
      answer.notes.insert(answer.notes.begin(), asked.notes.begin(), asked.notes.end());
      answer.assumptions = assumptions_of(logged, admin, asked.assumptions);
    }
    apf::RequestText made;
    if (json) made.text = render_json(logged.request.info, logged.user, answer, explainer) + "\n";
    else made.text = render_line(logged.request.info, logged.user, answer, style) + "\n";
    if (!flags.expect.empty()) made.remark = unmet(flags.expect, answer.explanation);
    return made;
  };
  const auto write = [&](const apf::LoggedRequest& logged, const apf::RequestText& rendered) {
    ++requests;
    if (!logged.error.empty()) {
      ++bad;
      if (json) out.write(error_json(logged.error) + "\n");
      else out.write(fmt::format("line {}: {}\n", logged.line, apf::printable(logged.error)));
    } else {
      without_user += logged.as && logged.as->empty();
      out.write(rendered.text);
      if (!rendered.remark.empty() && different++ == 0)
        first_difference = fmt::format("line {}: {}", logged.line, rendered.remark);
    }
    if (out.closed_pipe()) throw ClosedPipe();
  };
  const std::vector<apf::Remark> damage = apf::read_requests(flags.requests, render, write, &admin);
  out.close();
  const bool damaged = report_damaged_logs(damage);
  const AskedServer& server = explainer.server();
  if (!json) flags.console.note(apf::printable("answered for " + server.configuration + "; " + server.seats));
  if (without_user > 0)
    flags.console.note(
        fmt::format("{} of {} requests name no user: they are of system:anonymous (use --as to name one)",
                    grouped(without_user), grouped(requests)));
  if (requests == 0) throw apf::Error(apf::printable(flags.requests) + ": no requests found");
  if (bad > 0)
    flags.console.warn(fmt::format("{} of {} requests of {} cannot be classified", grouped(bad), grouped(requests),
                                   apf::printable(flags.requests)));
  if (bad == requests) return kUsageOrInput;
  if (different == 0) {
    if (flags.expect.empty()) return damaged ? kUsageOrInput : 0;
    if (flags.allow_empty) return 0;
    refuse_damaged_logs("--expect", damage, apf::kAllowEmpty);
    if (bad > 0)
      throw apf::Error(fmt::format("--expect is not decided: {} of {} requests cannot be classified{}", grouped(bad),
                                   grouped(requests), apf::kAllowEmpty));
    return 0;
  }
  write_stderr(fmt::format("apfctl explain: {} of {} requests do not match --expect; {}{}\n", grouped(different),
                           grouped(requests), first_difference, hint(flags.expect, explainer)));
  return kNotOk;
}

}  // namespace

int cmd_explain(CommandLine& line) {
  ExplainFlags flags;
  declare(line, flags);
  if (!line.parse()) return 0;
  flags.console.check();
  flags.output.check();
  flags.release.check();
  flags.inflight.check();
  if (!flags.settings.read(flags.console, &flags.config.cluster)) return kUsageOrInput;
  flags.settings.fill(flags.release);
  flags.release.note_patch(flags.console);
  flags.settings.fill(flags.inflight);
  flags.inflight.need_seats();
  flags.settings.fill(flags.config);
  if (flags.objects.empty()) flags.objects = flags.settings.objects_file();
  AskedRequest asked;
  if (!flags.uids.empty()) {
    line.arguments(0, 0, "");
    if (!flags.request.first_given().empty() || !flags.requests.empty())
      throw UsageError("--uid asks for an object: it cannot be combined with a request");
  } else if (flags.requests.empty()) {
    asked = flags.request.take(line, flags.settings.administrator(flags.release), flags.console);
  } else {
    line.arguments(0, 0, "");
    if (const std::string given = flags.request.first_given(); !given.empty())
      throw UsageError("--requests cannot be combined with " + given + ": each line of the file says its own");
  }
  const std::optional<apf::Config> config = flags.config.load(flags.console, flags.release);
  if (!config) return kUsageOrInput;
  if (!flags.uids.empty()) return explain_uids(flags.uids, *config, flags.output, flags.console);
  apf::ObjectCounts objects;
  if (!flags.objects.empty()) objects = read_object_counts(flags.objects);
  else if (flags.settings.known_server().objects) objects = apf::ObjectCounts(*flags.settings.known_server().objects);
  std::optional<apf::AuditPolicy> policy;
  if (flags.audit_policy.given() && !(policy = flags.audit_policy.load(flags.console))) return kUsageOrInput;
  const int seats = flags.inflight.server_concurrency_limit;
  const AskedServer server{
      flags.config.origin(*config, flags.release),
      flags.inflight.given() ? flags.inflight.origin() : fmt::format("{} seats (kube-apiserver's defaults)", seats),
      flags.config.filenames, flags.release.version, seats};
  const Explainer explainer(*config, server, std::move(objects), std::move(policy));
  if (flags.config.filenames.empty() && !flags.config.cluster.wanted)
    asked.assumptions.push_back(only_built_in_objects(flags.release.version.str()));
  add_hints(asked.notes);
  asked.print_notes(flags.console);
  if (flags.requests.empty()) note_meant_user(*config, asked.user, flags.console);
  // Loading the configuration has printed these.
  for (apf::Remark& remark : remarks_about(*config, flags.release)) asked.notes.push_back(std::move(remark));
  const int code =
      flags.requests.empty() ? explain_one(flags, explainer, asked) : explain_many(flags, explainer, asked);
  if (flags.config.filenames.empty() && pipe_has_text())
    flags.console.note("standard input is not read; to read a configuration from it, write -f -");
  return code;
}

}  // namespace apfctl
