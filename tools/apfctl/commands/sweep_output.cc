#include "commands/sweep_output.h"

#include "flags/damaged_logs.h"
#include "shared/exit_code.h"
#include "shared/output.h"

namespace apfctl {

namespace {

bool is_in_pieces(const std::string& format) { return format == "json" || format == "csv"; }

}  // namespace

void SweepOutput::declare(CommandLine& line, OutputFlags& flags) {
  flags.declare(line, {"text", "json", "csv", "markdown", "html"});
}

SweepOutput::SweepOutput(const OutputFlags& flags, const Console& console) : flags_(flags), console_(console) {
  for (const OutputFlags::Target& target : flags.targets) {
    if (!is_in_pieces(target.format)) continue;
    apf::OutputFile file(target.file.empty() ? "-" : target.file);
    apf::OutputFile kept = apf::OutputFile::scratch_for(file);
    const auto format = target.format == "json" ? apf::SweepFormat::json : apf::SweepFormat::csv;
    pieces_.push_back({apf::SweepPieces(format), std::move(file), std::move(kept)});
  }
}

apf::SweepRows SweepOutput::rows() {
  return [this](const apf::SweepLogReport& log, const apf::SweepReport& report) {
    for (Pieces& out : pieces_) out.kept.write(apf::without_ci_commands(out.pieces.add(log, report)));
  };
}

void SweepOutput::finish(const apf::SweepReport& report, const Setup& setup) {
  for (Pieces& out : pieces_) {
    out.kept.write(out.pieces.end(report));
    out.file.append(out.kept);
    out.file.commit();
  }
  OutputFlags others = flags_;
  std::erase_if(others.targets, [](const OutputFlags::Target& target) { return is_in_pieces(target.format); });
  write_report(
      others, console_, [&](const apf::View& view) { return apf::document_of(report, view); }, {}, {}, setup);
}

int finish_sweep(SweepOutput& output, apf::SweepReport& report, const SweepGate& gate, const Setup& setup) {
  for (apf::SweepReport::UnusedEntry& entry : report.unused) entry.remark.hint = apf::hint_of(entry.remark);
  const bool refuses = !report.interrupted;
  if (refuses && report.requests == 0) refuse_doubtful_logs(report, gate);
  output.finish(report, setup);
  if (refuses) refuse_doubtful_logs(report, gate);
  return report.missing.empty() ? 0 : kNotOk;
}

}  // namespace apfctl
