// The versions of what is running.

#include <apf/version.h>

#ifdef APF_WITH_ARCHIVE
#include <archive.h>
#endif
#include <fmt/core.h>
#include <openssl/crypto.h>
#include <zlib.h>
#include <zstd.h>
#ifdef APF_WITH_ISAL
#include <isa-l.h>
#endif

#include "base/json_value.h"

namespace apf {

std::vector<LibraryVersion> library_versions() {
  return {
      {"libapf", fmt::format("{}.{}.{}", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
#ifdef APF_WITH_ARCHIVE
      {"libarchive", fmt::format("{}.{}.{}", archive_version_number() / 1000000, archive_version_number() / 1000 % 1000,
                                 archive_version_number() % 1000)},
#endif
#ifdef APF_STATIC
      {"libcrypto", OPENSSL_VERSION_STR},
#else
      {"libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING)},
#endif
#ifdef APF_WITH_ISAL
      {"libisal", fmt::format("{}.{}.{}", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION, ISAL_PATCH_VERSION)},
#endif
      {"libzstd", ZSTD_versionString()},
      {"simdjson", simdjson_version()},
      {"zlib", zlibVersion()},
  };
}

}  // namespace apf
