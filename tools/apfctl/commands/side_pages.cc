#include "commands/side_pages.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "shared/interrupts.h"
#include "shared/output.h"

namespace apfctl {

namespace {

struct Page {
  std::string path, title;
  apf::Document document;
};

// Relative, as all pages are in one folder, and nothing in it is markup or a scheme.
std::string href_of(const std::string& path) {
  std::string out;
  for (const char c : path.substr(path.rfind('/') + 1)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
                       byte == '.' || byte == '-' || byte == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

// To all others, where the page ends.
apf::Passage links_from(std::size_t own, const std::vector<Page>& pages) {
  apf::Table table;
  table.left("PAGE").left("OF", 12);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (i == own) continue;
    apf::Table::Cell link(href_of(pages[i].path));
    link.link = link.text;
    table.row({link, apf::name_cell(pages[i].title)});
  }
  apf::Passage out("See also");
  out.show(std::move(table));
  return out;
}

}  // namespace

void write_pages(const SideOutputs& outputs, const apf::CompareReport& comparison, const apf::CompareFrame& frame,
                 const Setup& setup, const OutputFlags& output) {
  if (outputs.page().empty()) return;
  const apf::View view{apf::Notation::html};
  std::vector<Page> pages;
  pages.push_back({outputs.page(), "the comparison", apf::document_of(comparison, frame, view)});
  for (std::size_t side = 0; side <= frame.new_names.size(); ++side) {
    const std::string name = side == 0 ? frame.old_name : frame.new_names[side - 1];
    const apf::ReplayReport& report = side == 0 ? comparison.old_report : comparison.new_reports[side - 1];
    apf::ReportFrame own;
    own.configuration = fmt::format("{} of the comparison: {}.", side == 0 ? "OLD" : "NEW", name);
    apf::Document document = comparison.by_server.empty()
                                 ? apf::document_of({&report, 1}, nullptr, own, view)
                                 : apf::document_of(comparison.by_server[side], &report, own, view);
    document.title += ": " + name;
    pages.push_back({outputs.page_of(side), name, std::move(document)});
  }
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (skip_interrupted(pages[i].path)) continue;
    Output out(pages[i].path);
    out.write(page_of(std::move(pages[i].document), i == 0 ? setup : Setup{}, output, links_from(i, pages)));
    out.close();
  }
}

}  // namespace apfctl
