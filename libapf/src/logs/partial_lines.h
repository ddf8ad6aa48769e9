// Long lines as container runtimes (CRI) keep them: in parts, each with a time, a stream and P before it, the last with
// F.
//   2026-11-20T12:00:00.000000000Z stdout P {"kind":"Event",
//   2026-11-20T12:00:00.000000001Z stdout F "apiVersion":…}
#pragma once

#include <string>
#include <string_view>

namespace apf {

// Whether the text begins with a line as such a runtime writes it.
bool begins_as_runtime_log(std::string_view text);

class PartialLines {
 public:
  // Puts parts together: `out` is what the text comes to, with as many newlines behind a line as it had parts. False:
  // it holds none, and `out` is as it was. Parts whose end is yet to come wait for the next text, unless this is the
  // `last`.
  bool join(std::string_view text, bool last, std::string& out);
  void clear() { open_[0] = open_[1] = Open(); }

 private:
  struct Open {
    std::string text;
    std::size_t newlines = 0;
  };
  void add(std::string_view line, std::string& out);
  static void flush(Open& open, std::string& out);

  Open open_[2];  // of stdout and stderr
};

}  // namespace apf
