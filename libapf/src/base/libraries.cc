// The versions of what is running.

#include <apf/version.h>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <simdjson.h>
#include <zlib.h>
#include <zstd.h>

namespace apf {

std::vector<LibraryVersion> library_versions() {
  return {
      {"libapf", fmt::format("{}.{}.{}", APF_VERSION_MAJOR, APF_VERSION_MINOR, APF_VERSION_PATCH)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"libzstd", ZSTD_versionString()},
      {"simdjson", fmt::format("{}.{}.{}", static_cast<int>(simdjson::SIMDJSON_VERSION_MAJOR),
                               static_cast<int>(simdjson::SIMDJSON_VERSION_MINOR),
                               static_cast<int>(simdjson::SIMDJSON_VERSION_REVISION))},
      {"zlib", zlibVersion()},
  };
}

}  // namespace apf
