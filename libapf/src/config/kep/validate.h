// The rules of the KEP's own dialect that hold between the fields of an object and between objects.
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>

#include "config/kep/kep.h"

namespace apf {

// Appends the errors of the given objects of the dialect. There is no server whose words these could be.
void validate_kep(const LoadedConfig& loaded, std::vector<Diagnostic>& out);

// Why no hand of that size can be dealt from that many queues; empty: it can. The KEP bounds the number of hands, the
// server what it estimates of their bits: 182 queues and hands of 8 are 1.03e18 hands, below 2^60, and 61 bits.
std::string kep_hand_error(int queues, int hand_size);

// Does the test hold of every value of its field?
bool always_holds(const KepTest& test);

// Do the FlowSchemas whose priority is there match every request, without the backstops? Tests are looked at as wholes:
// one and its inverse are everything together. True where that takes too long to find out.
bool all_requests_match(const Config& effective);

}  // namespace apf
