// Standard input and pipes, for what reads logs twice: copied to files without names.
#pragma once

#include <deque>

#include <apf/logs.h>

#include "base/temporary_file.h"

namespace apf {

class KeptInputs {
 public:
  // Adds those of the options' logs that can be read but once to their texts, for as long as the object lives.
  // Throws Error: one cannot be read, or not be kept.
  explicit KeptInputs(LogOptions& options);

 private:
  std::deque<TemporaryFile> files_;
};

}  // namespace apf
