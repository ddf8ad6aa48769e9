// The version of libapf. The Makefile reads it from here; it is written nowhere else.
#pragma once

#define APF_VERSION_MAJOR 0
#define APF_VERSION_MINOR 1
#define APF_VERSION_PATCH 0

// Public symbols: everything else is hidden in the shared library.
#define APF_API __attribute__((visibility("default")))
// The inner parts of a public class would be public with it.
#define APF_LOCAL __attribute__((visibility("hidden")))
