// Counts what of the FlowSchemas the requests of tests reach.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/test_file.h>

namespace apf {

// "Group system:authenticated", "ServiceAccount ci/builder"; of one without a name its kind.
std::string subject_words(const Subject& subject);

class CoverageCounter {
 public:
  // Both must outlive it.
  CoverageCounter(const Config& config, const Classifier& classifier, KubeVersion version);

  // A request that this schema takes.
  void count(std::uint32_t schema, const RequestInfo& request, const User& user);
  TestCoverage take();

 private:
  struct PartPlace {
    std::vector<std::size_t> first;  // by list of the part: its first item
    std::size_t scope = 0;           // the item of clusterScope; 0: none
  };
  struct RulePlace {
    std::size_t item = 0, subjects = 0;
    std::vector<PartPlace> resources, urls;
  };
  struct SchemaPlace {
    std::size_t item = 0;
    std::vector<RulePlace> rules;
  };
  std::size_t add(TestCoverage::Kind kind, const FlowSchema& schema, std::optional<std::uint32_t> rule,
                  std::string field, std::string text);
  std::size_t add_list(const FlowSchema& schema, std::uint32_t rule, const std::string& field,
                       const std::vector<std::string>& list);
  void add_schema(std::uint32_t index);
  void mark_list(std::size_t first, const std::vector<std::string>& list, std::string_view value);
  void mark_resource(const ResourceRule& part, const PartPlace& place, const RequestInfo& request);
  void mark_url(const NonResourceRule& part, const PartPlace& place, const RequestInfo& request);
  void find_unreachable();

  const Config& config_;
  const Classifier& classifier_;
  KubeVersion version_;
  TestCoverage coverage_;
  std::unordered_map<std::uint32_t, SchemaPlace> places_;  // by schema; of those that count
};

}  // namespace apf
