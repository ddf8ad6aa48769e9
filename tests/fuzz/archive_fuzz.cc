// Any bytes as an archive and as a compressed log: what is found is read, and what cannot be is damaged. Nothing is
// read twice in another way.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <apf/error.h>
#include <apf/logs.h>
#include <unistd.h>

#include "fuzz/entry.h"

using apf::fuzz::require;

namespace {

// One file that is written again and again.
class FuzzedFile {
 public:
  FuzzedFile()
      : path_((std::filesystem::temp_directory_path() / ("apf-fuzz-" + std::to_string(::getpid()))).string()) {}
  ~FuzzedFile() { std::filesystem::remove(path_); }
  const std::string& write(const std::uint8_t* data, std::size_t size) const {
    std::FILE* const file = std::fopen(path_.c_str(), "wb");
    require(file != nullptr && std::fwrite(data, 1, size, file) == size);
    std::fclose(file);
    return path_;
  }

 private:
  std::string path_;
};

std::uint64_t requests_in(const std::string& path) {
  const apf::FoundLogs found = apf::find_logs({path});
  apf::LogOptions options;
  options.logs = found.logs;
  options.texts = found.texts;
  options.threads = 1;
  for (const auto& [name, text] : found.texts) require(text.damage.find("\n)") == std::string::npos);
  return apf::trace_logs(options, [](const apf::TraceRequest&) {}).requests;
}

}  // namespace

APF_FUZZER(archive_fuzz) {
  static const FuzzedFile file;
  const std::string& path = file.write(data, size);
  try {
    require(requests_in(path) == requests_in(path));
  } catch (const apf::Error&) {
  }
}
