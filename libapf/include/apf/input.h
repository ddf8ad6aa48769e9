// Reading and writing pipes that do not block.
//
//   int byte = 0;  // also of a pipe that does not block
//   while ((byte = std::fgetc(stdin)) == EOF && apf::wait_until_ready(0, false)) std::clearerr(stdin);
//
// The functions keep no state: several threads may call them at once.
#pragma once

#include <apf/version.h>

namespace apf {

// After a read() or write() that failed because the descriptor does not block: waits until it can be read or written,
// and returns true. Else errno says why it failed, or that a signal came.
APF_API bool wait_until_ready(int descriptor, bool to_write);

}  // namespace apf
