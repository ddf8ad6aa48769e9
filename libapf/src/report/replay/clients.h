// Clients that wait for their answers, and clients that retry.
#pragma once

#include <apf/document.h>
#include <apf/output.h>
#include <apf/replay.h>

namespace apf {

Passage clients_passage(const ReplayReport& report);
Passage retries_passage(const ReplayReport& report);
// The members "clients" and "retries".
void write_clients(JsonWriter& json, const ReplayReport& report);

}  // namespace apf
