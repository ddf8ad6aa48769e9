// Writing YAML in the shape kubectl gives it, with the same calls as JsonWriter. Strings that any YAML reader would
// take for something else are quoted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apf {

class YamlWriter {
 public:
  YamlWriter& begin_object() { return begin(false); }
  YamlWriter& end_object() { return end("{}"); }
  YamlWriter& begin_array() { return begin(true); }
  YamlWriter& end_array() { return end("[]"); }
  YamlWriter& key(std::string_view name);
  YamlWriter& value(std::string_view text);
  YamlWriter& value(const std::string& text) { return value(std::string_view(text)); }
  YamlWriter& value(const char* text) { return value(std::string_view(text)); }
  YamlWriter& value(int number) { return scalar(std::to_string(number)); }
  YamlWriter& value(bool flag) { return scalar(flag ? "true" : "false"); }
  // `text` is copied unchanged and must be one valid plain scalar.
  YamlWriter& raw(std::string_view text) { return scalar(text); }
  template <class T>
  YamlWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }

  std::string take() { return std::move(out_); }

 private:
  struct Level {
    bool array = false;
    bool empty = true;
    int indent = 0;  // of its items' or keys' lines
  };
  // The text before a value, a key or a nested container on the current line.
  enum class Line { fresh, after_key, after_dash };

  YamlWriter& begin(bool array);
  YamlWriter& end(std::string_view if_empty);
  YamlWriter& scalar(std::string_view text);
  YamlWriter& block(std::string_view text);
  void start_item();  // a value of an array: its dash

  std::string out_;
  std::vector<Level> levels_;
  Line line_ = Line::fresh;
};

}  // namespace apf
