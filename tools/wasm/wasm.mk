# apfctl as WebAssembly, for browsers and for Node (tools/wasm/README.md). Part of the Makefile.
#
# One program without threads; the libraries that it needs are compiled from the sources of Debian's own packages.

WASM := build/wasm
# Headers of Debian's packages that are the same for each processor, or say nothing of it that counts here.
define ready_for_wasm
.ci/deps.sh wasm && mkdir -p $(WASM)/include/openssl && ln -sfn /usr/include/CLI /usr/include/fmt $(WASM)/include/ && \
  ln -sf /usr/include/openssl/*.h /usr/include/*-linux-gnu/openssl/*.h $(WASM)/include/openssl/
endef
wasm: ## apfctl as WebAssembly, for browsers and Node: build/wasm/apfctl.wasm, apfctl.mjs (installs emscripten)
	@$(ready_for_wasm)
	+@$(FOR_WASM) -j$$(nproc) $(WASM)/cli.mjs
	@cd $(WASM) && printf 'apfctl.wasm: %s bytes, %s with Brotli, %s with gzip; apfctl.mjs: %s bytes\n' $$(stat -c %s apfctl.wasm) \
	  $$(node -p 'zlib.brotliCompressSync(fs.readFileSync("apfctl.wasm")).length') $$(gzip -9c apfctl.wasm | wc -c) $$(stat -c %s apfctl.mjs)

# The same, compiled as fast as can be: a third of the time. It runs slowly.
wasm-smoke: WASM := build/wasm-smoke
wasm-smoke:
	@$(ready_for_wasm)
	+@$(FOR_WASM) HOT_release=-O0 WARM_release=-O0 COLD_release=-O0 LIBRARY_FLAGS=-O0 WASM_OPTIMIZE="-O0 -s ASSERTIONS=0" -j$$(nproc) $(WASM)/cli.mjs

# What works once in a run is compiled for size; what works on each line of a log, with instructions on 128 bits. clang takes no precompiled header from ccache, which is worth more. Node's own modules of Debian have what emscripten needs of them.
FOR_WASM = NODE_PATH=/usr/share/nodejs EM_COMPILER_WRAPPER=$(CCACHE) $(MAKE) --no-print-directory VARIANT=release WASM=$(WASM) BUILD=$(WASM) CXX=em++ AR=emar MACHINE=wasm32 FMT_ARCHIVE=none SIMDJSON_ARCHIVE=none CCACHE= \
  precompiled= use_precompiled= FOR_SHARED= CXXFLAGS=-fwasm-exceptions HARDENING_release= HOT_release="-O2 -msimd128 -fno-slp-vectorize -fno-unroll-loops" WARM_release=-Os COLD_release=-Os \
  WITH_ISAL= WITH_ARCHIVE=libarchive NEEDS_libraries='-DAPF_STATIC -DAPF_WITH_ARCHIVE' DEP_CFLAGS='$(WASM_INCLUDES)'
WASM_INCLUDES = $(addprefix -isystem,$(WASM)/include $(addprefix build/sources/,yaml-cpp/include libyaml/include re2 simdjson/include \
  zlib libzstd/lib libarchive/libarchive))

# --- libraries ---------------------------------------------------------------------------------

# Of each library, below build/sources: its sources, and its flags.
WASM_LIBRARIES := yaml-cpp libyaml re2 simdjson zlib libzstd libarchive xz-utils bzip2 lz4 openssl
OF_yaml-cpp := src/*.cpp
WITH_yaml-cpp := -Os -Ibuild/sources/yaml-cpp/include
OF_libyaml := src/api.c src/parser.c src/reader.c src/scanner.c
WITH_libyaml := -O2 -Ibuild/sources/libyaml/include -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 -DYAML_VERSION_STRING='"0.2.5"'
OF_re2 := re2/*.cc util/rune.cc util/strutil.cc
WITH_re2 := -Os -Ibuild/sources/re2
OF_simdjson := src/simdjson.cpp
WITH_simdjson := -O2 -DNDEBUG -Ibuild/sources/simdjson/include -Ibuild/sources/simdjson/src
OF_zlib := adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c
WITH_zlib := -O2
OF_libzstd := lib/common/*.c lib/compress/*.c lib/decompress/*.c
WITH_libzstd := -O2 -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_
# Reading only. Its configuration for Linux comes with it; what is not here of that is taken back.
OF_libarchive := libarchive/archive_*.c libarchive/xxhash.c
WITH_libarchive := -Os -Ibuild/sources/libarchive/contrib -Ibuild/sources/zlib -Ibuild/sources/libzstd/lib -Ibuild/sources/bzip2 -Ibuild/sources/lz4/lib \
  -Ibuild/sources/xz-utils/src/liblzma/api -DPLATFORM_CONFIG_H='"$(CURDIR)/tools/wasm/libarchive_config.inc"'
OF_xz-utils := $(addprefix src/liblzma/,check/check.c check/crc32_fast.c check/crc32_table.c check/crc64_fast.c check/crc64_table.c check/sha256.c \
  $(addprefix common/,*_decoder.c block_util.c common.c filter_common.c stream_flags_common.c index.c index_hash.c vli_size.c easy_preset.c) \
  delta/delta_common.c delta/delta_decoder.c lz/lz_decoder.c lzma/*_decoder.c lzma/lzma_encoder_presets.c simple/*.c)
WITH_xz-utils := -Os -DHAVE_STDINT_H -DHAVE_STDBOOL_H -DHAVE_INTTYPES_H -DHAVE_STRING_H -DHAVE_LIMITS_H -DHAVE_CHECK_CRC32 -DHAVE_CHECK_CRC64 -DHAVE_CHECK_SHA256 \
  -DHAVE_DECODERS $(addprefix -DHAVE_DECODER_,LZMA1 LZMA2 DELTA X86 POWERPC IA64 ARM ARMTHUMB ARM64 SPARC) -DHAVE_LZIP_DECODER -DTUKLIB_SYMBOL_PREFIX=lzma_ \
  $(addprefix -Ibuild/sources/xz-utils/src/,common $(addprefix liblzma/,api check common delta lz lzma rangecoder simple))
OF_bzip2 := blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c
WITH_bzip2 := -Os
OF_lz4 := lib/lz4.c lib/lz4frame.c lib/lz4hc.c lib/xxhash.c
WITH_lz4 := -Os -DXXH_NAMESPACE=LZ4_
# SHA-256 alone; the headers that its own build would write are those of the package.
OF_openssl := crypto/sha/sha256.c crypto/mem_clr.c
WITH_openssl := -O2 -isystem$(WASM)/include -Ibuild/sources/openssl/include

# Of other systems, and what writes archives and files.
NOT_THERE := %windows.c %_darwin.c %_freebsd.c %_sunos.c %_linux.c $(addprefix build/sources/libarchive/libarchive/archive_,getdate.c match.c write%)
# re2's tables are made of the characters of Unicode, as its package does.
RE2_TABLES := $(addprefix $(BUILD)/obj/re2/,perl_groups.cc unicode_casefold.cc unicode_groups.cc)
$(BUILD)/obj/re2/perl_groups.cc: build/sources/re2/version-fetched
	@mkdir -p $(@D)
	cd build/sources/re2/re2 && perl make_perl_groups.pl > $(CURDIR)/$@
$(BUILD)/obj/re2/unicode_%.cc: build/sources/re2/version-fetched
	@mkdir -p $(@D)
	cd build/sources/re2/re2 && PYTHONDONTWRITEBYTECODE=1 python3 make_unicode_$*.py > $(CURDIR)/$@

.SECONDARY: $(RE2_TABLES)

sources_of = $(filter-out $(NOT_THERE),$(wildcard $(addprefix build/sources/$(1)/,$(OF_$(1)))))
objects_of = $(addprefix $(BUILD)/obj/,$(addsuffix .o,$(call sources_of,$(1)))) $(if $(filter re2,$(1)),$(RE2_TABLES:=.o))
WASM_ARCHIVES := $(WASM_LIBRARIES:%=$(BUILD)/lib/%.a)
LIBRARY_OF = $(firstword $(subst /, ,$(patsubst build/sources/%,%,$(1))))
OF_CXX := .cpp .cc
$(BUILD)/obj/build/sources/%.o: build/sources/%
	@mkdir -p $(@D)
	$(if $(filter $(OF_CXX),$(suffix $*)),em++ -std=c++17,emcc) -w -fwasm-exceptions -ffile-prefix-map=$(CURDIR)=. $(WITH_$(call LIBRARY_OF,$<)) $(LIBRARY_FLAGS) -c $< -o $@
$(BUILD)/obj/re2/%.cc.o: $(BUILD)/obj/re2/%.cc
	em++ -std=c++17 -w -fwasm-exceptions $(WITH_re2) $(LIBRARY_FLAGS) -c $< -o $@
.SECONDEXPANSION:
$(WASM_ARCHIVES): $(BUILD)/lib/%.a: $$(call objects_of,$$*)
	@mkdir -p $(@D)
	rm -f $@
	emar rcs $@ $^

# --- the program -------------------------------------------------------------------------------

WASM_OBJECTS = $(LIB_OBJECTS) $(TOOL_OBJECTS) $(SCHEMA_TABLE).o $(BUILD_INFO).o $(BUILD)/obj/tools/packaging/static/fmt.o $(BUILD)/obj/tools/wasm/memory.o
$(BUILD)/obj/tools/wasm/memory.o: tools/wasm/memory.c
	@mkdir -p $(@D)
	emcc -O2 -msimd128 -fno-builtin -c $< -o $@
# Memory grows up to the 4 GiB that there can be. The stack is as large as Linux gives one. The linker optimizes the whole program again:
# for size (-Oz) it has a tenth less and replays a log at two thirds of the speed.
WASM_OPTIMIZE := -O3
WASM_LINK = $(WASM_OPTIMIZE) -fwasm-exceptions -s MODULARIZE=1 -s EXPORT_ES6=1 -s EXPORT_NAME=apfctl -s ENVIRONMENT=web,worker -s ALLOW_MEMORY_GROWTH=1 \
  -s MAXIMUM_MEMORY=4GB -s INITIAL_MEMORY=32MB -s TOTAL_STACK=8MB -s INVOKE_RUN=0 -s EXIT_RUNTIME=1 -s FORCE_FILESYSTEM=1 \
  -s EXPORTED_FUNCTIONS=_main,_raise -s EXPORTED_RUNTIME_METHODS=FS,WORKERFS,ENV,callMain -lworkerfs.js \
  --js-library tools/wasm/system.js
$(WASM)/apfctl.mjs: $(WASM_OBJECTS) $(WASM_ARCHIVES) tools/wasm/wasm.mk tools/wasm/system.js
	em++ $(WASM_LINK) $(filter %.o,$^) $(filter %.a,$^) -o $@
# `node build/wasm/cli.mjs` is apfctl.
$(WASM)/cli.mjs: tools/wasm/npm/cli.mjs tools/wasm/npm/node_files.mjs $(WASM)/apfctl.mjs
	cp $(wordlist 1,2,$^) $(@D)/
	chmod +x $@
	touch $@

# --- npm and the page --------------------------------------------------------------------------

NPM_PACKAGE := build/npm/apfctl
npm: wasm ## apfctl for npx, without dependencies: build/npm/apfctl-VERSION.tgz
	@rm -rf $(NPM_PACKAGE)
	@mkdir -p $(NPM_PACKAGE)
	@cp $(addprefix $(WASM)/,cli.mjs node_files.mjs apfctl.mjs apfctl.wasm) tools/wasm/npm/README.md $(NPM_PACKAGE)/
	@sed 's/@VERSION@/$(VERSION)/' tools/wasm/npm/package.json.in > $(NPM_PACKAGE)/package.json
	@cd build/npm && npm pack --silent ./apfctl >/dev/null && rm -rf apfctl
	@echo build/npm/apfctl-$(VERSION).tgz

# What npm installs for the page, by its lock.
PAGE_MODULES := build/npm/tools/node_modules
$(PAGE_MODULES)/.package-lock.json: tools/playground/package.json tools/playground/package-lock.json
	@mkdir -p build/npm/tools
	@cp $^ build/npm/tools/
	@cd build/npm/tools && npm ci --silent --no-audit --no-fund
	@touch $@
playground: wasm $(PAGE_MODULES)/.package-lock.json ## a page that asks apfctl in the browser, as static files: build/playground/
	@node tools/playground/build.mjs build/playground $(WASM) $(PAGE_MODULES)
	@echo build/playground/index.html: serve this folder, such as by python3 -m http.server -d build/playground

.PHONY: wasm wasm-smoke npm playground
