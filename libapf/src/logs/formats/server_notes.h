// What kube-apiserver's flow controller writes of itself into its log: its making, its configuration, its borrowing.
#pragma once

#include <string_view>

#include "logs/formats/json_walk.h"
#include "logs/log_event.h"

namespace apf {

// Whether lines from this place ("apf_controller.go:292", "flowcontrol/apf_controller.go:292") may hold notes.
bool may_hold_note(std::string_view place);

// A message of a klog line, its pairs in text behind it. False: it is none of the notes.
bool read_note(std::string_view message, JsonScratch& scratch, ServerNote& out);

// The same for a line in JSON: `level` and `current_cl` are what plName and currentCL say.
bool read_note(std::string_view message, std::string_view level, std::string_view current_cl, JsonScratch& scratch,
               ServerNote& out);

}  // namespace apf
