# apfctl: build, test and install. `make help` lists the targets.
#
#   make VARIANT=release|debug|asan|tsan|cov|fuzz   picks the build (default release), out of tree in build/VARIANT

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VARIANT ?= release
PREFIX ?= /usr/local
DESTDIR ?=
CXX ?= g++
ifeq ($(origin CXX),default)
CXX := g++
endif
PKG_CONFIG ?= pkg-config
CCACHE ?= $(shell command -v ccache 2>/dev/null)

VERSION_HEADER := libapf/include/apf/version.h
version_part = $(shell sed -n 's/^\#define APF_VERSION_$(1) //p' $(VERSION_HEADER))
MAJOR := $(call version_part,MAJOR)
VERSION := $(MAJOR).$(call version_part,MINOR).$(call version_part,PATCH)

PACKAGES := yaml-cpp re2 fmt simdjson libcrypto zlib libzstd
BUILD := build/$(VARIANT)

# --- flags -------------------------------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-qual -Wformat=2
CXXFLAGS_release := -O2 -g1
CXXFLAGS_debug := -O0 -g -D_GLIBCXX_ASSERTIONS
CXXFLAGS_asan := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS
CXXFLAGS_tsan := -O1 -g -fno-omit-frame-pointer -fsanitize=thread
CXXFLAGS_cov := -O0 -g --coverage
CXXFLAGS_fuzz := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_tsan := -fsanitize=thread
LDFLAGS_cov := --coverage
LDFLAGS_fuzz := -fsanitize=address,undefined
ifeq ($(VARIANT),fuzz)
CXX := clang++
endif
ifeq ($(filter $(VARIANT),release debug asan tsan cov fuzz),)
$(error VARIANT=$(VARIANT) is none of release debug asan tsan cov fuzz)
endif

# Headers of the libraries as system headers, so that only our own code is warned about.
DEP_CFLAGS = $(patsubst -I%,-isystem%,$(shell $(PKG_CONFIG) --cflags $(PACKAGES)))
DEP_LIBS = $(shell $(PKG_CONFIG) --libs $(PACKAGES))
COMMON = -std=c++20 $(WARNINGS) $(CXXFLAGS_$(VARIANT)) $(CXXFLAGS) -pthread -fPIC -fvisibility=hidden \
         -fvisibility-inlines-hidden -Ilibapf/include $(DEP_CFLAGS) $(CPPFLAGS) -MMD -MP
LINK = $(CXX) $(CXXFLAGS_$(VARIANT)) $(LDFLAGS_$(VARIANT)) $(LDFLAGS) -pthread
COMPILE = $(CCACHE) $(CXX) $(COMMON)

# --- files -------------------------------------------------------------------------------------

LIB_SOURCES := $(sort $(wildcard libapf/src/*/*.cc libapf/src/*/*/*.cc))
TOOL_SOURCES := $(sort $(wildcard tools/apfctl/*.cc))
TEST_SOURCES := $(sort $(wildcard tests/unit/*.cc tests/unit/*/*.cc tests/conformance/*.cc tests/property/*.cc tests/support/*.cc))
BENCH_SOURCES := $(sort $(wildcard tests/bench/*.cc))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/*.cc))
EXAMPLE_GENERATORS := $(sort $(wildcard examples/*/generate.cc))
HEADERS := $(sort $(wildcard libapf/include/apf/*.h))
objects = $(patsubst %.cc,$(BUILD)/obj/%.o,$(1))
LIB_OBJECTS := $(call objects,$(LIB_SOURCES))

SONAME := libapf.so.$(MAJOR)
SHARED := $(BUILD)/lib/libapf.so.$(VERSION)
STATIC := $(BUILD)/lib/libapf.a
APFCTL := $(BUILD)/bin/apfctl
UNIT := $(BUILD)/bin/unit-tests

# --- build -------------------------------------------------------------------------------------

all: $(APFCTL) $(STATIC) ## build the library and apfctl (installs nothing)
lib: $(SHARED) $(STATIC)

$(BUILD)/obj/libapf/src/%.o: libapf/src/%.cc
	@mkdir -p $(@D)
	$(COMPILE) -Ilibapf/src -c $< -o $@

# The tool sees the public headers only.
$(BUILD)/obj/tools/%.o: tools/%.cc
	@mkdir -p $(@D)
	$(COMPILE) -Itools -c $< -o $@

$(BUILD)/obj/tests/%.o: tests/%.cc
	@mkdir -p $(@D)
	$(COMPILE) -Ilibapf/src -Itests -DAPF_TESTS_DIR='"$(CURDIR)/tests"' -c $< -o $@

$(BUILD)/obj/examples/%.o: examples/%.cc
	@mkdir -p $(@D)
	$(COMPILE) -c $< -o $@

$(SHARED): $(LIB_OBJECTS) libapf/libapf.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=libapf/libapf.map -Wl,--no-undefined \
	  $(LIB_OBJECTS) $(DEP_LIBS) -o $@
	ln -sf libapf.so.$(VERSION) $(BUILD)/lib/$(SONAME)
	ln -sf $(SONAME) $(BUILD)/lib/libapf.so

$(STATIC): $(LIB_OBJECTS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $(LIB_OBJECTS)

$(APFCTL): $(call objects,$(TOOL_SOURCES)) $(SHARED)
	@mkdir -p $(@D)
	$(LINK) $(call objects,$(TOOL_SOURCES)) -L$(BUILD)/lib -lapf $(shell $(PKG_CONFIG) --libs fmt) \
	  -Wl,-rpath,'$$ORIGIN/../lib' -o $@

$(UNIT): $(call objects,$(TEST_SOURCES)) $(STATIC)
	@mkdir -p $(@D)
	$(LINK) $(call objects,$(TEST_SOURCES)) $(STATIC) $(DEP_LIBS) -o $@

unit: $(UNIT) ## build and run the unit, property and conformance tests
	$(UNIT) $(UNIT_ARGS)

-include $(patsubst %.o,%.d,$(call objects,$(LIB_SOURCES) $(TOOL_SOURCES) $(TEST_SOURCES) $(BENCH_SOURCES) $(FUZZ_SOURCES) $(EXAMPLE_GENERATORS)))

clean: ## remove everything built
	rm -rf build

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

.PHONY: all lib unit clean help
