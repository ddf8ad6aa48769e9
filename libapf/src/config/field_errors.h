// The server's field errors (k8s.io/apimachinery/pkg/util/validation/field) as Diagnostics: one object's errors in the
// order they are reported.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <apf/config.h>
#include <apf/findings.h>
#include <apf/version.h>

#include "config/codes.h"

namespace apf {

// A path to a field, on the stack: only written out when there is an error to report. A path must not outlive the one
// it was made from.
class FieldPath {
 public:
  explicit FieldPath(std::string_view name) : name_(name) {}
  FieldPath child(std::string_view name) const { return FieldPath(this, name, kNoIndex); }
  FieldPath at(std::size_t index) const { return FieldPath(this, {}, index); }
  FieldPath key(std::string_view name) const { return FieldPath(this, name, kKey); }
  std::string str() const;

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1), kKey = static_cast<std::size_t>(-2);
  FieldPath(const FieldPath* parent, std::string_view name, std::size_t index)
      : parent_(parent), name_(name), index_(index) {}
  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = kNoIndex;
};

class FieldErrors {
 public:
  FieldErrors(const ObjectMeta& meta, std::string_view kind, KubeVersion version, std::vector<Diagnostic>& out)
      : meta_(meta), kind_(kind), version_(version), out_(out) {}

  KubeVersion version() const { return version_; }

  void required(const ConfigCode& code, const FieldPath& path, std::string detail = {}, std::string_view where = {});
  // Information: kubectl and the server fill in the namespace of the request.
  void missing_namespace(const FieldPath& path);
  // Information: validation forbids a namespace on a cluster-scoped object, but the registry clears it before it
  // validates (v1.36, registry/rest EnsureObjectNamespaceMatchesRequestNamespace).
  void cleared_namespace(const FieldPath& path);
  // Of the object's apiVersion, which no server knows.
  void unknown_version(std::string message);
  // Information: the server makes a name of it before it validates, which kubectl apply has no use for.
  void generated_name(const FieldPath& path);
  void forbidden(const ConfigCode& code, const FieldPath& path, std::string detail);
  void too_long(const ConfigCode& code, const FieldPath& path, int most);
  // `value` as the server prints it: go_quote for a string, go_json for most else. `where` is a field to point at in
  // place of the path, for paths that name a whole map.
  void invalid(const ConfigCode& code, const FieldPath& path, std::string_view value, std::string detail,
               std::string_view where = {});
  void invalid(const ConfigCode& code, const FieldPath& path, std::int64_t value, std::string detail);
  // Of a key of a map: points at the key.
  void invalid_key(const ConfigCode& code, const FieldPath& path, std::string_view value, std::string detail);
  void not_supported(const ConfigCode& code, const FieldPath& path, std::string_view value,
                     std::initializer_list<std::string_view> supported);
  void duplicate(const ConfigCode& code, const FieldPath& path, std::string_view value);
  // The last error is about the key of this member.
  void point_at_key(std::string_view field);
  // Added to the last error.
  void note(std::string message) { out_.back().notes.push_back({std::move(message), {}}); }

 private:
  void add(const ConfigCode& code, const FieldPath& path, std::string_view type, const std::string_view* value,
           std::string detail, std::string_view where = {});

  const ObjectMeta& meta_;
  std::string_view kind_;
  KubeVersion version_;
  std::vector<Diagnostic>& out_;
};

}  // namespace apf
