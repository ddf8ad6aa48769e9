#include "config/dialect.h"

#include <algorithm>
#include <utility>

#include <apf/hand.h>

#include "config/api_dialect.h"
#include "config/kep/convert.h"
#include "config/kep/created.h"
#include "config/kep/decode.h"
#include "config/kep/pieces.h"
#include "config/kep/validate.h"

namespace apf {

namespace {

class ApiDialect final : public Dialect {
 public:
  const char* words() const override { return "the Kubernetes API"; }
  const char* level_kind() const override { return "PriorityLevelConfiguration"; }
  const char* name_field() const override { return "metadata.name"; }

  std::int32_t precedence(const FlowSchema& schema) const override {
    return default_api_precedence(schema.matching_precedence);
  }
  void apply_defaults(PriorityLevel& level) const override { apply_api_defaults(level); }
  bool is_served() const override { return true; }
  bool fixes_exempt_level() const override { return true; }
  std::string hand_error(int queues, int hand_size) const override { return dealer_error(queues, hand_size); }
  void validate_together(const LoadedConfig&, std::vector<Diagnostic>&) const override {}

  Config with_builtins(Config config, KubeVersion version, Builtins builtins) const override {
    return over_builtins(std::move(config), version, builtins);
  }
  Config mandatory_objects() const override { return bootstrap_config(kNewestKubeVersion, Builtins::mandatory); }
  Rewritten default_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts,
                            std::optional<KubeVersion> release) const override {
    return rewrite_api_objects(loaded, texts, nullptr, release);
  }
  Rewritten convert_objects(const LoadedConfig& loaded, std::span<const ConfigText> texts, FlowControlVersion to,
                            std::optional<KubeVersion> release) const override {
    return rewrite_api_objects(loaded, texts, &to, release);
  }
};

class KepDialect final : public Dialect {
 public:
  const char* words() const override { return "the dialect of KEP-1040"; }
  const char* level_kind() const override { return kKepPriorityKind; }
  const char* name_field() const override { return "meta.name"; }

  // Decoding has filled in everything that has a default.
  std::int32_t precedence(const FlowSchema& schema) const override { return schema.matching_precedence; }
  void apply_defaults(PriorityLevel&) const override {}
  bool is_served() const override { return false; }
  bool fixes_exempt_level() const override { return false; }
  std::string hand_error(int queues, int hand_size) const override { return kep_hand_error(queues, hand_size); }
  void validate_together(const LoadedConfig& loaded, std::vector<Diagnostic>& out) const override {
    validate_kep(loaded, out);
  }

  // The dialect is older than all releases: its backstops are always the same.
  Config with_builtins(Config config, KubeVersion, Builtins) const override {
    return with_backstops(std::move(config));
  }
  Config mandatory_objects() const override { return {}; }
  Rewritten default_objects(const LoadedConfig& loaded, std::span<const ConfigText>,
                            std::optional<KubeVersion>) const override {
    return default_kep(loaded);
  }
  Rewritten convert_objects(const LoadedConfig& loaded, std::span<const ConfigText>, FlowControlVersion to,
                            std::optional<KubeVersion> release) const override {
    return convert_kep(loaded, to, release);
  }
};

}  // namespace

const Dialect& api_dialect() {
  static const ApiDialect dialect;
  return dialect;
}
const Dialect& kep_dialect() {
  static const KepDialect dialect;
  return dialect;
}

const Dialect& dialect_of(const Config& config) { return is_kep(config) ? kep_dialect() : api_dialect(); }
const Dialect& dialect_of(const FlowSchema& schema) { return schema.kep ? kep_dialect() : api_dialect(); }
const Dialect& dialect_of(const PriorityLevel& level) { return level.kep ? kep_dialect() : api_dialect(); }

const Dialect* foreign_dialect(const ConfigNode& object, std::string_view api_version, std::string_view kind) {
  if (!api_version.empty() && !api_version.starts_with("flowcontrol.")) return nullptr;
  if (kind == kKepPriorityKind) return &kep_dialect();
  if (kind != kFlowSchemaKind || !api_version.empty()) return nullptr;
  if (object.find("meta") && !object.find("metadata")) return &kep_dialect();
  const ConfigNode* spec = object.find("spec");
  return spec && (spec->find("requestPriority") || spec->find("match")) ? &kep_dialect() : nullptr;
}

std::string foreign_name(const ConfigNode& object) {
  const ConfigNode* meta = object.find("meta");
  return meta ? meta->find_string("name") : std::string();
}

std::optional<std::variant<FlowSchema, PriorityLevel>> decode_foreign(const ConfigNode& object,
                                                                      const ObjectLabel& label,
                                                                      std::vector<Diagnostic>& diagnostics) {
  if (label.kind == kFlowSchemaKind) {
    if (auto schema = decode_kep_flow_schema(object, label, diagnostics)) return std::move(*schema);
  } else if (auto level = decode_kep_priority(object, label, diagnostics)) {
    return std::move(*level);
  }
  return std::nullopt;
}

std::vector<Piece> cut_foreign_objects(std::string_view text, std::vector<Piece> pieces) {
  return cut_kep_objects(text, std::move(pieces));
}

}  // namespace apf
