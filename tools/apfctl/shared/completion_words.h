// Words that completion offers where any word may be given: verbs, resources, levels, what --expect is about.
#pragma once

#include <string>
#include <vector>

namespace apfctl {

std::vector<std::string> request_words();  // verbs, then resources as apfctl explain takes them
std::vector<std::string> built_in_levels();
std::vector<std::string> built_in_schemas();
// "total.rejected", "workload-low.p99wait": of each built-in level, with `before` in front ("new."); then `whole`, of
// the whole report.
std::vector<std::string> expected_figures(const std::vector<std::string>& before,
                                          const std::vector<std::string>& metrics,
                                          const std::vector<std::string>& whole = {});

}  // namespace apfctl
