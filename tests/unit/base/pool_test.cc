#include "base/pool.h"

#include <string>

#include "catch.h"

using namespace apf;

TEST_CASE("a pool gives the place that became free last, and 0 to nothing", "[base]") {
  Pool<std::string> pool;
  const std::uint32_t a = pool.add("a"), b = pool.add("b"), c = pool.add("c");
  CHECK(a != 0);
  CHECK(pool.at(b) == "b");
  pool.drop(a);
  CHECK(pool.take(b) == "b");
  CHECK(pool.add() == b);
  CHECK(pool.at(b).empty());  // it was taken
  CHECK(pool.add() == a);
  CHECK(pool.at(a) == "a");  // dropped: the value, and its memory, are still there
  CHECK(pool.at(c) == "c");
}

TEST_CASE("nothing is in no place of a pool", "[base]") {
  Pool<std::string> pool;
  pool.drop(0);
  CHECK(pool.take(0).empty());
  CHECK(pool.add() == 1);
}

TEST_CASE("a value swapped into a pool leaves the last one's memory", "[base]") {
  Pool<std::string> pool;
  std::string value = "a text too long for a small string's own place";
  const char* memory = value.data();
  const std::uint32_t id = pool.swap_in(value);
  CHECK(value.empty());
  pool.drop(id);
  value = "next";
  CHECK(pool.swap_in(value) == id);
  CHECK(pool.at(id) == "next");
  CHECK(value.data() == memory);
}
