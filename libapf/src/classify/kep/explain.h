// Why a FlowSchema of the KEP's dialect accepts a request or not: the tests that failed, with the values they saw.
#pragma once

#include <apf/classify.h>

namespace apf {

// Fills in why it matches or not; names and precedence are there already.
void explain_kep_schema(const FlowSchema& schema, const RequestInfo& info, const User& user, TraceEntry& out);

// How the flow distinguisher came about; empty unless a pattern made it.
std::string explain_kep_distinguisher(const Classifier::Schema& schema, const RequestInfo& info, const User& user);

}  // namespace apf
