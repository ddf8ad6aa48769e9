#include "report_output.h"

namespace apfctl {

void write_report(const OutputFlags& output, const Console& console,
                  const std::function<apf::Document(const apf::View&)>& document, const TextOf& json,
                  const std::map<std::string, TextOf>& others) {
  output.write(console, [&](const std::string& format, const apf::TextStyle& style) {
    if (format == "json") return json() + "\n";
    if (const auto other = others.find(format); other != others.end()) return other->second();
    const apf::Notation notation = format == "markdown" ? apf::Notation::markdown
                                   : format == "html"   ? apf::Notation::html
                                                        : apf::Notation::text;
    return apf::render(document({notation, style.full, style.width}), notation, style);
  });
}

}  // namespace apfctl
