// What follows from the user, the verb and the URI of a request alone, without its course. Logs repeat themselves
// (leases, node statuses, informers): the facts of recent requests are kept. Requests that differ by the name of their
// object alone share them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/large_pages.h"
#include "base/prefetch.h"
#include "classify/object_name.h"

namespace apf {

// A request as facts are kept by.
struct FactsKey {
  std::string_view verb, uri;
  std::uint32_t user = 0;
  std::uint32_t place = 0;  // where the facts are among those that are kept
  ObjectName name;          // in the URI; size 0: it counts as a whole

  std::string_view before() const { return uri.substr(0, name.size == 0 ? uri.size() : name.at); }
  std::string_view behind() const { return uri.substr(name.size == 0 ? uri.size() : name.at + name.size); }
  std::string_view object_name() const { return uri.substr(name.at, name.size); }
};

// Of a path, split at the name of its object; that name is hashed in last.
inline std::uint64_t path_hash(std::string_view verb, std::string_view path, ObjectName name) {
  const std::uint64_t before = hash_bytes(path.substr(0, name.at), hash_bytes(verb));
  return hash_bytes(path.substr(name.at + name.size), before);
}
inline std::uint64_t path_hash(std::string_view verb, std::string_view path) {
  const ObjectName name = verb == "list" || verb == "watch" ? ObjectName() : find_object_name(path);
  const std::uint64_t hash = path_hash(verb, path, name);
  return name.size == 0 ? hash : hash_bytes(path.substr(name.at, name.size), hash);
}

// `Facts` has a mark `usable`, without which they are not kept.
template <class Facts>
class KeptFacts {
 public:
  // `whole`: requests of different names do not share their facts.
  explicit KeptFacts(bool whole) : whole_(whole) {}

  // They will be asked for soon: they are on their way from memory then.
  [[gnu::always_inline]] FactsKey key_of(std::string_view verb, std::string_view uri, std::uint32_t user) const {
    FactsKey key{verb, uri, user, 0, {}};
    // A list or watch of one object depends on its name, and there are few of them.
    const char first = verb.empty() ? 'w' : static_cast<char>(verb.front() | 0x20);
    if (!whole_ && first != 'w' && first != 'l') key.name = find_object_name(uri);
    // Verbs differ in these two.
    const std::uint64_t kind = verb.empty() ? 0 : verb.size() << 8 | static_cast<unsigned char>(verb.front());
    std::uint64_t hash = hash_bytes(key.before(), user | kind << 32);
    if (const std::string_view behind = key.behind(); !behind.empty()) hash = hash_bytes(behind, hash);
    key.place = static_cast<std::uint32_t>(hash & (kKept - 1));
    prefetch(kept_[key.place]);
    return key;
  }

  // Those of such a request; null: they are not known, and to be put into the place that add() gives.
  const Facts* find(const FactsKey& key) const {
    const Kept& kept = kept_[key.place];
    return kept.facts.usable && kept.matches(key) ? &kept.facts : nullptr;
  }
  Facts& add(const FactsKey& key) {
    Kept& kept = kept_[key.place];
    kept.facts = {};
    kept.set(key);
    return kept.facts;
  }

 private:
  static constexpr std::size_t kKept = 1u << 14;

  struct Kept {
    // Verb and URI. Mostly they lie with the facts, which are fetched from memory before they are needed.
    static constexpr std::size_t kNear = 100;

    std::uint32_t user = 0;
    std::uint32_t verb_size = 0;
    std::uint32_t behind = 0;  // where the URI goes on behind the name
    std::uint32_t size = 0;
    bool has_name = false;
    std::array<char, kNear> near;
    std::string longer;
    Facts facts;

    bool matches(const FactsKey& key) const {
      const char* const text = size <= kNear ? near.data() : longer.data();
      const auto is_at = [text](std::size_t from, std::string_view part) {
        return std::equal(part.begin(), part.end(), text + from);
      };
      const std::string_view before = key.before(), after = key.behind();
      return user == key.user && verb_size == key.verb.size() && has_name == (key.name.size > 0) &&
             behind == verb_size + before.size() && size == behind + after.size() && is_at(verb_size, before) &&
             is_at(0, key.verb) && is_at(behind, after);
    }
    void set(const FactsKey& key) {
      const std::string_view parts[] = {key.verb, key.before(), key.behind()};
      user = key.user;
      verb_size = static_cast<std::uint32_t>(parts[0].size());
      has_name = key.name.size > 0;
      behind = static_cast<std::uint32_t>(parts[0].size() + parts[1].size());
      size = static_cast<std::uint32_t>(behind + parts[2].size());
      longer.clear();
      char* to = near.data();
      for (const std::string_view part : parts) {
        if (size > kNear) longer.append(part);
        else to = std::copy(part.begin(), part.end(), to);
      }
    }
  };

  const bool whole_;
  std::vector<Kept, LargePages<Kept>> kept_{kKept};
};

}  // namespace apf
