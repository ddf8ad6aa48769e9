#include <apf/error.h>

namespace apf {

Error::~Error() = default;  // anchors the vtable, so that clients can catch it across the library's border

}  // namespace apf
