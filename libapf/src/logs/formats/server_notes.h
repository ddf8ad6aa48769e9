// What kube-apiserver writes of itself into its log: its flags and release, the making of its flow controller, its
// configuration, its borrowing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <apf/logs.h>

#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

// Whether lines from this place ("apf_controller.go:292", "flowcontrol/apf_controller.go:292", "flags.go:64",
// "server.go:147") may hold notes.
bool may_hold_note(std::string_view place);

// A message of a klog line, its pairs in text behind it. False: it is none of the notes.
bool read_note(std::string_view message, JsonScratch& scratch, ServerNote& out);

// The same for a line in JSON: `level` and `current_cl` are what plName and currentCL say.
bool read_note(std::string_view message, std::string_view level, std::string_view current_cl, JsonScratch& scratch,
               ServerNote& out);

// An error or a warning (`bad`) of the flow controller, such as "Unable to list FlowSchema objects: …".
bool read_trouble(std::string_view place, bool bad, std::string_view message, ServerNote& out);

// Adds a note of the kind flag or version; others say nothing of them.
void take_server_flag(const ServerNote& note, ServerFlags& out);

}  // namespace apf
