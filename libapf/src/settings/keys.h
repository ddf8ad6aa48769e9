// Keys of mappings that are a closed set: each is one row, by which it is read, and which its JSON Schema, and so what
// editors say of it, is written from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <apf/settings.h>

#include "config/fields.h"

namespace apf {

// How a file writes the value of a key.
enum class KeyForm : std::uint8_t {
  other,  // read by the caller, and described in the schema by hand
  text,
  path,          // relative to the folder of the file
  texts,         // one, or a list of them
  paths,         // likewise
  any_texts,     // one, or a list of them, also of none
  list,          // also of none
  yes,           // true or false
  whole_number,  // from `least` to `most`
  word,          // one of `words`
  release,       // of Kubernetes
};

struct Key {
  std::string_view name;  // "baseline"
  KeyForm form = KeyForm::other;
  std::string_view text = {};                // what it says, for schemas, as is what follows `most`
  std::string_view expected = {};            // in words: "a path"
  std::vector<std::string_view> words = {};  // of a closed set
  double least = 0, most = 0;
  std::string_view usual = {};    // the default
  std::string_view pattern = {};  // of texts
  std::string_view also = {};     // what else than a text a file may have: "number", "integer", "off", "any scalar"
};

struct KeyValue {
  std::vector<std::string> texts;
  int number = 0;  // or the place of a word, or 1 for true

  void to(std::string& out) const { out = texts.front(); }
  void to(std::vector<std::string>& out) const { out = texts; }
  void to(std::optional<std::string>& out) const { out = texts.front(); }
  void to(bool& out) const { out = number != 0; }
  void to(std::optional<KubeVersion>& out) const { out = KubeVersion::parse(texts.front()); }
  template <class Value>
  void to(std::optional<Value>& out) const {
    out = static_cast<Value>(number);
  }
};

// `Out` has the member that the value is for; none: the caller reads it.
template <class Out>
struct KeyOf : Key {
  std::function<void(const KeyValue& value, Out& out)> take = nullptr;
};

template <class Out, class Member>
auto into(Member Out::*member) {
  return [member](const KeyValue& value, Out& out) { value.to(out.*member); };
}

// Nothing: it has a fault.
std::optional<KeyValue> value_in(Faults& faults, const Key& key, const ConfigNode& node);

template <class... Out>
std::vector<std::string_view> names_of(const std::vector<KeyOf<Out>>&... keys) {
  std::vector<std::string_view> names;
  (..., [&] {
    for (const Key& key : keys) names.push_back(key.name);
  }());
  return names;
}

enum class Nulls : std::uint8_t { absent, faults };

// Whether all values are right; a fault for each that is not.
template <class Out>
bool read_keys(Faults& faults, const Fields& fields, const std::vector<KeyOf<Out>>& keys,
               std::type_identity_t<Out>& out, Nulls nulls = Nulls::absent) {
  bool right = true;
  for (const KeyOf<Out>& key : keys) {
    const ConfigNode* node = nulls == Nulls::absent ? fields.get(key.name) : fields.given(key.name);
    if (!node || !key.take) continue;
    const std::optional<KeyValue> value = value_in(faults, key, *node);
    if (value) key.take(*value, out);
    else right = false;
  }
  return right;
}

// What a file ("apfctl", "test" or "plan") may say of a server: the values of kube-apiserver's flags of these names.
std::vector<KeyOf<ServerSetup>> server_keys(std::string_view file);
// Each severity's, the lowest first.
std::vector<std::string_view> severity_words();
// The sum of two limits excludes them.
void check_seats(Faults& faults, const ConfigNode& node, const ServerSetup& server);

}  // namespace apf
