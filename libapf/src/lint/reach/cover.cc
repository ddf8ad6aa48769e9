#include "lint/reach/cover.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace apf {

namespace {

// Boxes beyond which only equal ones are merged, and how many questions one region may cost.
constexpr std::size_t kMaxExpanded = 192;
constexpr std::int64_t kMaxWork = 400'000;
// Up to this many atoms of a side are tried one by one.
constexpr std::size_t kMaxSingles = 24;

constexpr std::size_t kUsers = kSides;  // the dimension after the sides

Bits& bits_of(RequestBox& box, std::size_t dimension) { return dimension == kUsers ? box.users : box.sides[dimension]; }
const Bits& bits_of(const RequestBox& box, std::size_t dimension) {
  return dimension == kUsers ? box.users : box.sides[dimension];
}

class Simplifier {
 public:
  Simplifier(const RequestSpace& space, std::vector<RequestBox> boxes) : space_(space), boxes_(std::move(boxes)) {}

  std::vector<RequestBox> run() {
    merge();
    if (boxes_.size() <= kMaxExpanded) {
      expand();
      merge();
      drop_redundant();
    }
    std::sort(boxes_.begin(), boxes_.end(), before);
    return std::move(boxes_);
  }

 private:
  // All but one dimension, as a key; the members of a set stand for it by their order.
  static void write(const Bits& bits, std::vector<std::uint64_t>& out) {
    out.push_back(bits.count());
    bits.words(out);
  }
  static std::vector<std::uint64_t> key_without(const RequestBox& box, std::size_t dimension) {
    std::vector<std::uint64_t> out = {box.is_url, box.in.size()};
    out.insert(out.end(), box.in.begin(), box.in.end());
    out.push_back(box.not_in.size());
    out.insert(out.end(), box.not_in.begin(), box.not_in.end());
    for (std::size_t i = 0; i <= kUsers; ++i) {
      if (i != dimension) write(bits_of(box, i), out);
    }
    return out;
  }

  static bool before(const RequestBox& a, const RequestBox& b) {
    const auto key = [](const RequestBox& box) {
      return std::tuple(box.is_url, box.not_in.size(), key_without(box, kUsers + 1));
    };
    return key(a) < key(b);
  }

  // Boxes that differ in one dimension only become one.
  void merge() {
    for (bool changed = true; changed;) {
      changed = merge_groups();
      for (const std::size_t dimension : {kUsers, std::size_t{3}, std::size_t{0}, std::size_t{2}, std::size_t{1}}) {
        std::map<std::vector<std::uint64_t>, std::size_t> first;
        std::vector<RequestBox> kept;
        for (RequestBox& box : boxes_) {
          const auto [at, is_new] = first.try_emplace(key_without(box, dimension), kept.size());
          if (is_new) kept.push_back(std::move(box));
          else if (!box.is_url || dimension == kUsers || dimension < 2)
            bits_of(kept[at->second], dimension) |= bits_of(box, dimension);
        }
        changed = changed || kept.size() < boxes_.size();
        boxes_ = std::move(kept);
      }
    }
  }

  // In the group or not, alike else: whoever.
  bool merge_groups() {
    std::map<std::vector<std::uint64_t>, std::size_t> places;
    for (std::size_t i = 0; i < boxes_.size(); ++i) places.emplace(key_without(boxes_[i], kUsers + 1), i);
    std::vector<bool> gone(boxes_.size());
    bool changed = false;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (gone[i]) continue;
      for (std::size_t k = 0; k < boxes_[i].in.size(); ++k) {
        RequestBox other = boxes_[i];
        const std::uint32_t group = other.in[k];
        other.in.erase(other.in.begin() + static_cast<std::ptrdiff_t>(k));
        other.not_in.insert(std::lower_bound(other.not_in.begin(), other.not_in.end(), group), group);
        const auto at = places.find(key_without(other, kUsers + 1));
        if (at == places.end() || gone[at->second] || at->second == i) continue;
        // Who can be in no group is on one side only.
        gone[at->second] = changed = true;
        std::erase(other.not_in, group);
        boxes_[i] = std::move(other);
        break;
      }
    }
    drop(gone);
    return changed;
  }

  bool covered(const RequestBox& box) {
    work_ -= static_cast<std::int64_t>(boxes_.size());
    return space_.covered(box, boxes_);
  }

  // Each box as large as the region has room for.
  void expand() {
    std::vector<RequestBox> grown = boxes_;
    for (RequestBox& box : grown) {
      drop_groups(box, &RequestBox::not_in);
      drop_groups(box, &RequestBox::in);
      for (const std::size_t dimension : {kUsers, std::size_t{3}, std::size_t{1}, std::size_t{2}, std::size_t{0}})
        widen(box, dimension);
    }
    boxes_.clear();
    for (RequestBox& box : grown) {
      if (std::find(boxes_.begin(), boxes_.end(), box) == boxes_.end()) boxes_.push_back(std::move(box));
    }
  }

  void drop_groups(RequestBox& box, std::vector<std::uint32_t> RequestBox::*list) {
    for (std::size_t k = (box.*list).size(); k-- > 0 && work_ > 0;) {
      RequestBox larger = box;
      (larger.*list).erase((larger.*list).begin() + static_cast<std::ptrdiff_t>(k));
      if (covered(larger)) box = std::move(larger);
    }
  }

  void widen(RequestBox& box, std::size_t dimension) {
    if (work_ <= 0 || (box.is_url && dimension != kUsers && dimension >= 2)) return;
    const Bits whole = bits_of(space_.whole(box.is_url), dimension);
    const auto try_with = [&](const Bits& more) {
      Bits extra = more;
      extra -= bits_of(box, dimension);
      if (extra.none() || work_ <= 0) return extra.none();
      RequestBox added = box;
      bits_of(added, dimension) = extra;
      if (!covered(added)) return false;
      bits_of(box, dimension) |= extra;
      return true;
    };
    if (try_with(whole)) return;
    for (std::size_t i = 0; i < boxes_.size() && work_ > 0; ++i) {
      if (boxes_[i].is_url != box.is_url) continue;
      const Bits more = bits_of(boxes_[i], dimension);
      if (try_with(more) || more.count() > kMaxSingles) continue;
      Bits left = more;
      while (!left.none()) {
        Bits one = left, rest = left;
        const std::size_t atom = left.first();
        one -= left;
        one.set(atom);
        rest -= one;
        try_with(one);
        left = rest;
      }
    }
  }

  // The smallest first: what the others hold together is left out.
  void drop_redundant() {
    std::sort(boxes_.begin(), boxes_.end(), before);
    std::vector<std::size_t> order(boxes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto size = [&](std::size_t i) {
      double out = 1;
      for (std::size_t d = 0; d <= kUsers; ++d)
        out *= static_cast<double>(std::max<std::size_t>(1, bits_of(boxes_[i], d).count()));
      for (std::size_t k = boxes_[i].in.size() + boxes_[i].not_in.size(); k > 0; --k) out /= 2;
      return out;
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
    std::vector<bool> gone(boxes_.size());
    for (const std::size_t i : order) {
      if (work_ <= 0) break;
      std::vector<RequestBox> others;
      for (std::size_t k = 0; k < boxes_.size(); ++k) {
        if (k != i && !gone[k] && space_.meet(boxes_[k], boxes_[i])) others.push_back(boxes_[k]);
      }
      work_ -= static_cast<std::int64_t>(boxes_.size());
      gone[i] = !others.empty() && space_.covered(boxes_[i], others);
    }
    drop(gone);
  }

  void drop(const std::vector<bool>& gone) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (gone[i]) continue;
      if (kept != i) boxes_[kept] = std::move(boxes_[i]);
      ++kept;
    }
    boxes_.resize(kept);
  }

  const RequestSpace& space_;
  std::vector<RequestBox> boxes_;
  std::int64_t work_ = kMaxWork;
};

}  // namespace

std::vector<RequestBox> plainest_cover(const RequestSpace& space, std::vector<RequestBox> boxes) {
  for (RequestBox& box : boxes) {
    if (box.users.within(space.users().groupless())) box.not_in.clear();
  }
  return Simplifier(space, std::move(boxes)).run();
}

}  // namespace apf
