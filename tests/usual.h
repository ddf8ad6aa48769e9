// As libapf/src/usual.h, for the tests.
#include <catch.h>
#include <usual.h>
