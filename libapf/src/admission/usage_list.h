// What an object uses, by resource name: ResourceList of the API with the arithmetic of quota
// (k8s.io/apiserver/pkg/quota/v1, v1.36). A sorted vector: lists are short, and there are many of them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <apf/config.h>

namespace apf {

class UsageList {
 public:
  using Entry = std::pair<std::string, Quantity>;

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Null if there is none.
  const Quantity* find(std::string_view name) const;
  Quantity* find(std::string_view name);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  void set(std::string_view name, Quantity amount);
  void set_if_absent(std::string_view name, const Quantity& amount);

  // A new name gets the amount as it is. A sum keeps the family of the amount that is there already.
  void add(std::string_view name, const Quantity& amount);
  void add(const UsageList& other);
  // The larger one of each.
  void raise(std::string_view name, const Quantity& amount);
  void raise(const UsageList& other);
  void remove_zeros();

 private:
  std::vector<Entry>::iterator place(std::string_view name);

  std::vector<Entry> entries_;  // by name
};

// What `now` uses more than `before`; what does not grow is left out.
UsageList growth(const UsageList& now, const UsageList& before);

// "cpu=1,memory=2Gi"
std::string usage_text(const UsageList& list);

}  // namespace apf
