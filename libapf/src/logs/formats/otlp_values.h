// OTLP writes each value with its type, {"stringValue": "a"}, and each object as a list of keys with such values
// (kvlistValue, attributes). An audit event that a collector took to pieces so is put together again.
#pragma once

#include <string>

#include "logs/formats/json_walk.h"

namespace apf {

// The record with plain values and objects, on one line. Empty: it has no members of an event as such values.
std::string without_otlp_values(JsonText json, JsonToken record);

}  // namespace apf
