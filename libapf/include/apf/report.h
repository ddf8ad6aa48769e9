// Results as text for people and as JSON. One function a result and form; nothing is printed here.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <apf/classify.h>
#include <apf/limits.h>
#include <apf/log_stat.h>
#include <apf/replay.h>
#include <apf/version.h>

namespace apf {

struct TextStyle {
  bool color = false;
  int width = 100;  // columns of the terminal
};

APF_API std::string render_text(const ReplayReport& report, const TextStyle& style);
APF_API std::string render_json(const ReplayReport& report);  // one line
APF_API std::string render_text(const LogStat& stat, const TextStyle& style);
APF_API std::string render_json(const LogStat& stat);  // one line
APF_API std::string render_text(const LimitsTable& table, const TextStyle& style);
APF_API std::string render_json(const LimitsTable& table);

// `text` safe for a terminal: control characters, escape sequences, bidirectional overrides and broken UTF-8 made
// visible.
APF_API std::string printable(std::string_view text);

// "Did you mean": the name that `word` is most likely a slip of, or the beginning of; empty if none is near.
APF_API std::string nearest_name(std::string_view word, std::span<const std::string> names);

}  // namespace apf
