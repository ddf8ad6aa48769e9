// Whose numbers of seats count: flags, settings, what files say of the server, a preset.
#include <apf/settings.h>

#include <array>

#include "catch.h"

using namespace apf;

namespace {

// What a source says: nothing, one limit, the other, both, or the sum. Each source has numbers of its own.
struct Said {
  std::optional<int> reads, writes, sum;
};
constexpr int kForms = 5;
Said said(int form, int source) {
  const int reads = 1000 * source, writes = 100 * source;
  Said out;
  if (form == 1 || form == 3) out.reads = reads;
  if (form == 2 || form == 3) out.writes = writes;
  if (form == 4) out.sum = 7 * source;
  return out;
}

// By the words of the manual: the first source that says anything; of flags that name one limit, the other one is that
// of the first source that has it and no sum.
int expected(const std::array<Said, 4>& sources) {
  const auto is_silent = [](const Said& s) { return !s.reads && !s.writes && !s.sum; };
  std::size_t first = 0;
  while (first < sources.size() && is_silent(sources[first])) ++first;
  if (first == sources.size()) return 600;
  Said of = sources[first];
  if (of.sum) return *of.sum;
  for (std::size_t i = 1; first == 0 && i < sources.size(); ++i) {
    if (!of.reads && !sources[i].sum) of.reads = sources[i].reads;
    if (!of.writes && !sources[i].sum) of.writes = sources[i].writes;
  }
  return of.reads.value_or(400) + of.writes.value_or(200);
}

}  // namespace

TEST_CASE("the first source that says anything of seats counts, in all combinations", "[settings]") {
  for (int which = 0; which < kForms * kForms * kForms * kForms; ++which) {
    const int forms[] = {which % kForms, which / kForms % kForms, which / (kForms * kForms) % kForms,
                         which / (kForms * kForms * kForms)};
    std::array<Said, 4> sources;
    for (int i = 0; i < 4; ++i) sources[static_cast<std::size_t>(i)] = said(forms[i], i + 1);
    SeatNumbers seats{sources[0].reads, sources[0].writes, sources[0].sum, {}};
    for (const char* name : {"settings", "server", "preset"}) {
      const Said& s = sources[static_cast<std::size_t>(name == std::string_view("settings") ? 1
                                                       : name == std::string_view("server") ? 2
                                                                                            : 3)];
      seats.take(s.reads, s.writes, s.sum, name);
    }
    INFO("forms " << forms[0] << forms[1] << forms[2] << forms[3]);
    CHECK(seats.seats() == expected(sources));
  }
}
