// The rules of the KEP's own dialect that hold between the fields of an object and between objects.
#pragma once

#include <string>
#include <vector>

#include <apf/config.h>

namespace apf {

// Appends the errors of the given objects of the dialect. There is no server whose words these could be.
void validate_kep(const LoadedConfig& loaded, std::vector<Diagnostic>& out);

// Why no hand of that size can be dealt from that many queues; empty: it can. The KEP bounds the number of hands, the
// server what it estimates of their bits: 182 queues and hands of 8 are 1.03e18 hands, below 2^60, and 61 bits.
std::string kep_hand_error(int queues, int hand_size);

// Does the FlowSchema accept every request?
bool accepts_everything(const FlowSchema& schema);

}  // namespace apf
