// Users as test files and flags name them.
#include <apf/error.h>
#include <apf/request_words.h>
#include <apf/test_file.h>

#include <variant>

#include "catch.h"

using namespace apf;

namespace {

std::string refused_user(const std::string& text) {
  try {
    user_named(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("short names of users", "[test_file]") {
  CHECK(user_named("sa:ci/builder").name == "system:serviceaccount:ci:builder");
  CHECK(user_named("node:a").name == "system:node:a");
  CHECK(user_named("node:a").groups == std::vector<std::string>{"system:nodes"});
  CHECK(user_named("user:admin").name == "admin");
  CHECK(user_named("alice").name == "alice");
  CHECK(refused_user("sa:ci") == "'sa:ci' is not sa:NAMESPACE/NAME");
  CHECK(refused_user("sa:ci/*") == "'sa:ci/*' is more than one user; name one of them");
  CHECK(refused_user("node:*") == "'node:*' is more than one user; name one of them");
  CHECK(refused_user("node:") == "'node:' is not node:NAME");
  CHECK(refused_user("group:devs") == "'group:devs' is more than one user; name one of them");
}

TEST_CASE("who admin is depends on the release and on who made the cluster", "[test_file]") {
  struct Row {
    int minor;
    const char *preset, *group;
  };
  const Row rows[] = {
      {28, "", "system:masters"},         {29, "", "kubeadm:cluster-admins"},        {36, "", "kubeadm:cluster-admins"},
      {28, "kubeadm", "system:masters"},  {29, "kubeadm", "kubeadm:cluster-admins"}, {36, "eks", "system:masters"},
      {36, "openshift", "system:masters"}};
  for (const Row& row : rows) {
    INFO(row.minor << ' ' << row.preset);
    const User admin = administrator(KubeVersion{row.minor}, row.preset);
    CHECK(admin.name == "kubernetes-admin");
    CHECK(admin.groups == std::vector<std::string>{row.group});
  }
}

TEST_CASE("admin in a test file follows the file's server", "[test_file]") {
  const auto groups = [](const std::string& head) {
    const TestFile file =
        read_test_file({"t.yaml", head + "tests: [{as: admin, groups: [g], request: list pods, expect: x}]"});
    REQUIRE(file.cases.size() == 1);
    return std::get<RequestTest>(file.cases[0].what).user.groups;
  };
  using Groups = std::vector<std::string>;
  CHECK(groups("") == Groups{"kubeadm:cluster-admins", "g", "system:authenticated"});
  CHECK(groups("kubernetes-version: '1.28'\n") == Groups{"system:masters", "g", "system:authenticated"});
  CHECK(groups("preset: aks\n") == Groups{"system:masters", "g", "system:authenticated"});
  const TestFile file = read_test_file_of({"t.yaml", "tests: [{as: admin, request: list pods, expect: x}]"},
                                          [](const TestFile&) { return administrator(KubeVersion{28}, ""); });
  CHECK(std::get<RequestTest>(file.cases.at(0).what).user.groups == Groups{"system:masters", "system:authenticated"});
}
