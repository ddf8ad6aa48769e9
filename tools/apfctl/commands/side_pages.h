// compare --pages: the page of a comparison and one of each of its sides, which link to each other.
#pragma once

#include <apf/advise.h>
#include <apf/report.h>

#include "commands/side_outputs.h"
#include "flags/report_output.h"

namespace apfctl {

// Nothing where no pages are asked for.
void write_pages(const SideOutputs& outputs, const apf::CompareReport& comparison, const apf::CompareFrame& frame,
                 const Setup& setup, const OutputFlags& output);

}  // namespace apfctl
