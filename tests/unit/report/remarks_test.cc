// Remarks: each kind has a name, a sentence, its line in the schema and in apfctl-remarks(7).
#include <fstream>
#include <set>
#include <sstream>

#include <simdjson.h>

#include <apf/report.h>

#include "catch.h"

using namespace apf;

namespace {

std::string read(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  REQUIRE_FALSE(out.str().empty());
  return out.str();
}

std::vector<RemarkKind> all_kinds() {
  std::vector<RemarkKind> out;
  for (int i = 0; i < static_cast<int>(RemarkKind::kCount); ++i) out.push_back(static_cast<RemarkKind>(i));
  return out;
}

Remark filled(RemarkKind kind, std::uint64_t count) {
  return {.kind = kind,
          .count = count,
          .total = 1000,
          .other = 2,
          .time = 0,
          .duration = kSecond,
          .name = "pods",
          .detail = "pod"};
}

}  // namespace

TEST_CASE("each kind of remark has a name of its own, in the schema and in the manual", "[report][remarks]") {
  const std::string schema = read(APF_TESTS_DIR "/../schemas/replay.schema.json"),
                    page = read(APF_TESTS_DIR "/../man/apfctl-remarks.7");
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  REQUIRE(parser.parse(schema).get(json) == simdjson::SUCCESS);
  std::set<std::string> listed, names;
  for (const auto name : json["$defs"]["remark"]["properties"]["kind"]["enum"].get_array())
    listed.emplace(std::string_view(name));
  for (const RemarkKind kind : all_kinds()) {
    const std::string name = to_string(kind);
    INFO(name);
    CHECK(names.insert(name).second);
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos);
    CHECK(page.find("\n.It Cm " + name + "\n") != std::string::npos);
  }
  CHECK(names == listed);
}

TEST_CASE("sentences of remarks name no flags, and count well", "[report][remarks]") {
  for (const RemarkKind kind : all_kinds()) {
    const std::string one = sentence_of(filled(kind, 1)), many = sentence_of(filled(kind, 99427));
    INFO(one << '\n' << many);
    CHECK(one.find(" --") == std::string::npos);
    CHECK(many.find("99427") == std::string::npos);
    if (one != many) CHECK(many.find("99,427") != std::string::npos);
  }
}

TEST_CASE("a remark in text and in JSON", "[report][remarks]") {
  Remark remark{.kind = RemarkKind::seats_missing, .count = 0, .total = 99427};
  CHECK(render_text(remark) ==
        "Seats recorded for 0 of 99,427 requests; the others are estimated. kube-apiserver's own log records them at "
        "-v=3.");
  remark = {.kind = RemarkKind::object_counts_missing, .count = 61, .hint = "use a flag"};
  CHECK(render_text(remark) == "61 lists cost 1 seat, because the number of objects is unknown (use a flag).");
  JsonWriter json;
  json.begin_object();
  write_remarks(
      json, "warnings",
      {remark, {.kind = RemarkKind::clock_set_back, .count = 1, .time = 5, .duration = kSecond, .name = "a"}});
  json.end_object();
  CHECK(
      json.take() ==
      R"({"warnings":[{"kind":"object-counts-missing","message":"61 lists cost 1 seat, because the number of objects )"
      R"(is unknown.","hint":"use a flag","count":61},{"kind":"clock-set-back","message":"The clock of the log was set )"
      R"(back once, by 1.00s: what follows is assumed to go on from there, so that its times are later than in the )"
      R"(log.","count":1,"timeNs":5,"durationNs":1000000000,"name":"a"}]})");
}
