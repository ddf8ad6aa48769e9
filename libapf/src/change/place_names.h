// The FlowSchemas of one server in consulted order, with what a change is described by, and which levels protect.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <apf/classify.h>
#include <apf/config.h>

namespace apf {

// How much depends on a level: 0 is the most. Levels of one's own are kUnprotected.
inline constexpr int kUnprotected = 5;
int protection_of(std::string_view level);

// The groups that the rules name, but for those called system:… and "*": a user may be in any of these.
std::set<std::string> own_groups(const FlowSchema& schema);

class ConsultedSchemas {
 public:
  explicit ConsultedSchemas(const Config& config);

  std::uint32_t size() const { return static_cast<std::uint32_t>(classifier_.schemas().size()); }
  const FlowSchema& object(std::uint32_t i) const { return classifier_.schemas()[i].object; }
  const std::string& name(std::uint32_t i) const { return classifier_.schemas()[i].name; }
  const std::string& level_name(std::uint32_t i) const { return level(i).name; }
  const std::vector<std::string>& names() const { return names_; }  // sorted
  std::optional<std::uint32_t> find(const std::string& name) const;
  std::uint32_t catch_all() const { return catch_all_; }
  std::vector<const FlowSchema*> objects() const;

  bool uses_flows(std::uint32_t i) const { return level(i).uses_flows(); }
  std::string distinguisher(std::uint32_t i) const;  // "ByUser"; "none"; empty where the level has no flows
  std::string deck(std::uint32_t i) const;           // "128 queues, hands of 6"

 private:
  const Classifier::Level& level(std::uint32_t i) const { return classifier_.levels()[classifier_.schemas()[i].level]; }

  Classifier classifier_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::vector<std::string> names_;
  std::uint32_t catch_all_ = 0;
};

}  // namespace apf
