// Of a chunk of lines those that hold one of a few words: what a first pass over a log needs, at the speed of memory.
#pragma once

#include <array>
#include <string_view>

#include "logs/chunk_source.h"

namespace apf {

// What the lines hold that a first pass needs: requests to watch, and notes of apf_controller.go.
inline constexpr std::array<std::string_view, 1> kLinesOfWatches = {"watch"};
inline constexpr std::array<std::string_view, 2> kLinesOfWatchesAndNotes = {"watch", "_controller.go:"};

// Leaves only such lines in the chunk. Chunks of documents over several lines, of sorted events and of encoded lines
// stay as they are. Words are short (the padding of a chunk is read behind its text); those that begin and end with
// rare letters are found fastest. One or two words.
template <std::size_t kWords>
void keep_lines_with(const std::array<std::string_view, kWords>& words, LogChunk& chunk);

}  // namespace apf
