// A report before any notation, and what each writer makes of it.
#include <apf/document.h>

#include "catch.h"

using namespace apf;

namespace {

Document document() {
  Document out("Seats of <prod>");
  Passage& head = out.section();
  head.judge("600 seats.", Tone::caution);
  head.fact("Server:  ", "a|b", "by its log");
  Passage& levels = out.section("Levels").folded();
  Table table;
  table.left("LEVEL", 12).right("SEATS");
  table.row({name_cell("a\nb"), "30"});
  levels.show(std::move(table));
  levels.item("nothing waits");
  levels.type("apfctl limits");
  levels.draw("<p>drawn</p>");
  out.section("Empty");
  out.section("Drawn alone").draw("<p>alone</p>");
  return out;
}

}  // namespace

TEST_CASE("one document, three notations", "[report]") {
  CHECK(render(document(), Notation::text) ==
        "600 seats.\nServer:  a|b   by its log\n\nLevels\nLEVEL  SEATS\na\\nb      30\n- nothing waits\n  apfctl "
        "limits\n");
  CHECK(render(document(), Notation::markdown) ==
        "## Seats of &#60;prod&#62;\n\n⚠️ **600 seats.**\n\n- **Server:** a&#124;b (by its log)\n\n"
        "<details><summary>Levels</summary>\n\n| Level | Seats |\n|:--|--:|\n| <code>a&#92;nb</code> | 30 |\n\n"
        "- nothing waits\n\n```sh\napfctl limits\n```\n\n</details>\n");
  const std::string page = render(document(), Notation::html);
  for (const char* part : {"<h1>Seats of &lt;prod&gt;</h1>", "<p class=\"verdict caution\">600 seats.</p>",
                           "<th scope=\"row\">a\\nb</th><td data-l=\"Seats\">30</td>", "<li>nothing waits</li></ul>",
                           "<p>drawn</p>", "<p>alone</p>"})
    CHECK(page.find(part) != std::string::npos);
  CHECK(page.find("Empty") == std::string::npos);
}

TEST_CASE("a word that fits into a line of its own stands further to the left", "[report]") {
  CHECK(wrapped("a bcdefgh", 8, 4) == "a\n bcdefgh");
  CHECK(wrapped("a bcdefghij", 8, 4) == "a\n    bcdefghij");
  CHECK(wrapped("one two", 7, 2, 0) == "one two");
}
