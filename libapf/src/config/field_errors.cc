#include "config/field_errors.h"

#include "config/reader.h"
#include "config/tree.h"

namespace apf {

std::string FieldPath::str() const {
  std::string out = parent_ ? parent_->str() : std::string();
  if (index_ == kKey) return ((out += '[') += name_) += ']';
  if (index_ != kNoIndex) return out += '[' + std::to_string(index_) + ']';
  if (!out.empty()) out += '.';
  return out += name_;
}

void FieldErrors::add(const ConfigCode& code, const FieldPath& path, std::string_view type,
                      const std::string_view* value, std::string detail, std::string_view where) {
  Diagnostic d;
  d.code = code.code;
  d.name = code.name;
  d.field = path.str();
  d.type = type;
  d.detail = std::move(detail);
  d.message = d.field + ": " + d.type;
  if (value) (d.message += ": ") += *value;
  if (!d.detail.empty()) d.message += ": " + d.detail;
  d.span = meta_.source.span_of(where.empty() ? std::string_view(d.field) : where);
  if (d.span.file.empty()) d.span.file = meta_.source.file;
  d.document = meta_.source.document;
  d.api_version = meta_.api_version;
  d.kind = kind_;
  d.object_name = name_to_tell(meta_.name);
  out_.push_back(std::move(d));
}

void FieldErrors::required(const ConfigCode& code, const FieldPath& path, std::string detail, std::string_view where) {
  add(code, path, "Required value", nullptr, std::move(detail), where);
}

void FieldErrors::missing_namespace(const FieldPath& path) {
  required(kInvalidNamespace, path);
  out_.back().severity = Severity::info;
  out_.back().notes.push_back({"kubectl sends such an object to the namespace of its context or of -n", {}});
}

void FieldErrors::cleared_namespace(const FieldPath& path) {
  forbidden(kNamespaceOnClusterScoped, path, "not allowed on this type");
  out_.back().severity = Severity::info;
  note("the kind is cluster-scoped: the server clears the namespace of what kubectl sends");
}

void FieldErrors::unknown_version(std::string message) {
  add(kUnknownApiVersion, FieldPath("apiVersion"), {}, nullptr, {});
  out_.back().message = std::move(message);
}

void FieldErrors::generated_name(const FieldPath& path) {
  add(kInvalidName, path, {}, nullptr, {});
  Diagnostic& d = out_.back();
  d.severity = Severity::info;
  d.message = d.field + ": the server makes up the name: kubectl create takes this object, kubectl apply refuses it";
}

void FieldErrors::forbidden(const ConfigCode& code, const FieldPath& path, std::string detail) {
  add(code, path, "Forbidden", nullptr, std::move(detail));
}

void FieldErrors::too_long(const ConfigCode& code, const FieldPath& path, int most) {
  add(code, path, "Too long", nullptr, "may not be more than " + std::to_string(most) + " bytes");
}

void FieldErrors::invalid(const ConfigCode& code, const FieldPath& path, std::string_view value, std::string detail,
                          std::string_view where) {
  add(code, path, "Invalid value", &value, std::move(detail), where);
}

void FieldErrors::invalid(const ConfigCode& code, const FieldPath& path, std::int64_t value, std::string detail) {
  const std::string text = std::to_string(value);
  const std::string_view printed = text;
  add(code, path, "Invalid value", &printed, std::move(detail));
}

void FieldErrors::invalid_key(const ConfigCode& code, const FieldPath& path, std::string_view value,
                              std::string detail) {
  add(code, path, "Invalid value", &value, std::move(detail));
  point_at_key(path.str());
}

void FieldErrors::point_at_key(std::string_view field) {
  if (!meta_.source.tree) return;
  const FieldPosition at = find_field(*meta_.source.tree, field);
  if (at.exact && at.key) out_.back().span = at.key->span();
}

void FieldErrors::not_supported(const ConfigCode& code, const FieldPath& path, std::string_view value,
                                std::initializer_list<std::string_view> supported) {
  std::string detail;
  for (const std::string_view word : supported) {
    detail += detail.empty() ? "supported values: \"" : ", \"";
    (detail += word) += '"';
  }
  add(code, path, "Unsupported value", &value, std::move(detail));
}

void FieldErrors::duplicate(const ConfigCode& code, const FieldPath& path, std::string_view value) {
  add(code, path, "Duplicate value", &value, {});
}

}  // namespace apf
