// Test files of which flags say more than the file: whom "admin" means depends on the server that is tested.
//
//   const apf::ConfigText text{"tests.yaml", "tests: [{as: admin, request: list pods, expect: exempt}]"};
//   const apf::TestFile file = apf::read_test_file_of(
//       text, [](const apf::TestFile&) { return apf::User{"root", {"system:masters"}}; });
#pragma once

#include <functional>

#include <apf/classify.h>
#include <apf/config.h>
#include <apf/test_file.h>

namespace apf {

// read_test_file(), with the user that "admin" means: `admin` is asked where a test names it, when the keys of the file
// have been read.
APF_API TestFile read_test_file_of(const ConfigText& text, const std::function<User(const TestFile&)>& admin);

}  // namespace apf
