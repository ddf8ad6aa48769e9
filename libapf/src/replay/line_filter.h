// Of a chunk of lines those that hold one of a few words: what a first pass over a log needs, at the speed of memory.
#pragma once

#include <initializer_list>
#include <string_view>

#include "replay/chunk_source.h"

namespace apf {

// Leaves only such lines in the chunk. Chunks of documents over several lines stay as they are.
void keep_lines_with(std::initializer_list<std::string_view> words, LogChunk& chunk);

}  // namespace apf
