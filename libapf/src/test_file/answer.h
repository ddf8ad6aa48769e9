// Answers the tests of one file, all of which are about one server.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <apf/classify.h>
#include <apf/limits.h>
#include <apf/test_file.h>

namespace apf {

class Answerer {
 public:
  Answerer(const TestFile& file, const TestServer& server);

  TestResult answer(const TestCase& test);
  const Classifier& classifier() const { return classifier_; }
  // Where the request of a test goes.
  Classifier::Match match(const RequestTest& test) const { return classifier_.match(test.request.info, test.user); }

 private:
  struct Place {
    std::string flow_schema, priority_level, distinguisher;
    int seats = 0;
    std::uint32_t schema = 0;
  };
  void request(const RequestTest& test, TestResult& out);
  void limit(const LimitTest& test, TestResult& out) const;
  void lint(const LintTest& test, TestResult& out) const;
  void replay(const ReplayTest& test, TestResult& out);

  Place place_of(const RequestTest& test) const;
  bool fits(const ExpectedPlace& expected, const Place& place) const;
  std::string why_not(const ExpectedPlace& expected, const Place& place, const Explanation& why) const;
  std::string why_not_schema(const std::string& name, const Explanation& why) const;
  std::string no_such_name(const std::string& name, bool schemas, bool levels) const;
  bool is_schema(std::string_view name) const;
  std::string command_of(const RequestTest& test, bool about_seats) const;

  const TestFile& file_;
  const TestServer& server_;
  Classifier classifier_;
  LimitsTable limits_;
  struct Replayed {
    std::vector<TestServer::Answer> answers;
    std::string error;
  };
  std::map<std::size_t, Replayed> replayed_;  // by TestFile::replays
};

}  // namespace apf
