// Which of the texts of a folder matter: read_related_files() of <apf/lint.h> without the files.
//
//   std::vector<apf::ConfigText> texts = {{"values.yaml", "replicas: 3\n"}};
//   std::printf("%zu left out\n", apf::remove_unrelated(texts));  // 1 left out
//
// The function keeps no state: several threads may call it at once.
#pragma once

#include <cstddef>
#include <vector>

#include <apf/config.h>

namespace apf {

// Removes the texts that cannot hold an object that limits requests. Returns how many there were.
APF_API std::size_t remove_unrelated(std::vector<ConfigText>& texts);

}  // namespace apf
