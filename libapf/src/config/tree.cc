#include "config/tree.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include <apf/config.h>

#include "config/scalar.h"

namespace apf {

bool ConfigNode::boolean() const { return plain_boolean(text()); }

std::optional<std::int64_t> ConfigNode::integer() const { return plain_integer(text()); }

std::string ConfigNode::number_text() const {
  const std::string_view all = tree_->text().substr(tree_->content_begin());
  const std::size_t first = all.find_first_not_of(" \t\r\n");
  const bool json = first != all.npos && (all[first] == '{' || all[first] == '[');  // reaches the server as written
  return json && !is_written_as_integer(text()) ? std::string(text()) : number_json(text());
}

const ConfigEntry* ConfigNode::find_entry(std::string_view key) const {
  const auto all = entries();
  for (std::size_t i = all.size(); i-- > 0;) {
    if (all[i].key.text() == key) return &all[i];
  }
  return nullptr;
}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const ConfigEntry* entry = find_entry(key);
  return entry ? &entry->value : nullptr;
}

std::string ConfigNode::find_string(std::string_view key) const {
  const ConfigNode* value = find(key);
  return value && value->is_string() ? std::string(value->text()) : std::string();
}

Span ConfigNode::span() const { return tree_ ? tree_->span(begin_, end_) : Span{}; }

namespace {

// Takes the next step off `field`: a name, or the inside of [ ].
struct Step {
  std::string_view text;
  bool bracket = false;
};

Step take_step(std::string_view& field) {
  Step step;
  if (field.front() == '[') {
    const std::size_t close = field.find(']');
    step.bracket = true;
    step.text = field.substr(1, close == field.npos ? field.npos : close - 1);
    field.remove_prefix(close == field.npos ? field.size() : close + 1);
  } else {
    const std::size_t stop = field.find_first_of(".[");
    step.text = field.substr(0, stop);
    field.remove_prefix(stop == field.npos ? field.size() : stop);
  }
  if (!field.empty() && field.front() == '.') field.remove_prefix(1);
  return step;
}

}  // namespace

FieldPosition find_field(const ConfigNode& root, std::string_view field) {
  FieldPosition at{&root, nullptr, field.empty()};
  while (!field.empty()) {
    const Step step = take_step(field);
    if (at.value->is_sequence()) {
      const auto items = at.value->items();
      std::size_t index = items.size();
      const char* last = step.text.data() + step.text.size();
      const auto read = std::from_chars(step.text.data(), last, index);
      if (!step.bracket || read.ec != std::errc() || read.ptr != last || index >= items.size()) return at;
      at.value = &items[index];
      at.key = nullptr;
    } else {
      const ConfigEntry* entry = at.value->find_entry(step.text);
      if (!entry) return at;
      at.value = &entry->value;
      at.key = &entry->key;
    }
  }
  at.exact = true;
  return at;
}

Span field_span(const FieldPosition& position) {
  if (!position.value) return {};
  if (position.key && (!position.value->is_scalar() || position.value->is_null())) return position.key->span();
  return position.value->span();
}

Span ObjectSource::span_of(std::string_view field) const {
  return tree ? field_span(find_field(*tree, field)) : Span{};
}

void* Arena::allocate(std::size_t bytes) {
  bytes = (bytes + 7) & ~std::size_t{7};
  if (bytes > left_) {
    const std::size_t size = std::max(bytes, next_block_);
    next_block_ = std::min<std::size_t>(next_block_ * 2, 1 << 20);
    blocks_.emplace_back(new char[size]);
    at_ = blocks_.back().get();
    left_ = size;
  }
  void* result = at_;
  at_ += bytes;
  left_ -= bytes;
  return result;
}

ConfigTree::ConfigTree(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  if (text_.starts_with("\xEF\xBB\xBF")) bom_ = 3;
  line_starts_.push_back(static_cast<std::uint32_t>(bom_));
  const char* const base = text_.data();
  const char* const end = base + text_.size();
  for (const char* at = base; at < end;) {
    const char* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (!newline) break;
    at = newline + 1;
    line_starts_.push_back(static_cast<std::uint32_t>(at - base));
  }
}

std::pair<int, int> ConfigTree::position(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  if (after == line_starts_.begin()) return {1, 1};
  return {static_cast<int>(after - line_starts_.begin()), static_cast<int>(offset - *(after - 1)) + 1};
}

// Of values within values only the outermost are kept, so that they do not overlap.
void ConfigTree::add_aliased(std::uint32_t begin, std::uint32_t end) {
  if (is_aliased(begin, end)) return;
  const auto first = aliased_.lower_bound(begin);
  auto last = first;
  while (last != aliased_.end() && last->second <= end) ++last;
  aliased_.erase(first, last);
  aliased_.emplace(begin, end);
}

bool ConfigTree::is_aliased(std::size_t begin, std::size_t end) const {
  const auto next = aliased_.upper_bound(static_cast<std::uint32_t>(begin));
  return next != aliased_.begin() && end <= std::prev(next)->second;
}

Span ConfigTree::span(std::size_t begin, std::size_t end) const {
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  Span span;
  span.file = name_;
  std::tie(span.line, span.column) = position(begin);
  std::tie(span.end_line, span.end_column) = position(end);
  return span;
}

}  // namespace apf
