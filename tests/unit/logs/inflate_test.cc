// Which texts are taken for compressed ones, and which files for empty ones.
#include "logs/inflate.h"

#include "catch.h"
#include "logs/chunk_source.h"
#include "unit/logs/audit_support.h"

using namespace apf;
using namespace apf::test;

TEST_CASE("A text is gzip's if it begins as gzip does", "[logs]") {
  for (const std::string text :
       {"", "\x1f", "\x1f\x8b", "\x1f\x8b\n", "ab\x08 c\n", "a\x8b\x08 c\n", "\x1fz\x08 c\n"}) {
    INFO(text);
    LogOptions options;
    options.texts["a.log"] = text;
    ByteSource source("a.log", options.texts);
    std::string read;
    char part[3];
    while (!source.at_end()) read.append(part, source.read(part, sizeof part));
    CHECK(read == text);
    CHECK(source.damage().empty());
  }
}

TEST_CASE("A log of one byte is not empty", "[logs]") {
  const auto is_empty = [](const std::string& text) {
    LogOptions options;
    options.texts["a.log"] = text;
    ChunkSource source(std::vector<std::string>{"a.log"}, kAnyFormat, options);
    for (LogChunk chunk; source.next(chunk);) CHECK(chunk.lines == 1);
    const std::vector<Remark> warnings = source.warnings();
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const Remark& remark) { return remark.kind == RemarkKind::log_empty; });
  };
  CHECK(is_empty(""));
  CHECK_FALSE(is_empty("\n"));
}
