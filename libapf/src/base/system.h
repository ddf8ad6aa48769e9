// What only Linux or its C library has, each with what takes its place elsewhere (and with APF_PORTABLE). All other
// files keep to POSIX: tests/arch/portable.py looks for these names, and runs the other branch.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace apf {

// Asks for memory in large pages; a wish: without them, all works as well.
void prefer_large_pages(void* place, std::size_t size);

// Fills it with bytes that nobody can guess. False: there are none.
bool random_bytes(void* to, std::size_t size);

// A file without a name in this folder; -1 where the file system, or the system, has none.
int open_nameless_file(const char* folder);

// Reserves space behind the file's end, its size unchanged. False, with errno: there is too little. True as well where
// space cannot be reserved.
bool reserve_space(int file, off_t size);

// Says that a file will be read from its beginning to its end.
void will_read_through(int file);

// The last place of a byte; null: there is none.
const char* last_place_of(const char* text, char byte, std::size_t size);

}  // namespace apf
