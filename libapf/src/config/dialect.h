// The two languages of configurations: that of flowcontrol.apiserver.k8s.io, and the one that KEP-1040 described before
// there was an API. What differs between them is asked of a Dialect. Only dialect.cc and the folders named kep know the
// KEP's dialect itself; classify/dialect.h is the same for matching requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <apf/config.h>

#include "config/schema.h"
#include "config/tree.h"
#include "config/yaml_text.h"

namespace apf {

class Dialect {
 public:
  virtual ~Dialect() = default;

  // --- words
  virtual const char* words() const = 0;       // "the Kubernetes API"
  virtual const char* level_kind() const = 0;  // "PriorityLevelConfiguration"
  virtual const char* name_field() const = 0;  // "metadata.name"

  // --- objects
  virtual std::int32_t precedence(const FlowSchema& schema) const = 0;  // defaulted
  virtual void apply_defaults(PriorityLevel& level) const = 0;
  // True if a server validates the objects one by one.
  virtual bool is_served() const = 0;
  // True if the level named exempt, and no other, is of type Exempt.
  virtual bool fixes_exempt_level() const = 0;
  // Why a level can't deal such hands from its queues; empty if it can.
  virtual std::string hand_error(int queues, int hand_size) const = 0;
  // Errors between objects.
  virtual void validate_together(const LoadedConfig& loaded, std::vector<Diagnostic>& out) const = 0;

  // --- whole configurations
  virtual Config with_builtins(Config config, KubeVersion version, Builtins builtins) const = 0;
  // What is in force without being given, in every release.
  virtual Config mandatory_objects() const = 0;
  virtual Rewritten default_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                                    std::optional<KubeVersion> release) const = 0;
  virtual Rewritten convert_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                                    FlowControlVersion to, std::optional<KubeVersion> release) const = 0;
};

const Dialect& api_dialect();
const Dialect& kep_dialect();

// Reading keeps the dialects apart: all objects of a configuration are in one of them.
const Dialect& dialect_of(const Config& config);
const Dialect& dialect_of(const FlowSchema& schema);
const Dialect& dialect_of(const PriorityLevel& level);

// --- reading

// The dialect of an object that is not an object of the API; null for all others.
const Dialect* foreign_dialect(const ConfigNode& object, std::string_view api_version, std::string_view kind);
// Its name as written.
std::string foreign_name(const ConfigNode& object);
// Nothing if the object has an error, which goes to `diagnostics`.
std::optional<std::variant<FlowSchema, PriorityLevel>> decode_foreign(const ConfigNode& object,
                                                                      const ObjectLabel& label,
                                                                      std::vector<Diagnostic>& diagnostics);
// Cuts documents further where a dialect writes several objects into one.
std::vector<Piece> cut_foreign_objects(std::string_view text, std::vector<Piece> pieces);

}  // namespace apf
