// Files of a folder that can hold an object of the kinds that limit requests.
#include <apf/related_files.h>

#include <algorithm>
#include <filesystem>

#include <apf/lint.h>

namespace apf {

namespace {

namespace fs = std::filesystem;

// Words of which every object that load_config() reads has one: a group, a kind, or a beginning of one that is nearly
// right.
bool may_be_related(std::string_view text) {
  for (const std::string_view word :
       {"flowcontrol", "FlowSchema", "PriorityLevel", "RequestPriority", "ResourceQuota", "resourcequota", "LimitRange",
        "eventratelimit", "EventRateLimit", "AdmissionConfiguration", "audit.k8s.io"}) {
    if (text.find(word) != text.npos) return true;
  }
  return false;
}

bool is_below(const std::string& name, std::string folder) {
  if (!folder.ends_with('/')) folder += '/';
  return name.starts_with(folder);
}

}  // namespace

std::size_t remove_unrelated(std::vector<ConfigText>& texts) {
  return std::erase_if(texts, [](const ConfigText& text) { return !may_be_related(text.text); });
}

std::vector<ConfigText> read_related_files(std::span<const std::string> paths, std::size_t& unrelated) {
  std::vector<ConfigText> texts = read_config_files(paths);
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) folders.push_back(path);
  }
  unrelated = std::erase_if(texts, [&](const ConfigText& text) {
    const bool walked = std::any_of(folders.begin(), folders.end(),
                                    [&](const std::string& folder) { return is_below(text.name, folder); });
    const bool named = std::find(paths.begin(), paths.end(), text.name) != paths.end();
    return walked && !named && !may_be_related(text.text);
  });
  return texts;
}

}  // namespace apf
