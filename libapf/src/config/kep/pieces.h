// The objects of KEP-1040 as they are printed there: one after another without a "---" between them, with sentences
// in between that say what each is for.
#pragma once

#include <string_view>
#include <vector>

#include "config/yaml_text.h"

namespace apf {

// Cuts a piece that holds objects of the KEP's dialect at each `kind:` and leaves out the sentences: paragraphs of
// their own at the left margin. Other pieces stay as they are.
std::vector<Piece> cut_kep_objects(std::string_view text, std::vector<Piece> pieces);

}  // namespace apf
