#include "flags/object_counts.h"

#include <apf/error.h>
#include <apf/input.h>
#include <apf/output.h>
#include <apf/report.h>

#include "flags/named_by_files.h"
#include "shared/input.h"

namespace apfctl {

apf::ObjectCounts parse_object_counts(const std::string& text, const std::string& path) {
  const std::string name = path == "-" ? "standard input" : apf::printable(path);
  std::string kept;
  apf::ObjectCounts counts = apf::ObjectCounts::parse(apf::inflated(text, name, kept), name);
  if (counts.empty())
    throw apf::Error(name +
                     " has no count of objects: give lines such as pods=1234, or a scrape of kube-apiserver's /metrics "
                     "that has apiserver_resource_objects or apiserver_storage_objects");
  return counts;
}

apf::ObjectCounts read_object_counts(const std::string& path) {
  try {
    return parse_object_counts(read_text(path), path);
  } catch (const apf::Error&) {
    if (!is_hidden(path)) throw;
    throw apf::Error(path + " cannot be read as counts of objects");
  }
}

}  // namespace apfctl
