#include "remark_hints.h"

#include <utility>

namespace apfctl {

namespace {

using Kind = apf::RemarkKind;

constexpr std::pair<Kind, const char*> kHints[] = {
    {Kind::clock_from_log, "use --from to leave the first part out of the report"},
    {Kind::clock_fitted, "use --start to set another time"},
    {Kind::clock_guessed, "use --start to set another time"},
    {Kind::clock_missing, "use --start in a replay"},
    {Kind::seats_differ, "use --recorded config to ask what other seats would do, else give the server's number"},
    {Kind::configuration_unknown, "use --config-at to add one"},
    {Kind::waits_unrecorded, "use --recorded config if the server was busy"},
    {Kind::execution_estimated, "use --refused-execution to set another time"},
    {Kind::execution_of_similar, "use --refused-execution to set another time"},
    {Kind::widths_unknown, "use --objects"},
    {Kind::watch_init_assumed, "use --watch-init to set another time"},
    {Kind::watch_init_missing, "use --watch-init in a replay"},
    {Kind::watches_ended, "use --min-request-timeout to set it"},
    {Kind::servers_mixed, "replay --server NAME=LOG for each"},
    {Kind::newest_patch_meant, "use --kubernetes-version with the patch"},
    {Kind::objects_restored, "use --builtins enforced to count with it"},
    {Kind::objects_deleted, "use --builtins enforced to leave them out"},
    {Kind::object_counts_missing, "use --objects"},
    {Kind::list_bytes_unknown, "use --objects RESOURCE=COUNT,BYTES"},
    {Kind::object_count_unknown, "use --objects"},
    {Kind::seats_missing, "use --objects for better estimates"},
    {Kind::load_missing, "replay --fill adds as many"},
    {Kind::policy_omits, "--server-metrics measures it"},
    {Kind::nodes_missing, "--server-metrics measures it, replay --fill adds what is missing"},
    {Kind::lease_updates_missing, "--server-metrics measures it, replay --fill adds what is missing"},
    {Kind::watches_missing, "--server-metrics measures it, replay --fill adds what is missing"},
    {Kind::reads_missing, "--server-metrics measures it, replay --fill adds what is missing"},
    {Kind::only_writes, "--server-metrics measures it, replay --fill adds what is missing"},
    {Kind::requests_sampled, "--server-metrics measures it, replay --fill adds what is missing"},
    {Kind::better_policy, "explain --audit-policy shows what a policy records"},
    {Kind::better_object_counts, "use --objects in a replay"},
    {Kind::better_start, "use --start in a replay"},
    {Kind::better_scrapes, "--server-metrics reads them"},
    {Kind::client_model_unused, "apfctl trace shows the names"},
    {Kind::client_timeout_unused, "apfctl trace shows the names"},
    {Kind::scale_unused, "apfctl trace shows the names"},
    {Kind::log_year_unknown, "use --log-year to set it"},
    {Kind::logs_unrelated, "use --log-year to set the year"},
    {Kind::namespace_needed, "use -n to name one"},
    {Kind::pods_depend_on_nodes, "use --nodes to say how many"},
};

}  // namespace

namespace {

void add_hint(apf::Remark& remark) {
  for (const auto& [kind, hint] : kHints)
    if (remark.kind == kind) remark.hint = hint;
  if (remark.kind == Kind::client_waits)
    remark.hint = "use --client-model '" + remark.name + "=" + remark.detail + "', or --client-model auto";
}

}  // namespace

void add_hints(std::vector<apf::Remark>& remarks) {
  for (apf::Remark& remark : remarks) add_hint(remark);
}

std::vector<apf::Remark> with_hints(std::vector<apf::Remark> remarks) {
  add_hints(remarks);
  return remarks;
}

void add_hints(apf::SweepReport& report) {
  for (apf::SweepReport::UnusedEntry& entry : report.unused) add_hint(entry.remark);
}

void add_hints(apf::LogReport& report) {
  add_hints(report.assumptions);
  add_hints(report.incomplete);
  add_hints(report.warnings);
}

void add_hints(apf::ReplayReport& report) {
  add_hints(static_cast<apf::LogReport&>(report));
  if (report.undecided)
    report.undecided->hint =
        "use --recorded config to say what the server ran when the log was written, 'same' if it is what is replayed";
}

}  // namespace apfctl
