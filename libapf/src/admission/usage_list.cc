// Sorted lists of amounts.
#include "admission/usage_list.h"

#include <algorithm>

namespace apf {

std::vector<UsageList::Entry>::iterator UsageList::place(std::string_view name) {
  return std::lower_bound(entries_.begin(), entries_.end(), name,
                          [](const Entry& entry, std::string_view n) { return entry.first < n; });
}

Quantity* UsageList::find(std::string_view name) {
  const auto at = place(name);
  return at != entries_.end() && at->first == name ? &at->second : nullptr;
}

const Quantity* UsageList::find(std::string_view name) const { return const_cast<UsageList*>(this)->find(name); }

void UsageList::set(std::string_view name, Quantity amount) {
  const auto at = place(name);
  if (at != entries_.end() && at->first == name) {
    at->second = std::move(amount);
  } else {
    entries_.emplace(at, name, std::move(amount));
  }
}

void UsageList::set_if_absent(std::string_view name, const Quantity& amount) {
  const auto at = place(name);
  if (at == entries_.end() || at->first != name) entries_.emplace(at, name, amount);
}

void UsageList::add(std::string_view name, const Quantity& amount) {
  const auto at = place(name);
  if (at != entries_.end() && at->first == name) {
    at->second += amount;
  } else {
    entries_.emplace(at, name, amount);
  }
}

void UsageList::add(const UsageList& other) {
  if (entries_.empty()) {
    entries_ = other.entries_;
    return;
  }
  for (const Entry& entry : other.entries_) add(entry.first, entry.second);
}

void UsageList::raise(std::string_view name, const Quantity& amount) {
  const auto at = place(name);
  if (at == entries_.end() || at->first != name) {
    entries_.emplace(at, name, amount);
  } else if (amount > at->second) {
    at->second = amount;
  }
}

void UsageList::raise(const UsageList& other) {
  for (const Entry& entry : other.entries_) raise(entry.first, entry.second);
}

void UsageList::remove_zeros() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.second.is_zero(); });
}

UsageList growth(const UsageList& now, const UsageList& before) {
  UsageList out;
  for (const auto& [name, amount] : now) {
    Quantity more = amount;
    if (const Quantity* old = before.find(name)) more -= *old;
    if (more.sign() > 0) out.set(name, std::move(more));
  }
  return out;
}

std::string usage_text(const UsageList& list) {
  std::string out;
  for (const auto& [name, amount] : list) {
    if (!out.empty()) out += ',';
    out += name + "=" + amount.str();
  }
  return out;
}

}  // namespace apf
