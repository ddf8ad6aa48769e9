// Reading what other programs leave: pipes that do not block, compressed files.
//
//   int byte = 0;  // also of a pipe that does not block
//   while ((byte = std::fgetc(stdin)) == EOF && apf::wait_until_ready(0, false)) std::clearerr(stdin);
//
// The functions keep no state: several threads may call them at once.
#pragma once

#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

// After a read() or write() that failed because the descriptor does not block: waits until it can be read or written,
// and returns true. Else errno says why it failed, or that a signal came.
APF_API bool wait_until_ready(int descriptor, bool to_write);

// The text, inflated where it is gzip, zstd, xz, bzip2 or lz4: `kept` then holds it. Throws Error for data that is
// damaged or cut off, or becomes more than 256 MiB; `name` is for its message.
APF_API std::string_view inflated(std::string_view text, const std::string& name, std::string& kept);

// Whether `path` lies in the folder of `file`, or below it. Files that a file names elsewhere may be any: who wrote it
// need not be allowed to see them.
APF_API bool lies_below_folder_of(const std::string& path, const std::string& file);

}  // namespace apf
