// Audit events whose members were flattened, renamed or made text on the way: "kubernetes.audit.user.username",
// "RequestUri", "user": "{\"username\":…}", the columns of a table. What they say is written down again as an event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/formats/json_walk.h"

namespace apf {

// Whether a member may hold an event's URI: kubernetes.audit.requestURI, RequestUri, request_uri.
bool ends_as_uri(std::string_view member);

class FlatEvent {
 public:
  // Takes the members of an object. False: they are none of an event, or those of an event as it is.
  bool read(JsonText json, JsonToken object);

  // Takes the names of a table's columns. False: its rows are no events.
  bool set_columns(const std::vector<std::string_view>& columns);
  bool has_columns() const { return !columns_.empty(); }
  // Takes a row of that table.
  void read_row(const std::vector<std::string_view>& cells);

  // What was read, as JSON, until the next is.
  const std::string& json() const { return json_; }

 private:
  enum Field : std::uint8_t {
    id,
    stage,
    uri,
    verb,
    agent,
    received,
    stage_time,
    other_time,  // of the record
    addresses,
    user,
    user_name,
    groups,
    impersonated,
    impersonated_name,
    impersonated_groups,
    status,
    status_code,
    status_message,
    status_reason,
    annotations,
    queue_wait,
    latency,
    request_object,
    response_object,
    kFields
  };
  // A value as JSON, or a text of which it is not known what it holds.
  struct Value {
    std::string_view text;
    bool is_text = false;
  };

  // How people name what an event has within other members: `whole`.
  struct Name {
    std::string_view name;
    Field field, whole;
  };
  static const Name kNames[8];

  void clear();
  bool take_alone(JsonText json, JsonToken object);
  static bool is_list(Field field) { return field == addresses || field == groups || field == impersonated_groups; }
  Field find_field(std::string_view name) const;
  Field known_field(std::size_t place, std::string_view name);
  static Field find_nested(std::string_view path);
  bool read_nested(JsonText json, JsonToken object, const std::string& path);
  bool read_foreign(JsonText json, JsonToken object);
  void take(Field field, Value value);
  bool has(Field field) const { return !lists_[field].empty(); }

  void write();
  void begin(const char* name);
  void write_text(const char* name, Field field);
  void write_time(const char* name, Field field);
  void write_list(const char* name, Field field);
  void write_user(const char* name, Field whole, Field alone, Field list);
  void write_status();
  void write_annotations();
  bool write_whole(const char* name, Field field);

  std::string prefix_;                                // of all members' names, in plain form
  std::vector<std::pair<std::string, Field>> known_;  // of the last records, by their places
  std::vector<Value> lists_[kFields];
  std::vector<Field> columns_;
  JsonScratch scratch_;
  std::string json_;
};

}  // namespace apf
