# apfctl: build, test and install. `make help` lists the targets.
#
#   make VARIANT=release|debug|asan|tsan|cov|fuzz   picks the build (default release), out of tree in build/VARIANT

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

VARIANT ?= release
PREFIX ?= /usr/local
# Where the libraries go below PREFIX; a distribution may want lib64, or a folder for the architecture.
LIBDIR ?= lib
DESTDIR ?=
FUZZ_SECONDS ?= 60
ifeq ($(origin CXX),default)
CXX := g++
endif
# em++ (make wasm) is clang, too.
CLANG = $(or $(findstring clang,$(CXX)),$(findstring em++,$(CXX)))
PKG_CONFIG ?= pkg-config
CCACHE ?= $(shell command -v ccache 2>/dev/null)
# ccache keeps nothing that was compiled with a precompiled header unless it may trust its macros and times.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros,include_file_mtime,include_file_ctime

VERSION_HEADER := libapf/include/apf/version.h
version_part = $(shell sed -n 's/^\#define APF_VERSION_$(1) //p' $(VERSION_HEADER))
MAJOR := $(call version_part,MAJOR)
VERSION := $(MAJOR).$(call version_part,MINOR).$(call version_part,PATCH)

# gzip is read two to three times as fast with ISA-L, which not every processor has.
WITH_ISAL = $(eval WITH_ISAL := $$(shell $(PKG_CONFIG) --exists libisal 2>/dev/null && echo libisal))$(WITH_ISAL)
# Archives, xz, bzip2 and lz4 are read where there is libarchive.
WITH_ARCHIVE = $(eval WITH_ARCHIVE := $$(shell $(PKG_CONFIG) --exists libarchive 2>/dev/null && echo libarchive))$(WITH_ARCHIVE)
PACKAGES = yaml-cpp yaml-0.1 re2 fmt simdjson libcrypto zlib libzstd $(WITH_ISAL) $(WITH_ARCHIVE)
BUILD := build/$(VARIANT)

# --- flags -------------------------------------------------------------------------------------

# Of sources that are compiled together, clang warns of each name that two of them have, each in a function of its own.
WARNINGS = -Wall -Wextra -Wpedantic $(if $(CLANG),-Wno-overlength-strings,-Wshadow) -Wnon-virtual-dtor -Wcast-qual -Wformat=2
# Pointers that are null or point elsewhere are found where they are used; what looks at each of them before takes a fourth of the
# time to compile and to run. The fuzzers keep these checks.
SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize=null,alignment,vptr,object-size -fno-sanitize-recover=all
SANITIZE_tsan := -fsanitize=thread
# What makes attacks harder, where the processor and the compiler have it. Tested by tests/install/hardening.py.
MACHINE = $(eval MACHINE := $$(firstword $$(subst -, ,$$(shell $(CXX) -dumpmachine))))$(MACHINE)
HARDENING_x86_64 := -fstack-clash-protection -fcf-protection
HARDENING_aarch64 := -fstack-clash-protection -mbranch-protection=standard
HARDENING_release = -fstack-protector-strong $(HARDENING_$(MACHINE)) -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
# No path of the build is in what it makes.
CXXFLAGS_release = -O2 $(HARDENING_release) -ffile-prefix-map=$(CURDIR)=.
CXXFLAGS_debug := -O0 -g1 -D_GLIBCXX_ASSERTIONS
CXXFLAGS_asan := -O1 -g1 -fno-omit-frame-pointer $(SANITIZE_asan) -D_GLIBCXX_ASSERTIONS
CXXFLAGS_tsan := -O1 -g1 -fno-omit-frame-pointer $(SANITIZE_tsan)
# What works on each request or line of a log, in these folders.
HOT := $(addprefix libapf/src/,base classify classify/kep logs logs/formats schedule $(addprefix replay/,engine prepare store))
# With -O2 these folders compile in about a tenth less time, and replays take 4 to 9 % more instructions. As many small functions
# become part of their callers in sources that are compiled together as in each alone; by its own limits for large sources, g++
# leaves more of them as calls.
INLINES_AS_ALONE = $(if $(CLANG),,--param large-unit-insns=200000)
HOT_release = -O3 $(INLINES_AS_ALONE)
# What works on each object or each count, in these folders: compiled as COLD, config reads 10,000 objects in half as long again.
WARM := $(addprefix libapf/src/,admission config summary $(addprefix replay/,books clients observers stages))
WARM_release = -O1 $(INLINES_AS_ALONE)
# All else works once in a run, on options and on results, or waits for what is above: it compiles in half of the time.
COLD_release := -Og -finline-functions-called-once
# Of these folders, too, what works once in a run.
ONCE := $(addprefix libapf/src/,$(addprefix base/,api_resources.cc big_decimal.cc collisions.cc comparison.cc diagnostic.cc error.cc folder_walk.cc \
    go_quote.cc hand_lines.cc kube_version.cc output_file.cc path_globs.cc process_limits.cc releases.cc remarks.cc scrape_line.cc sha256.cc \
    shell_word.cc temporary_file.cc why.cc) \
  $(addprefix classify/,administrator.cc audit_verdict.cc dialect.cc kubectl_commands.cc object_name.cc request_words.cc \
    resource_argument.cc user_named.cc) \
  $(addprefix logs/,device.cc find_logs.cc log_traffic.cc remarks.cc sort_log.cc text_spool.cc) \
  $(addprefix replay/,engine/config_schedule.cc engine/fill.cc engine/prelude.cc engine/run_options.cc engine/unused_entries.cc))
$(foreach source,$(ONCE),$(if $(wildcard $(source)),,$(error there is no $(source))))
$(foreach folder,$(HOT) $(WARM),$(if $(wildcard $(folder)/*.cc),,$(error there are no sources in $(folder))))
TESTS_release := -O0 -U_FORTIFY_SOURCE
TESTS_asan := -O0
TESTS_tsan := -O0
# With sanitizers, what works once in a run or on each object compiles in less than half of the time without optimizations.
COLD_asan := -O0
WARM_asan := -O0
COLD_tsan := -O0
WARM_tsan := -O0
CXXFLAGS_cov := -O0 -g --coverage
CXXFLAGS_fuzz := -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LDFLAGS_release := -Wl,-z,relro,-z,now,-z,noexecstack
LDFLAGS_asan := -fsanitize=address,undefined
LDFLAGS_tsan := -fsanitize=thread
LDFLAGS_cov := --coverage
LDFLAGS_fuzz := -fsanitize=address,undefined
# With sanitizers clang compiles twice as fast as g++, and it alone has libFuzzer.
ifneq ($(filter asan tsan fuzz,$(VARIANT)),)
CXX := clang++
endif
# In headers that it has precompiled, g++ 12 does not keep silent about the standard library's own strings.
WARNINGS_release := $(if $(CLANG),,-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
ifeq ($(filter $(VARIANT),release debug asan tsan cov fuzz),)
$(error VARIANT=$(VARIANT) is none of release debug asan tsan cov fuzz)
endif

# pkg-config is asked once, and only by what compiles: `make help` and `make deps` work without it.
ask_pkg_config = $(if $(shell $(PKG_CONFIG) --exists $(PACKAGES) 2>/dev/null && echo yes),\
  $(shell $(PKG_CONFIG) $(1) $(PACKAGES)),\
  $(error not all of the libraries are there ($(PACKAGES)): run `make deps`))
# Headers of the libraries as system headers, so that only our own code is warned about.
DEP_CFLAGS = $(eval DEP_CFLAGS := $$(patsubst -I%,-isystem%,$$(call ask_pkg_config,--cflags)))$(DEP_CFLAGS)
DEP_LIBS = $(eval DEP_LIBS := $$(call ask_pkg_config,--libs))$(DEP_LIBS)
FMT_LIBS = $(eval FMT_LIBS := $$(shell $(PKG_CONFIG) --libs fmt))$(FMT_LIBS)
# g++ looks for memory that it can use again only when it has taken so much (kB). That costs a seventh of its time otherwise,
# and saves a tenth of its memory.
COLLECTS_LATE := $(if $(CLANG),,--param ggc-min-heapsize=1048576)
# Structs of a few hundred bytes are copied and cleared by vectors: the string instructions that g++ prefers take longer to begin.
comma := ,
COPIES_BY_VECTORS := $(if $(or $(CLANG),$(filter-out x86_64-%,$(shell $(CXX) -dumpmachine))),,\
  -mmemcpy-strategy=vector_loop:2048:noalign$(comma)libcall:-1:noalign -mmemset-strategy=vector_loop:2048:noalign$(comma)libcall:-1:noalign)
FOR_SHARED := -pthread -fPIC
COMMON = -std=c++20 $(COLLECTS_LATE) $(COPIES_BY_VECTORS) $(WARNINGS) $(WARNINGS_$(VARIANT)) $(CXXFLAGS_$(VARIANT)) $(CXXFLAGS) $(FOR_SHARED) -fvisibility=hidden \
         -fvisibility-inlines-hidden -Ilibapf/include $(DEP_CFLAGS) $(CPPFLAGS)
LINK = $(CXX) $(CXXFLAGS_$(VARIANT)) $(LDFLAGS_$(VARIANT)) $(LDFLAGS) -pthread
# A program at an address of its own in every run. Address sanitizers and fuzzers choose for themselves.
LINK_PROGRAM = $(LINK) $(if $(filter release,$(VARIANT)),-pie)
COMPILE = $(CCACHE) $(CXX) $(COMMON) -MMD -MP

# --- files -------------------------------------------------------------------------------------

LIB_SOURCES := $(sort $(wildcard libapf/src/*/*.cc libapf/src/*/*/*.cc))
TOOL_SOURCES := $(sort $(wildcard tools/apfctl/*.cc tools/apfctl/*/*.cc))
# What of the tool has unit tests; golden tests cover the rest.
TESTED_TOOL_SOURCES := tools/apfctl/shared/failure.cc
TEST_SOURCES := $(sort $(wildcard tests/unit/*.cc tests/unit/*/*.cc tests/conformance/*.cc tests/property/*.cc tests/support/*.cc))
BENCH_SOURCES := $(sort $(wildcard tests/bench/*.cc))
FUZZ_SOURCES := $(sort $(wildcard tests/fuzz/*_fuzz.cc))
GENERATORS := $(sort $(wildcard examples/*/generate.cc))
HEADERS := $(sort $(wildcard libapf/include/apf/*.h))
# Schemas and pages of the manual are made of what is kept in schemas/ and man/, and of tables.
SCHEMA_SOURCES := $(sort $(wildcard schemas/*.json schemas/*.py schemas/results/*.py)) tools/docs/remarks.py libapf/src/report/core/remarks.inc
SCHEMA_NAMES := $(patsubst schemas/%.schema.json,%,$(wildcard schemas/*.json)) $(patsubst schemas/results/%.py,%,$(wildcard schemas/results/*.py)) \
  flowcontrol $(foreach version,v1beta1 v1beta2 v1beta3,flowschema-$(version) prioritylevelconfiguration-$(version))
SCHEMAS := $(sort $(SCHEMA_NAMES:%=$(BUILD)/schemas/%.schema.json))
MAN_SOURCES := $(sort $(wildcard man/*.[157]))
RULES_PAGE := $(BUILD)/man/apfctl-rules.7
MAN_PAGES := $(sort $(MAN_SOURCES:%=$(BUILD)/%) $(RULES_PAGE))
objects = $(patsubst %.cc,$(BUILD)/obj/%.o,$(1))

# Until 1.0 a minor version may change the layout of public types (libapf/README.md): the soname carries it.
SONAME := libapf.so.$(if $(filter 0,$(MAJOR)),$(MAJOR).$(call version_part,MINOR),$(MAJOR))
SHARED := $(BUILD)/lib/libapf.so.$(VERSION)
STATIC := $(BUILD)/lib/libapf.a
APFCTL := $(BUILD)/bin/apfctl
UNIT := $(BUILD)/bin/unit-tests
BENCHES := $(patsubst tests/bench/%.cc,$(BUILD)/bin/%,$(BENCH_SOURCES))
FUZZERS := $(BUILD)/bin/fuzzers
EXAMPLE_GENERATORS := $(patsubst examples/%/generate.cc,$(BUILD)/bin/generate-%,$(GENERATORS))

# --- build -------------------------------------------------------------------------------------

all: $(SCHEMAS) $(APFCTL) $(STATIC) $(BUILD)/lib/pkgconfig/apf.pc $(MAN_PAGES) ## build the library and apfctl (installs nothing)
lib: $(SHARED) $(STATIC) ## build the library alone
apfctl: $(APFCTL)

$(filter-out $(RULES_PAGE),$(MAN_PAGES)) &: $(MAN_SOURCES) tools/docs/pages.py tools/docs/flags.mdoc tools/docs/remarks.py libapf/src/report/core/remarks.inc
	$(needs_python)python3 tools/docs/pages.py $(BUILD)/man
# What rules say of themselves. RUN: what runs a program of another processor.
$(RULES_PAGE): $(APFCTL) tools/docs/rules_page.py
	@mkdir -p $(@D)
	$(RUN) $(APFCTL) rules -o json > $(BUILD)/rules.json
	python3 tools/docs/rules_page.py < $(BUILD)/rules.json > $@

# Precompiled headers, in the build folder so that sources cannot come to need them; one for each set of flags, found beside
# their source by g++ and clang. They hold the public headers too, which saves a fifth of a build of everything; not in a
# debug build, where a change of a public header compiles only what includes it.
precompiled = $(BUILD)/pch/$(1)/usual.h.gch
use_precompiled = -include $(BUILD)/pch/$(1)/usual.h
PRECOMPILED_PUBLIC := $(if $(filter debug,$(VARIANT)),,$(HEADERS))
TOOLS_SET := $(if $(COLD_$(VARIANT)),cold,tools)
PRECOMPILED_SETS := $(sort library cold warm tests $(TOOLS_SET))
FLAGS_OF_library = $(HOT_$(VARIANT))
FLAGS_OF_cold = $(COLD_$(VARIANT))
FLAGS_OF_warm = $(WARM_$(VARIANT))
FLAGS_OF_tests = $(TESTS_$(VARIANT)) -Itests
PRECOMPILED_FOR_tests := catch.h
$(BUILD)/pch/%/usual.h: FORCE
	@mkdir -p $(@D)
	@printf '#include <%s>\n' usual.h $(PRECOMPILED_FOR_$*) $(PRECOMPILED_PUBLIC:libapf/include/%=%) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
# By what ccache calls depend mode, as g++ wants the very bytes of the headers, comments and spaces included.
$(BUILD)/pch/%/usual.h.gch: $(BUILD)/pch/%/usual.h
	$(if $(CCACHE),CCACHE_DEPEND=1) $(subst -MMD,-MD,$(COMPILE)) $(FLAGS_OF_$*) -Ilibapf/src -x c++-header $< -o $@
.PRECIOUS: $(BUILD)/pch/%/usual.h $(BUILD)/pch/%/usual.h.gch
-include $(PRECOMPILED_SETS:%=$(BUILD)/pch/%/usual.h.d)

# Which set of flags a source has, by its folder.
in_folders = $(filter $($(1)),$(patsubst %/,%,$(dir $(2))))
library_set = $(if $(COLD_$(VARIANT)),$(if $(filter $(ONCE),$(1)),cold,$(if $(call in_folders,HOT,$(1)),library,$(if $(call in_folders,WARM,$(1)),warm,cold))),library)
set_of = $(if $(filter libapf/%,$(1)),$(call library_set,$(1)),$(if $(filter tools/%,$(1)),$(TOOLS_SET),tests))

# Most of the time that a small source takes is for headers. So sources of one folder and set are compiled together, some at a
# time, but where one at a time is compiled anew (debug) or looked at (cov). This is why a folder's sources don't have two
# things of one name in their anonymous namespaces: tests/arch/names.py looks for such names, `make together` compiles each
# folder as one.
# Forty of them take nine tenths of the time of twenty twice. In a debug build it is six, which takes half as long again as one, and
# a third as long in all.
TOGETHER := $(filter-out cov,$(VARIANT))
sources_each := $(if $(filter debug,$(VARIANT)),6,40)
SPANS := $(shell seq 1 $(sources_each) 120 | while read -r n; do echo $$n-$$((n + $(sources_each) - 1)); done)
# Catch2's own code reads its header with other settings; the static program has its own of the two others.
ALONE := tests/unit/main.cc $(addprefix libapf/src/,logs/archive.cc logs/gzip.cc base/libraries.cc)
span = $(wordlist $(firstword $(subst -, ,$(1))),$(lastword $(subst -, ,$(1))),$(2))
# $(call together,FOLDER,SET,SOURCES): the objects of these sources; IN_... says which sources an object is made of.
beyond = $(filter-out $(wordlist 1,$(lastword $(subst -, ,$(SPANS))),$(1)),$(1))
together = $(if $(call beyond,$(3)),$(error $(1) has more sources than SPANS are for))$(foreach s,$(SPANS),$(if $(call span,$(s),$(3)),$(eval IN_$(1)$(2)-$(s) := $(call span,$(s),$(3)))$(BUILD)/obj/$(1)$(2)-$(s).o))
of_set = $(foreach source,$(2),$(if $(filter $(1),$(call set_of,$(source))),$(source)))
in_folder = $(foreach source,$(2),$(if $(filter $(1),$(dir $(source))),$(source)))
by_folder = $(foreach folder,$(sort $(dir $(2))),$(call together,$(folder),$(1),$(call in_folder,$(folder),$(2))))
# What several objects have alike, as functions of templates, comes from the first of them: from one that is optimized fully.
in_sets = $(strip $(call objects,$(filter $(ALONE),$(1))) \
  $(foreach set,library warm cold tools tests,$(call $(if $(TOGETHER),by_folder,one_by_one),$(set),$(call of_set,$(set),$(filter-out $(ALONE),$(1))))))
one_by_one = $(call objects,$(2))
LIB_OBJECTS := $(call in_sets,$(LIB_SOURCES))
TOOL_OBJECTS := $(call in_sets,$(TOOL_SOURCES))
TEST_OBJECTS := $(call in_sets,$(TEST_SOURCES))
FUZZ_OBJECTS := $(call in_sets,$(FUZZ_SOURCES) tests/fuzz/entries.cc)

# Written without a shell, as each run of make looks at all of them, and only where the text is another.
hash := \#
define newline


endef
text_together = $(foreach source,$(patsubst libapf/src/%,%,$(IN_$(1):tools/apfctl/%=%)),$(hash)include "$(source:tests/%=%)"$(newline))
is_written = $(if $(subst x$(strip $(2)),,x$(strip $(1))),,yes)
$(BUILD)/obj/%.cc: FORCE
	$(if $(IN_$*),,$(error $@: no sources are compiled together under this name))$(if $(call is_written,$(file <$@),$(call text_together,$*)),,$(shell mkdir -p $(@D))$(file >$@,$(call text_together,$*)))
.PRECIOUS: $(BUILD)/obj/%.cc

# The set of an object: of its source, or in its name; what else its sources need.
set_here = $(if $(IN_$(1)),$(firstword $(subst -, ,$(notdir $(1)))),$(call set_of,$(1).cc))
flags_here = $(foreach set,$(call set_here,$(1)),$(FLAGS_OF_$(set)) $(if $(filter tests/unit/main,$(1)),,$(call use_precompiled,$(set)))) \
  $(sort $(foreach source,$(or $(IN_$(1)),$(1)),$(NEEDS_$(notdir $(basename $(source))))))
NEEDS_gzip = $(if $(WITH_ISAL),-DAPF_WITH_ISAL)
NEEDS_archive = $(if $(WITH_ARCHIVE),-DAPF_WITH_ARCHIVE)
NEEDS_libraries = $(NEEDS_gzip) $(NEEDS_archive)
# The schemas, and as a table of the tool's.
needs_python = $(if $(shell command -v python3),,$(error python3 writes the schemas and the manual, and is not there: run `make deps`, or install it))
$(SCHEMAS) &: $(SCHEMA_SOURCES)
	$(needs_python)python3 schemas/generate.py $(BUILD)/schemas
SCHEMA_TABLE := $(BUILD)/obj/schema_table
$(SCHEMA_TABLE).cc: tools/apfctl/shared/embed_schemas.sh $(SCHEMAS)
	@mkdir -p $(@D)
	$^ > $@
$(SCHEMA_TABLE).o: $(SCHEMA_TABLE).cc $(call precompiled,$(TOOLS_SET))
	$(COMPILE) $(FLAGS_OF_$(TOOLS_SET)) $(call use_precompiled,$(TOOLS_SET)) -Itools/apfctl -c $< -o $@

# The commit and the flags as a part of the tool; written anew only when they are others.
SHOWN_FLAGS = $(CXXFLAGS_$(VARIANT)) $(CXXFLAGS) $(LDFLAGS_$(VARIANT)) $(LDFLAGS)
BUILD_INFO := $(BUILD)/obj/build_info/shared
$(BUILD)/obj/build_info/%.cc: tools/apfctl/shared/embed_build_info.sh tools/packaging/commit FORCE
	@mkdir -p $(@D)
	@$< $(foreach flag,$(SHOWN_FLAGS) $(if $(filter static,$*),-static-pie),'$(flag)') > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/obj/build_info/%.o: $(BUILD)/obj/build_info/%.cc
	$(COMPILE) -Itools/apfctl -c $< -o $@
.PRECIOUS: $(BUILD)/obj/build_info/%.cc

# Where the tests find their files; what does not need it is compiled alike in every checkout.
NEEDS_vectors := -DAPF_TESTS_DIR='"$(CURDIR)/tests"'
NEEDS_rules_test := $(NEEDS_vectors)
NEEDS_key_schemas_test := $(NEEDS_vectors)
NEEDS_safe_fix_test := $(NEEDS_vectors)
NEEDS_failure_test := -Itools/apfctl
NEEDS_find_logs_test = $(NEEDS_archive)

# From a source, or from several together. The tool sees the public headers only.
define compile_here
@mkdir -p $(@D)
$(COMPILE) $(ONLY_LOOK) $(call flags_here,$(@:$(BUILD)/obj/%.o=%)) $(1) -c $< -o $@
endef
LIBRARY_HEADERS := $(call precompiled,library) $(if $(COLD_$(VARIANT)),$(call precompiled,cold) $(call precompiled,warm))
TOOL_HEADERS := $(call precompiled,$(TOOLS_SET))
$(BUILD)/obj/libapf/%.o: libapf/%.cc $(LIBRARY_HEADERS)
	$(call compile_here,-Ilibapf/src)
$(BUILD)/obj/libapf/%.o: $(BUILD)/obj/libapf/%.cc $(LIBRARY_HEADERS)
	$(call compile_here,-Ilibapf/src)
$(BUILD)/obj/tools/%.o: tools/%.cc $(TOOL_HEADERS)
	$(call compile_here,-Itools/apfctl)
$(BUILD)/obj/tools/%.o: $(BUILD)/obj/tools/%.cc $(TOOL_HEADERS)
	$(call compile_here,-Itools/apfctl)
$(BUILD)/obj/tests/%.o: tests/%.cc $(call precompiled,tests)
	$(call compile_here,-Ilibapf/src -Itests)
$(BUILD)/obj/tests/%.o: $(BUILD)/obj/tests/%.cc $(call precompiled,tests)
	$(call compile_here,-Ilibapf/src -Itests)

# Benchmarks measure their own code too.
$(BUILD)/obj/tests/bench/%.o: tests/bench/%.cc $(call precompiled,library)
	@mkdir -p $(@D)
	$(COMPILE) $(call use_precompiled,library) -Ilibapf/src -Itests -c $< -o $@

$(BUILD)/obj/examples/%.o: examples/%.cc
	@mkdir -p $(@D)
	$(COMPILE) $(FLAGS_OF_$(TOOLS_SET)) -c $< -o $@

$(SHARED): $(LIB_OBJECTS) libapf/libapf.map
	@mkdir -p $(@D)
	$(LINK) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=libapf/libapf.map $(if $(filter asan tsan cov fuzz,$(VARIANT)),,-Wl,--no-undefined) \
	  $(LIB_OBJECTS) $(DEP_LIBS) -o $@
	ln -sf libapf.so.$(VERSION) $(BUILD)/lib/$(SONAME)
	ln -sf $(SONAME) $(BUILD)/lib/libapf.so

$(STATIC): $(LIB_OBJECTS)
	@mkdir -p $(@D)
	rm -f $@
	$(AR) rcs $@ $(LIB_OBJECTS)

# rpath $ORIGIN/../lib: the tree in build/VARIANT works as the installed one does. A distribution has its libraries where the
# loader looks anyway, and empties RPATH.
RPATH ?= $$ORIGIN/../lib
$(APFCTL): $(TOOL_OBJECTS) $(SCHEMA_TABLE).o $(BUILD_INFO).o $(SHARED)
	@mkdir -p $(@D)
	$(LINK_PROGRAM) $(TOOL_OBJECTS) $(SCHEMA_TABLE).o $(BUILD_INFO).o -L$(BUILD)/lib -lapf $(FMT_LIBS) $(RPATH:%=-Wl,-rpath,'%') -o $@

# Debian has no archives of what libarchive is linked with: it is the one shared library beside the static one.
$(BUILD)/lib/pkgconfig/apf.pc: libapf/apf.pc.in $(VERSION_HEADER) FORCE
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@PACKAGES@|$(filter-out libarchive,$(PACKAGES))|' \
	  -e 's|@ARCHIVE@|$(if $(WITH_ARCHIVE), -larchive)|' $< > $@

# The library's objects first, as theirs are the functions of templates that are optimized.
$(UNIT): $(LIB_OBJECTS) $(TEST_OBJECTS) $(call objects,$(TESTED_TOOL_SOURCES))
	@mkdir -p $(@D)
	$(LINK_PROGRAM) $^ $(DEP_LIBS) -o $@

# Benchmarks: one program for each source. They use the static library, as internal parts are measured too.
$(BENCHES): $(BUILD)/bin/%: $(BUILD)/obj/tests/bench/%.o $(STATIC)
	@mkdir -p $(@D)
	$(LINK_PROGRAM) $< $(STATIC) $(DEP_LIBS) -o $@

# All fuzzers are one program; each has a link of its name. In other builds than that of clang, blindly mutated seeds take
# the place of libFuzzer.
FUZZ_MAIN := $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer,$(BUILD)/obj/tests/fuzz/without_libfuzzer.o)
$(FUZZERS): $(FUZZ_OBJECTS) $(STATIC) $(filter %.o,$(FUZZ_MAIN))
	@mkdir -p $(@D)
	$(LINK) $(FUZZ_OBJECTS) $(FUZZ_MAIN) $(STATIC) $(DEP_LIBS) -o $@
	@for name in $(FUZZ_SOURCES:tests/fuzz/%.cc=%); do ln -sf fuzzers $(@D)/$$name; done

$(EXAMPLE_GENERATORS): $(BUILD)/bin/generate-%: $(BUILD)/obj/examples/%/generate.o
	@mkdir -p $(@D)
	$(LINK_PROGRAM) $< $(FMT_LIBS) -o $@

# Programs that the test scripts and the example need, without running anything.
examples: $(EXAMPLE_GENERATORS)
benches: $(BENCHES)
fuzzers: $(FUZZERS)
tests: $(UNIT) $(EXAMPLE_GENERATORS) all

# Whole folders, each as one source, looked at only: whatever is compiled together in time to come, names are unique.
together:
	@$(MAKE) --no-print-directory VARIANT=release BUILD=build/together SPANS=1-999 COLD_release= WARM_release= TESTS_release= \
	  ONLY_LOOK='-fsyntax-only -Werror' objects
objects: $(LIB_OBJECTS) $(TOOL_OBJECTS) $(TEST_OBJECTS)
# The same of the library and the tool by clang with its own standard library, which macOS has.
libcxx:
	@$(MAKE) --no-print-directory VARIANT=release BUILD=build/libcxx SPANS=1-999 COLD_release= WARM_release= CXX='clang++ -stdlib=libc++' \
	  ONLY_LOOK='-fsyntax-only -Werror' own-objects
own-objects: $(LIB_OBJECTS) $(TOOL_OBJECTS)

-include $(patsubst %.o,%.d,$(LIB_OBJECTS) $(TOOL_OBJECTS) $(TEST_OBJECTS) $(FUZZ_OBJECTS) $(call objects,$(BENCH_SOURCES) $(GENERATORS)))

# --- use ---------------------------------------------------------------------------------------

deps: ## install the packages that `make check` needs and are missing (Debian, Ubuntu; as root or with sudo)
	@.ci/deps.sh check

demo: ## in one screen: a controller runs amok, a change is tried on the log, and who is better off with it
	@.ci/deps.sh build
	@examples/amok-controller/demo.sh compile $(MAKE) --no-print-directory VARIANT=release -j$$(nproc) build/release/bin/apfctl build/release/bin/generate-amok-controller
	@examples/amok-controller/demo.sh

quick: ## while developing: build what changed, run the unit and golden tests (VARIANT=debug unless given)
	@.ci/deps.sh check
	@$(MAKE) --no-print-directory -s VARIANT=$(QUICK_VARIANT) -j$$(nproc) tests
	@tests/unit/run.py build/$(QUICK_VARIANT)/bin/unit-tests
	@APFCTL=build/$(QUICK_VARIANT)/bin/apfctl tests/golden/run.sh
QUICK_VARIANT := $(if $(filter file,$(origin VARIANT)),debug,$(VARIANT))

unit: $(UNIT) ## build and run the unit, property and conformance tests (UNIT_ARGS='[config]' runs some)
	$(if $(UNIT_ARGS),$(UNIT) $(UNIT_ARGS),@tests/unit/run.py $(UNIT))

golden: $(APFCTL) ## build and run the golden tests (CASE=lint/config, UPDATE=1 writes what comes out as expected)
	@APFCTL=$(APFCTL) UPDATE='$(UPDATE)' tests/golden/run.sh $(CASE)

check: ## what every change needs: install what is missing, build, run the tests
	@.ci/deps.sh check
	@MAKE='$(MAKE)' tests/run-suite.sh check

check-rest: ## what takes longer or more packages: sanitizers, a browser, zsh and fish, Prometheus
	@.ci/deps.sh check-all
	@MAKE='$(MAKE)' tests/run-suite.sh rest

check-packages: ## build the static program and the Debian packages, and try them in a clean Debian
	@.ci/deps.sh packages
	@MAKE='$(MAKE)' tests/run-suite.sh packages

check-fleet: ## sweeps on engines: a Slurm cluster of one node on loopback (installs slurm-wlm and munge), GNU parallel, Kubernetes
	@.ci/deps.sh fleet
	@$(MAKE) --no-print-directory -s VARIANT=release -j$$(nproc) all examples
	@MAKE='$(MAKE)' tests/run-suite.sh engines

check-all: ## check and check-rest
	@.ci/deps.sh check-all
	@MAKE='$(MAKE)' tests/run-suite.sh check rest

check-long: ## hours: 20,000 mutated inputs under sanitizers, races, each fuzzer for FUZZ_SECONDS
	@.ci/deps.sh check-all
	@.ci/deps.sh fuzz
	@$(MAKE) --no-print-directory VARIANT=release -j$$(nproc) examples
	@MAKE='$(MAKE)' FUZZ_SECONDS='$(FUZZ_SECONDS)' tests/run-suite.sh long

fidelity: $(APFCTL) ## compare replays with recordings of a real server (APF_RECORDINGS=FOLDER)
	@python3 tests/fidelity/run.py $(APFCTL)
	@python3 tests/fidelity/coverage.py $(APFCTL)

advice: $(APFCTL) ## hold what suggest, compare and headroom promise against recordings of a real server (APF_RECORDINGS=FOLDER)
	@python3 tests/fidelity/advice.py $(APFCTL)

bench: ## measure: ratios against simdjson and jq, scheduling, classification, hands, memory, the build itself
	@.ci/deps.sh check
	@$(MAKE) --no-print-directory VARIANT=release -j$$(nproc) all benches examples
	@python3 tests/bench/run.py

fuzz: ## build the fuzzers with clang and run each for FUZZ_SECONDS (default 60)
	@.ci/deps.sh fuzz
	@$(MAKE) --no-print-directory VARIANT=fuzz -j$$(nproc) fuzzers
	@FUZZ_SECONDS='$(FUZZ_SECONDS)' tests/fuzz/run.sh

tidy: ## clang-tidy over the library and the tool
	@.ci/deps.sh tidy
	@printf '%s\n' $(LIB_SOURCES) $(TOOL_SOURCES) | xargs -P$$(nproc) -n4 sh -c \
	  'clang-tidy --quiet "$$@" -- -std=c++20 -Ilibapf/include -Ilibapf/src -Itools/apfctl $(DEP_CFLAGS) 2>/dev/null' tidy

format: ## clang-format all sources in place
	@.ci/deps.sh format
	@find libapf tools tests examples -name '*.h' -o -name '*.cc' | xargs -r clang-format -i

# --- install -----------------------------------------------------------------------------------

INSTALLED_HEADERS := $(patsubst libapf/include/%,include/%,$(HEADERS))
INSTALLED_MAN := $(foreach page,$(MAN_PAGES),share/man/man$(patsubst .%,%,$(suffix $(page)))/$(notdir $(page)))
INSTALLED_SCHEMAS := $(patsubst $(BUILD)/%,share/apfctl/%,$(SCHEMAS))
COMPLETION_bash := share/bash-completion/completions/apfctl
COMPLETION_zsh := share/zsh/site-functions/_apfctl
COMPLETION_fish := share/fish/vendor_completions.d/apfctl.fish
INSTALLED_LIBRARIES := $(addprefix $(LIBDIR)/,libapf.so.$(VERSION) $(SONAME) libapf.so libapf.a pkgconfig/apf.pc)
INSTALLED := bin/apfctl bin/kubectl-apfctl $(INSTALLED_LIBRARIES) $(INSTALLED_HEADERS) $(INSTALLED_MAN) $(INSTALLED_SCHEMAS) \
  $(COMPLETION_bash) $(COMPLETION_zsh) $(COMPLETION_fish)
INTO := $(DESTDIR)$(PREFIX)

install: all ## install under DESTDIR and PREFIX (default /usr/local)
	install -d $(addprefix $(INTO)/,$(sort $(dir $(INSTALLED))))
	install -m 755 $(APFCTL) $(INTO)/bin/
	ln -sf apfctl $(INTO)/bin/kubectl-apfctl
	install -m 755 $(SHARED) $(INTO)/$(LIBDIR)/
	ln -sf libapf.so.$(VERSION) $(INTO)/$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(INTO)/$(LIBDIR)/libapf.so
	install -m 644 $(STATIC) $(INTO)/$(LIBDIR)/
	install -m 644 $(BUILD)/lib/pkgconfig/apf.pc $(INTO)/$(LIBDIR)/pkgconfig/
	install -m 644 $(HEADERS) $(INTO)/include/apf/
	$(foreach page,$(MAN_PAGES),install -m 644 $(page) $(INTO)/share/man/man$(patsubst .%,%,$(suffix $(page)))/ &&) true
	$(foreach schema,$(SCHEMAS),install -m 644 $(schema) $(INTO)/share/apfctl/schemas/ &&) true
	$(foreach name,bash zsh fish,$(APFCTL) completion $(name) > $(INTO)/$(COMPLETION_$(name)) && chmod 644 $(INTO)/$(COMPLETION_$(name)) &&) true
	$(if $(DESTDIR),,-ldconfig 2>/dev/null)
USER_PREFIX = $(if $(filter file,$(origin PREFIX)),$(HOME)/.local,$(PREFIX))
user-install: ## install for yourself, without root: into ~/.local, or PREFIX
	@$(MAKE) --no-print-directory -s install PREFIX='$(USER_PREFIX)' >/dev/null
	@echo "apfctl is in $(USER_PREFIX)/bin; if a shell does not find it:"
	@echo "  export PATH=$(USER_PREFIX)/bin:\$$PATH"
user-uninstall: ## remove what `make user-install` put there
	@$(MAKE) --no-print-directory -s uninstall PREFIX='$(USER_PREFIX)'
uninstall: ## remove what `make install` put there
	rm -f $(addprefix $(INTO)/,$(INSTALLED))
	-rmdir --ignore-fail-on-non-empty $(INTO)/include/apf $(INTO)/share/apfctl/schemas $(INTO)/share/apfctl 2>/dev/null

dist: ## the sources as build/apfctl-VERSION.tar.gz
	@mkdir -p build
	@if git rev-parse --git-dir >/dev/null 2>&1; then \
	  git archive --prefix=apfctl-$(VERSION)/ -o build/apfctl-$(VERSION).tar.gz HEAD; \
	else \
	  tar --exclude=./build --transform 's|^\.|apfctl-$(VERSION)|' --owner=0 --group=0 --sort=name -czf build/apfctl-$(VERSION).tar.gz .; \
	fi
	@echo build/apfctl-$(VERSION).tar.gz

include tools/packaging/packages.mk tools/wasm/wasm.mk

clean: ## remove everything built
	rm -rf build

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  VARIANT=release|debug|asan|tsan|cov|fuzz picks the build, in build/VARIANT"

FORCE:
.PHONY: all lib apfctl examples together objects libcxx own-objects fidelity advice benches fuzzers tests deps demo quick unit golden check check-rest check-packages check-fleet check-all check-long bench fuzz tidy format install user-install user-uninstall uninstall dist clean help FORCE
