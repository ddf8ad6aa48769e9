# Packages of apfctl: the static program, and what packs it (tools/packaging/README.md). Part of the Makefile.

PACKAGING := tools/packaging
# The time of packed files: that of the commit.
PACKED_TIME = $(or $(SOURCE_DATE_EPOCH),$(shell sed -n '2s/^[0-9]*$$/&/p' $(PACKAGING)/commit),$(shell git log -1 --format=%ct))
# Where releases are published, for the krew manifest: https://…/releases/download
RELEASES ?= $(patsubst %.git,%,$(shell git remote get-url origin 2>/dev/null | sed -n 's|^https://github.com/|&|p'))$(if $(shell git remote get-url origin 2>/dev/null | grep '^https://github.com/'),/releases/download)

# --- the manual as HTML ------------------------------------------------------------------------

# Findings link to the pages of their rules where the manual is published: `make DOCS_URL=https://…`, from a clean build.
DOCS_URL ?=
NEEDS_docs_uri = $(if $(DOCS_URL),-DAPF_DOCS_URL='"$(DOCS_URL)"')
docs: $(APFCTL) $(MAN_PAGES) ## the manual as HTML, with a page for each rule: build/docs/index.html
	@.ci/deps.sh docs
	@python3 tools/docs/docs.py $(APFCTL) $(BUILD)/man build/docs
	@echo build/docs/index.html

# --- one static program ------------------------------------------------------------------------

# It takes the objects of the release build. Distributions ship most of the libraries as archives too. Debian ships two of
# them as shared libraries only: fmt is compiled from its headers, simdjson from its source package.
STATIC_APFCTL := $(BUILD)/static/apfctl
STATIC_PACKAGES := yaml-cpp yaml-0.1 re2 libcrypto zlib libzstd
archive = $(filter /%,$(shell $(CXX) -print-file-name=lib$(1).a))
FMT_ARCHIVE = $(or $(call archive,fmt),$(BUILD)/obj/tools/packaging/static/fmt.o)
SIMDJSON_ARCHIVE = $(or $(call archive,simdjson),$(BUILD)/obj/static/simdjson.o)
# The folder of simdjson's sources; they are fetched where it is not given.
SIMDJSON_SOURCE ?=

$(BUILD)/obj/static/simdjson.o: $(PACKAGING)/packages.mk
	@mkdir -p $(@D)
	@$(if $(SIMDJSON_SOURCE),,.ci/deps.sh static)
	source=$(or $(SIMDJSON_SOURCE),build/sources/simdjson) && \
	$(CCACHE) $(CXX) -std=c++17 -w $(CXXFLAGS_$(VARIANT)) $(CXXFLAGS) -pthread -fPIC -fvisibility=hidden \
	  $(shell $(PKG_CONFIG) --cflags-only-other simdjson) -DNDEBUG -I$$source/include -I$$source/src \
	  -c $$source/src/simdjson.cpp -o $@

# Debian ships no archive of ISA-L, and none of what libarchive needs: the static program reads gzip with zlib, and no archives. And it knows the version of its libcrypto without
# asking it, for the answer would need 3 MB of it.
OWN_OF_STATIC := $(addprefix $(BUILD)/obj/static/,archive.o gzip.o libraries.o)
$(BUILD)/obj/static/archive.o: libapf/src/logs/archive.cc
$(BUILD)/obj/static/gzip.o: libapf/src/logs/gzip.cc
$(BUILD)/obj/static/libraries.o: libapf/src/base/libraries.cc
$(OWN_OF_STATIC): $(PACKAGING)/packages.mk
	@mkdir -p $(@D)
	$(COMPILE) -DAPF_STATIC -Ilibapf/src -c $(filter %.cc,$^) -o $@
-include $(OWN_OF_STATIC:.o=.d)

STATIC_OBJECTS = $(TOOL_OBJECTS) $(SCHEMA_TABLE).o $(OWN_OF_STATIC) $(BUILD)/obj/build_info/static.o $(STATIC)
.SECONDEXPANSION:
$(STATIC_APFCTL): $(STATIC_OBJECTS) $$(FMT_ARCHIVE) $$(SIMDJSON_ARCHIVE)
	@mkdir -p $(@D)
	$(LINK) -static-pie -Wl,--gc-sections -s $^ $(shell $(PKG_CONFIG) --static --libs $(STATIC_PACKAGES)) -o $@

static: $(STATIC_APFCTL) ## one program without shared libraries, for any Linux on this processor: build/release/static/apfctl

# The same for arm64, by cross compilers and Debian's own libraries for it; nothing of this machine changes but the compiler.
ARM64 := $(CURDIR)/build/sources/arm64
FOR_ARM64 := PKG_CONFIG_LIBDIR=$(ARM64)/usr/lib/aarch64-linux-gnu/pkgconfig:$(ARM64)/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(ARM64) \
  $(MAKE) --no-print-directory VARIANT=release BUILD=build/arm64 CXX=aarch64-linux-gnu-g++ AR=aarch64-linux-gnu-ar \
  RUN=qemu-aarch64-static IMAGE_FLAGS=--platform=linux/arm64 \
  CPPFLAGS='-isystem $(ARM64)/usr/include -isystem $(ARM64)/usr/include/aarch64-linux-gnu' LDFLAGS=-L$(ARM64)/usr/lib/aarch64-linux-gnu
arm64: ## the static program for arm64: build/arm64/static/apfctl (and dist-binary-arm64, deb-static-arm64, image-arm64)
	@.ci/deps.sh arm64
	+@$(FOR_ARM64) static
# One after the other: each is a make of its own in one folder.
deb-static-arm64 image-arm64: dist-binary-arm64
dist-binary-arm64 deb-static-arm64 image-arm64: %-arm64: arm64
	+@$(FOR_ARM64) $*

# --- packed programs ---------------------------------------------------------------------------

# The architecture in the words of Go and of krew.
GO_ARCH = $(or $(GO_ARCH_$(MACHINE)),$(MACHINE))
GO_ARCH_x86_64 := amd64
GO_ARCH_aarch64 := arm64
PACKED_NAME = apfctl-$(VERSION)-linux-$(GO_ARCH)
PACKED = build/dist/$(PACKED_NAME).tar.gz

dist-binary: $(STATIC_APFCTL) $(filter-out $(RULES_PAGE),$(MAN_PAGES)) $(SCHEMAS) ## the static program, man pages and completion as build/dist/apfctl-VERSION-linux-ARCH.tar.gz
	@$(PACKAGING)/dist_binary.sh $(STATIC_APFCTL) $(BUILD) $(PACKED) $(PACKED_TIME)
	@echo $(PACKED)

krew: dist-binary ## kubectl's plugin manager: its manifest of the packed programs that are there, build/dist/apfctl.yaml
	@$(PACKAGING)/krew.sh $(VERSION) '$(RELEASES)' > build/dist/apfctl.yaml.new
	@mv build/dist/apfctl.yaml.new build/dist/apfctl.yaml
	@echo build/dist/apfctl.yaml

homebrew: dist ## Homebrew: the formula that builds the packed sources, build/dist/apfctl.rb
	@mkdir -p build/dist
	@$(PACKAGING)/homebrew.sh $(VERSION) '$(RELEASES)' > build/dist/apfctl.rb.new
	@mv build/dist/apfctl.rb.new build/dist/apfctl.rb
	@echo build/dist/apfctl.rb

deb-static: dist-binary ## a Debian package of the static program alone: build/dist/apfctl-static_VERSION_ARCH.deb
	@$(PACKAGING)/deb_static.sh $(PACKED) $(VERSION) $(GO_ARCH) $(PACKED_TIME)

IMAGE ?= apfctl:$(VERSION)
IMAGE_BUILDER ?= $(firstword $(foreach name,podman buildah docker,$(shell command -v $(name))))
image: $(STATIC_APFCTL) ## a container image with nothing but the static program (podman, buildah or docker)
	@[ -n '$(IMAGE_BUILDER)' ] || { echo "there is no podman, buildah or docker to build an image with" >&2; exit 2; }
	$(IMAGE_BUILDER) build $(IMAGE_FLAGS) -f $(PACKAGING)/Containerfile -t $(IMAGE) $(dir $(STATIC_APFCTL))

deb: ## Debian packages of the last commit: build/deb/*.deb
	@.ci/deps.sh deb
	@$(PACKAGING)/deb.sh '$(VERSION)' '$(MAKE)'

.PHONY: docs static arm64 dist-binary-arm64 deb-static-arm64 image-arm64 dist-binary krew homebrew deb-static image deb
