// Who a client is, and which objects of a configuration are for it alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apf/config.h>

namespace apf {

// Whether that is the user, or one of those that it stands for.
bool is_client(const std::string& pattern, const std::string& user);
bool is_one_of(const std::vector<std::string>& patterns, const std::string& user);
bool is_component(const std::string& user);  // of the control plane, or a node: it gets no level of its own

// What a FlowSchema calls the user, or those that it stands for. Nothing: it has no word for them.
std::optional<Subject> subject_of(const std::string& user);

// Whether all whom it names are the client, or clients that it stands for.
bool is_for_only(const FlowSchema& schema, const std::string& user);

// Limited levels to which only FlowSchemas for this client lead, so that nobody else has requests there.
std::vector<std::string> own_levels(const Config& config, const std::string& user);

// Whether a FlowSchema keeps its requests, whoever sends them: to an exempt level, of heartbeats of nodes, of leader
// election (APF202).
bool keeps_its_requests(const Config& config, const std::string& flow_schema);
// Whether such a FlowSchema leads to the level.
bool serves_system(const Config& config, const std::string& level);

PriorityLevel* find_level(Config& config, const std::string& name);  // null: there is none

// Exempt and catch-all, which the server itself keeps as they are.
bool is_mandatory_level(const std::string& name);

}  // namespace apf
