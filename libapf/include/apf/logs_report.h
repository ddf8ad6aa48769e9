// What a log says of what happened, and what is going on in a live server, for people and for programs. As in
// <apf/report_words.h>.
//
//   const auto show = [](const apf::LogSummary& summary) {
//     std::fputs(apf::render(apf::document_of(summary, {}), apf::Notation::markdown).c_str(), stdout);
//   };
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <apf/inspect.h>
#include <apf/log_summary.h>
#include <apf/logs.h>
#include <apf/report_words.h>
#include <apf/server.h>

namespace apf {

// A quantile that is known between bounds meets an expectation if all between them does.
APF_API std::shared_ptr<const Facts> facts_of(const Inspection& inspection);

// Requests without an answer in the log may have been refused; `allow_empty`: they are left out.
APF_API std::shared_ptr<const Facts> facts_of(const LogSummary& summary, const LogCoverage& known,
                                              bool allow_empty = false);
// More than one in ten: the others say little about the whole.
APF_API bool are_too_many(std::uint64_t unusable, std::uint64_t lines);
APF_API bool has_too_many_unusable_lines(const LogReport& report);

// What a log says of what happened. `configuration`: where the objects are from; `known`: what the server's counters
// and its audit policy say of the log; `better`: what would help a replay, with its hints; `next`: what to type next.
struct LogSummaryFrame {
  std::string configuration;
  LogCoverage known = {};
  std::vector<Remark> better = {};
  std::vector<std::string> next = {}, further = {};  // commands, from what a terminal shows, and from all of it
};

APF_API Document document_of(const LogSummary& summary, const LogSummaryFrame& frame, const View& view = {});
APF_API std::string render_json(const LogSummary& summary, const LogSummaryFrame& frame);  // one line
APF_API std::string render_csv(const LogSummary& summary);

// `name`: of what was read; `top`: rows of a table at most.
APF_API Document document_of(const ApiRequestCounts& counts, const std::string& name, std::size_t top,
                             const View& view = {});
APF_API std::string render_json(const ApiRequestCounts& counts);  // one line
APF_API std::string render_csv(const ApiRequestCounts& counts);   // by hour

// What is going on in a live server.
APF_API Document document_of(const Inspection& inspection, const View& view = {});
APF_API std::string render_json(const Inspection& inspection,
                                const std::vector<ExpectationResult>& expectations);  // one line

// Dumps as the debug endpoints of kube-apiserver 1.28 and later write them; its levels come in any order, here by name.
APF_API std::string render_priority_levels(const ServerDump& dump);
APF_API std::string render_queues(const ServerDump& dump);
APF_API std::string render_requests(const ServerDump& dump, bool details);

// One line: the server's own types (QueueSetDump, QueueDump, RequestDump), by level. read_dump() also reads it.
APF_API std::string render_json(const ServerDump& dump);

}  // namespace apf
