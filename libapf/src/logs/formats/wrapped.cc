#include "logs/formats/wrapped.h"

#include <cassert>

#include "base/hash.h"
#include "logs/formats/format.h"
#include "logs/formats/json_index.h"

namespace apf {
namespace {

std::string_view first_segment(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

// Calls take(value) for each value at the path from `token`. The text is sound JSON.
template <class Take>
void walk_path(JsonText json, JsonToken token, std::string_view path, Take& take) {
  if (path.empty()) return take(token);
  if (path.front() == '.') path.remove_prefix(1);
  if (path.starts_with("[]")) {
    if (json.first(token) != '[') return;
    walk_array(json, token, [&](JsonToken element) {
      walk_path(json, element, path.substr(2), take);
      return json.skip(element);
    });
    return;
  }
  const std::string_view segment = first_segment(path), rest = path.substr(segment.size());
  if (segment.size() == 1 && segment[0] >= '0' && segment[0] <= '9') {
    if (json.first(token) != '[') return;
    int index = segment[0] - '0';
    walk_array(json, token, [&](JsonToken element) {
      if (index-- == 0) walk_path(json, element, rest, take);
      return json.skip(element);
    });
    return;
  }
  if (json.first(token) != '{') return;
  walk_object(json, token, [&](std::string_view key, JsonToken value) -> JsonToken {
    if (key != segment) return kUnknownKey;
    walk_path(json, value, rest, take);
    return json.skip(value);
  });
}

std::string_view text_at(JsonText json, JsonToken item, std::string_view path) {
  std::string_view out;
  const auto take = [&](JsonToken value) {
    if (json.first(value) == '"') out = json.string(value);
  };
  if (!path.empty()) walk_path(json, item, path, take);
  return out;
}

void take_items(JsonText json, JsonToken object, const Wrapping& row, std::vector<WrappedRecord>& out) {
  const auto item = [&](JsonToken token) {
    const auto payload = [&](JsonToken value) {
      if (json.first(value) != '"' && json.first(value) != '{') return;
      WrappedRecord record;
      record.payload = value;
      const std::string_view origin = text_at(json, token, row.origin);
      if (!origin.empty()) record.origin = static_cast<std::uint32_t>(hash_bytes(origin)) | 1;
      record.written = parse_rfc3339(text_at(json, token, row.written)).value_or(kNoTime);
      if (!is_time_in_range(record.written)) record.written = kNoTime;
      out.push_back(record);
    };
    walk_path(json, token, row.payload, payload);
  };
  walk_path(json, object, row.items, item);
}

struct Form {
  LogFormat format;
  const Wrapping* wrapping;
};

// Those of all formats, in the order of the table.
const std::vector<Form>& forms() {
  static const std::vector<Form> all = [] {
    std::vector<Form> out;
    for (const LogFormat row : log_formats())
      for (const Wrapping& wrapping : row->wrappings) out.push_back({row, &wrapping});
    return out;
  }();
  return all;
}

using FormSet = std::uint64_t;

// The forms whose first member the object has.
FormSet possible_forms(JsonText json, JsonToken object) {
  const std::vector<Form>& all = forms();
  assert(all.size() <= 64);
  FormSet possible = 0;
  walk_object(json, object, [&](std::string_view key, JsonToken value) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Wrapping& form = *all[i].wrapping;
      if (key == first_segment(form.items.empty() ? form.payload : form.items)) possible |= FormSet{1} << i;
    }
    return json.skip(value);
  });
  return possible;
}

// The format of what was found; kAnyFormat: nothing was.
LogFormat find_wrapped(JsonText json, JsonToken object, LogFormat only, std::vector<WrappedRecord>& out) {
  const FormSet possible = possible_forms(json, object);
  const std::vector<Form>& all = forms();
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((possible >> i & 1) == 0 || (only != kAnyFormat && all[i].format != only)) continue;
    take_items(json, object, *all[i].wrapping, out);
    if (out.size() > before) return all[i].format;
  }
  return kAnyFormat;
}

}  // namespace

bool unwrap(JsonText json, JsonToken object, LogFormat only, std::vector<WrappedRecord>& out) {
  return find_wrapped(json, object, only, out) != kAnyFormat;
}

LogFormat recognise_wrapping(std::string_view record) {
  const std::string text(record);  // the index wants to read one byte more
  JsonIndex index;
  if (text.empty() || index.build(text.data(), text.size()) != JsonIndex::Result::ok || index.begin() == index.end())
    return kAnyFormat;
  const JsonText json{text.data(), static_cast<std::uint32_t>(text.size())};
  JsonToken token = index.begin();
  if (json.first(token) == '[') ++token;  // an array of records
  if (json.first(token) != '{' || json.skip(token) == nullptr) return kAnyFormat;
  std::vector<WrappedRecord> found;
  const LogFormat format = find_wrapped(json, token, kAnyFormat, found);
  if (format == kAnyFormat) return format;
  const WrappedRecord& first = found.front();
  // Members of these names hold anything: what is wrapped must look like a log of kube-apiserver.
  const std::string_view payload = json.between(first.payload, json.skip(first.payload));
  const bool audit =
      payload.find("audit.k8s.io/") != std::string_view::npos || payload.find("auditID") != std::string_view::npos;
  if (audit || find_klog_header(payload) != std::string_view::npos) return format;
  if (json.first(first.payload) == '{') return recognise_wrapping(payload);  // in two layers
  return kAnyFormat;
}

}  // namespace apf
