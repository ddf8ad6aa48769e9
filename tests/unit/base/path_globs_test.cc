#include "base/path_globs.h"

#include "catch.h"

using namespace apf;

TEST_CASE("globs are those of .gitignore", "[lint][settings]") {
  CHECK(path_matches("*.yaml", "a.yaml"));
  CHECK(path_matches("*.yaml", "deep/er/a.yaml"));
  CHECK_FALSE(path_matches("*.yaml", "a.yml"));
  CHECK(path_matches("charts/", "charts/x/y.yaml"));
  CHECK(path_matches("charts", "deep/charts/y.yaml"));
  CHECK_FALSE(path_matches("charts", "charts2/y.yaml"));
  CHECK(path_matches("/charts", "charts/y.yaml"));
  CHECK_FALSE(path_matches("/charts", "deep/charts/y.yaml"));
  CHECK(path_matches("a/*/c.yaml", "a/b/c.yaml"));
  CHECK_FALSE(path_matches("a/*/c.yaml", "a/b/b/c.yaml"));
  CHECK(path_matches("a/**/c.yaml", "a/c.yaml"));
  CHECK(path_matches("a/**/c.yaml", "a/b/b/c.yaml"));
  CHECK(path_matches("**/testdata/**", "x/testdata/y.yaml"));
  CHECK_FALSE(path_matches("**/testdata/**", "x/testdata2/y.yaml"));
  CHECK(path_matches("./a.yaml", "a.yaml"));
  CHECK(path_matches("?.yaml", "a.yaml"));
  CHECK_FALSE(path_matches("?.yaml", "ab.yaml"));
  CHECK(path_matches("a*b*c", "a-b-b-c"));
  CHECK_FALSE(path_matches("a*b*c", "a-b-b-d"));
  CHECK_FALSE(path_matches("", "a.yaml"));
  CHECK_FALSE(path_matches("*.yaml", ""));
  // Many stars must not take long.
  CHECK_FALSE(path_matches(std::string(40, '*') + "b/" + std::string(60, '*'), std::string(2000, 'a')));
  std::string stars;
  for (int i = 0; i < 30; ++i) stars += "*a";
  CHECK_FALSE(path_matches(stars + "b", std::string(5000, 'a')));
}
