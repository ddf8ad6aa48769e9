#include "replay/prepare/attributes.h"

#include <cstring>
#include <utility>

#include "classify/go_url.h"

namespace apf {

namespace {

std::optional<AdmissionOperation> operation_of(std::string_view verb) {
  if (verb == "create") return AdmissionOperation::create;
  if (verb == "update") return AdmissionOperation::update;
  if (verb == "patch" || verb == "apply") return AdmissionOperation::patch;
  if (verb == "delete" || verb == "deletecollection") return AdmissionOperation::remove;
  return std::nullopt;
}

bool is_core_event(const RequestView::Fields& f) {
  return f.is_resource && f.api_group.empty() && f.resource == "events";
}

// Whatever its value: but for "All" the server refuses it before admission.
bool asks_for_dry_run(std::string_view uri) {
  constexpr std::string_view kDryRun = "dryRun";
  std::size_t at = uri.find('?');
  while (at != std::string_view::npos) {
    const std::size_t end = uri.find('&', at + 1);
    const std::string_view pair = uri.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
    const std::string_view key = pair.substr(0, pair.find('='));
    if (key == kDryRun) return true;
    std::string plain;
    if (key.find('%') != std::string_view::npos && append_unescaped(key, true, plain) && plain == kDryRun) return true;
    at = end;
  }
  return false;
}

bool was_served(int code) { return code >= 200 && code < 300; }

// The event as admission sees it. A patch does not say what it is about; what became of the event does.
std::string_view event_object(const LogEvent& event, AdmissionOperation operation) {
  if (operation != AdmissionOperation::patch || event.trace) return event.object;
  return was_served(event.code) ? event.response_object : std::string_view();
}

// Objects are large, and thousands of requests are held at once, in places that many had before: none has more memory
// than its object needs, be it of an earlier one, or because a string that grows doubles what it has.
void set_object(std::string& to, std::string_view object) {
  if (to.capacity() < object.size() || to.capacity() > 2 * object.size() + 64) std::string(object).swap(to);
  else to.assign(object);
}

}  // namespace

bool has_attributes(const RequestView& view, AttributesWanted wanted) {
  const auto operation = view.f.is_resource ? operation_of(view.f.verb) : std::nullopt;
  if (!operation) return false;
  return wanted.objects || (wanted.events && is_core_event(view.f) && *operation != AdmissionOperation::remove);
}

bool AttributesReader::read_key(std::string_view object, std::string& key) {
  text_.assign(object);  // the index wants to read one byte more
  SourceAndObject event;
  if (text_.empty() || text_.front() != '{' || index_.build(text_.data(), text_.size()) != JsonIndex::Result::ok)
    return false;
  scratch_.clear();
  const JsonText json{text_.data(), static_cast<std::uint32_t>(text_.size())};
  bool fits = true;
  const auto take = [&](JsonToken value, std::string_view& out) -> JsonToken {
    out = {};
    if (json.first(value) == '"') return json_text(json.string(value), scratch_, out) ? value + 1 : nullptr;
    fits = fits && json.first(value) == 'n';
    return json.skip(value);
  };
  const JsonToken end = walk_object(json, index_.begin(), [&](std::string_view name, JsonToken value) -> JsonToken {
    if (json.first(value) != '{') return kUnknownKey;
    if (is_key(name, "source")) {
      return walk_object(json, value, [&](std::string_view member, JsonToken v) -> JsonToken {
        if (is_key(member, "component")) return take(v, event.component);
        return is_key(member, "host") ? take(v, event.host) : kUnknownKey;
      });
    }
    if (!is_key(name, "involvedObject")) return kUnknownKey;
    return walk_object(json, value, [&](std::string_view member, JsonToken v) -> JsonToken {
      if (is_key(member, "kind")) return take(v, event.kind);
      if (is_key(member, "namespace")) return take(v, event.ns);
      if (is_key(member, "name")) return take(v, event.name);
      if (is_key(member, "uid")) return take(v, event.uid);
      return is_key(member, "apiVersion") ? take(v, event.api_version) : kUnknownKey;
    });
  });
  if (end == nullptr || !fits) return false;
  key = source_and_object_key(event);
  return true;
}

void AttributesReader::read(const LogEvent& event, const RequestView& view, const std::string* user,
                            AttributesWanted wanted, AdmissionAttributes& out) {
  const RequestView::Fields& f = view.f;
  out.operation = *operation_of(f.verb);
  out.api_group.assign(f.api_group);
  out.api_version.assign(f.api_version);
  out.resource.assign(f.resource);
  out.subresource.assign(f.subresource);
  out.ns.assign(f.ns);
  out.name.assign(f.name);
  out.user_known = user != nullptr;
  out.user.assign(user ? std::string_view(*user) : std::string_view());
  out.dry_run = asks_for_dry_run(event.uri);
  out.code = event.code;
  out.is_event = is_core_event(f) && out.operation != AdmissionOperation::remove;
  out.refused_by_event_limit = event.cause == AnswerCause::event_rate_limit;
  out.refused_by_quota = event.cause == AnswerCause::resource_quota;
  out.lost_by_quota = event.cause == AnswerCause::quota_conflict;
  out.source_and_object.reset();
  if (wanted.events && out.is_event) {
    std::string key;
    if (read_key(event_object(event, out.operation), key)) out.source_and_object = std::move(key);
  }
  set_object(out.object, wanted.objects ? event.object : std::string_view());
  set_object(out.response_object, wanted.objects ? event.response_object : std::string_view());
}

namespace {

constexpr std::string AdmissionAttributes::*kTexts[] = {
    &AdmissionAttributes::api_group,   &AdmissionAttributes::api_version, &AdmissionAttributes::resource,
    &AdmissionAttributes::subresource, &AdmissionAttributes::ns,          &AdmissionAttributes::name,
    &AdmissionAttributes::user,        &AdmissionAttributes::object,      &AdmissionAttributes::response_object};

// What has a fixed size, in front of the texts.
struct FixedPart {
  int code = 0;
  AdmissionOperation operation = AdmissionOperation::create;
  bool user_known = false, dry_run = false, is_event = false, refused_by_event_limit = false, refused_by_quota = false;
  bool lost_by_quota = false, has_key = false;
};

void append_text(std::string& out, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
}

std::string take_text(std::string_view& bytes) {
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  std::string text(bytes.substr(sizeof size, size));
  bytes.remove_prefix(sizeof size + size);
  return text;
}

}  // namespace

void append_attributes(const AdmissionAttributes& a, std::string& out) {
  FixedPart fixed;
  fixed.code = a.code;
  fixed.operation = a.operation;
  fixed.user_known = a.user_known;
  fixed.dry_run = a.dry_run;
  fixed.is_event = a.is_event;
  fixed.refused_by_event_limit = a.refused_by_event_limit;
  fixed.refused_by_quota = a.refused_by_quota;
  fixed.lost_by_quota = a.lost_by_quota;
  fixed.has_key = a.source_and_object.has_value();
  out.append(reinterpret_cast<const char*>(&fixed), sizeof fixed);
  for (const auto text : kTexts) append_text(out, a.*text);
  if (a.source_and_object) append_text(out, *a.source_and_object);
}

AdmissionAttributes read_attributes(std::string_view bytes) {
  FixedPart fixed;
  std::memcpy(&fixed, bytes.data(), sizeof fixed);
  bytes.remove_prefix(sizeof fixed);
  AdmissionAttributes a;
  a.code = fixed.code;
  a.operation = fixed.operation;
  a.user_known = fixed.user_known;
  a.dry_run = fixed.dry_run;
  a.is_event = fixed.is_event;
  a.refused_by_event_limit = fixed.refused_by_event_limit;
  a.refused_by_quota = fixed.refused_by_quota;
  a.lost_by_quota = fixed.lost_by_quota;
  for (const auto text : kTexts) a.*text = take_text(bytes);
  if (fixed.has_key) a.source_and_object = take_text(bytes);
  return a;
}

}  // namespace apf
