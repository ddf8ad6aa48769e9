// Long lines as container runtimes and those who ship them keep them: in pieces. CRI writes a time, a stream and P
// before each, F before the last; Docker has records, where only the last piece of a line ends with its newline; those
// of Fluent Bit have a mark of their own, and those of Docker's drivers for fluentd and journald number the pieces.
//   2026-11-20T12:00:00.000000000Z stdout P {"kind":"Event",
//   2026-11-20T12:00:00.000000001Z stdout F "apiVersion":…}
//   {"log":"{\"kind\":\"Event\",","stream":"stdout","time":"2026-11-20T12:00:00.000000000Z"}
//   {"log":"{\"kind\":\"Event\",","stream":"stdout","logtag":"P"}
//   {"log":"{\"kind\":\"Event\",","partial_id":"5d0c","partial_ordinal":"1","partial_last":"false"}
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <apf/time.h>

namespace apf {

enum class RuntimeLog : std::uint8_t { none, cri, docker, marked, numbered };
// Which of them the beginning of a file shows.
RuntimeLog runtime_of_log(std::string_view head);

class PartialLines {
 public:
  explicit PartialLines(RuntimeLog runtime = RuntimeLog::none) : runtime_(runtime) {}
  // Of a file that begins so, which shows whether the newest line comes first, too.
  static PartialLines of(std::string_view head);
  // Puts pieces together: `out` is what the text comes to, with as many newlines behind a line as it had pieces. False:
  // it holds none, and `out` is as it was. Pieces whose end is yet to come wait for the next text, unless this is the
  // `last`.
  bool join(std::string_view text, bool last, std::string& out);

 private:
  struct Open {
    std::string text;
    std::size_t newlines = 0, begin = 0, end = 0;        // of what the pieces so far hold
    std::map<std::uint64_t, std::string> numbered = {};  // what is to stand there, if the pieces have numbers
    std::uint64_t last = 0;                              // number of the last piece; 0: not known yet
  };
  struct Piece {
    std::string source;              // whose it is; empty: it is none
    bool is_partial = false;         // it goes on
    std::size_t tag = 0;             // where CRI has its mark
    std::size_t begin = 0, end = 0;  // of what it holds
    std::uint64_t number = 0;        // from 1 on; 0: it has none
  };
  Piece split(std::string_view line) const;
  bool may_hold_pieces(std::string_view text) const;
  void add(std::string_view line, std::string& out);
  void add_before(std::string_view line, const Piece& piece, std::string& out);
  void add_numbered(std::string_view line, const Piece& piece, std::string& out);
  Nanos time_of(std::string_view line) const;
  static void flush(Open& open, std::string& out);

  RuntimeLog runtime_;
  bool is_newest_first_ = false;
  std::map<std::string, Open> open_;
};

}  // namespace apf
