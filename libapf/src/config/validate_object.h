// Validation of one object as the server's strategies do it (pkg/apis/flowcontrol/validation and
// pkg/registry/flowcontrol of kube-apiserver, v1.36; the version given decides what was otherwise then).
#pragma once

#include <optional>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/version.h>

#include "config/field_errors.h"

namespace apf {

enum class Operation {
  create,         // the status of the request is dropped
  update,         // the same; the metadata is compared with the old object's
  status_update,  // the status alone
  object,         // everything, as for an object that is stored
};

// What is written; defaulting happens inside. `old` matters for updates and may be null.
void validate_object(const FlowSchema& object, Operation operation, KubeVersion version, const FlowSchema* old,
                     std::vector<Diagnostic>& out);
void validate_object(const PriorityLevel& object, Operation operation, KubeVersion version, const PriorityLevel* old,
                     std::vector<Diagnostic>& out);

// The parts of it.
enum class Scope { cluster, namespaced };
void validate_metadata(const ObjectMeta& meta, FieldErrors& errors, Scope scope = Scope::cluster);
// Labels, annotations, owners and managed fields, which an update of any kind looks at too.
void validate_metadata_texts(const ObjectMeta& meta, FieldErrors& errors);
void validate_metadata_update(const ObjectMeta& meta, const ObjectMeta& old, FieldErrors& errors,
                              Scope scope = Scope::cluster);
void validate_conditions(const ObjectMeta& meta, FieldErrors& errors);
void validate_flow_schema_spec(const FlowSchema& schema, FieldErrors& errors);                        // not defaulted
void validate_level_spec(const PriorityLevel& level, bool zero_shares_allowed, FieldErrors& errors);  // defaulted
bool same_stanza(const std::optional<LimitedLevel>& a, const std::optional<LimitedLevel>& b);
// The rules of 1.37 that are generated from the types, after all others. `old`: before an update, else null; defaulted.
void check_generated_rules(const PriorityLevel& level, const PriorityLevel* old, FieldErrors& errors);

// What the server would say to strict decoding, from what loading said about one object; empty if nothing.
std::string strict_decode_error(const std::vector<Diagnostic>& of_one_object);

}  // namespace apf
