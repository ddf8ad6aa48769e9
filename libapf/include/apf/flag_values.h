// What may be set of a replay: one table, which flags of commands and keys of plans of sweeps are read by; and how they
// write what ReplayOptions hold.
//
//   apf::ReplayOptions options;
//   apf::replay_setting("client-model").set(options, "ci/=loop:3");
//   apf::replay_setting("client-timeout").set(options, "kubectl/=30s");
//
// Each function throws Error for what is written wrong: one sentence, without the name of the flag, which the caller
// puts before it. Several threads may call them at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/replay.h>
#include <apf/time.h>

namespace apf {

// How a file writes the value of a setting; a flag writes the same as a text.
enum class SettingForm : std::uint8_t {
  text,
  texts,         // one, or a list of them; a flag may be given several times
  word,          // one of `words`
  whole_number,  // from `least` to `most`
  on_off,        // true or false; as a flag on or off
  yes,           // true or false; as a flag without a value
  file,          // a path, which the caller reads
  files,         // one, or a list of them
};

// A setting of the replayed server, its clients or the load.
struct ReplaySetting {
  std::string_view name;  // "client-model"
  // That have it as a flag: "replay compare"; or sweep as a key of its plans, or sides as one of --old and --new.
  std::string_view commands;
  std::string_view group;    // of the flag in --help: "What if"
  std::string_view metavar;  // "AGENT=MODEL"
  std::string_view text;     // what it does, for --help and for schemas
  SettingForm form = SettingForm::text;
  std::string_view expected = {};            // in words: "a duration such as 60s"
  std::vector<std::string_view> words = {};  // of a closed set, the default first
  double least = 0, most = 0;                // of numbers, also where a text may be one
  std::string_view pattern = {};             // of texts, for schemas
  std::string_view also = {};                // what else than a text a file may have: "number", "integer", "off"
  std::string_view needs = {};               // another setting, without which it has no effect
  std::string_view usual = {};               // the default, which needs nothing
  std::function<void(ReplayOptions& options, std::string_view value)> apply = nullptr;  // none for files

  APF_API bool is_of(std::string_view command) const;
  // Sets the options to one value; those of several are set one after the other, settings in the order of the table.
  // A file is the caller's to read. Throws Error.
  APF_API void set(ReplayOptions& options, std::string_view value) const;
};
APF_API std::span<const ReplaySetting> replay_settings();
// Throws Error: there is none.
APF_API const ReplaySetting& replay_setting(std::string_view name);

APF_API double parse_number(std::string_view text);  // 0 or greater
APF_API std::int64_t parse_whole_number(std::string_view text, std::int64_t least, std::int64_t most);
// 0 … ten years: "1m30s".
APF_API Nanos parse_duration(std::string_view text);
// RFC 3339, an integer (ns), or a duration after the first arrival.
APF_API ReplayTime parse_replay_time(std::string_view text);
// Users: sa:NS/NAME, sa:NS/*, node:NAME, node:*, user:NAME, or the name of one, with a `*` at its end for all whose
// name begins so. As LoadScale::user has them.
APF_API std::string parse_client(std::string_view text);
// "200..2000": the least and the most seats of a server that are tried; 1 … 999,999.
APF_API std::pair<int, int> parse_seats_range(std::string_view text);

}  // namespace apf
