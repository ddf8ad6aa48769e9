// Texts that shippers encode within their records: as base64, compressed or not (Kinesis, Firehose, Pub/Sub), or as
// numbers of bytes (journald, of text with control characters).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace apf {

// The JSON that a string of a record is the base64 of, inflated where it is gzip: as much of it as can be had. Nothing:
// it is something else. `raw`: as it stands in JSON.
struct DecodedText {
  std::string text;
  bool is_damaged = false;  // its base64 or its gzip breaks
};
std::optional<DecodedText> decoded_text(std::string_view raw);

// The text of an array such as [72,101]; empty: it has anything else than bytes.
std::string text_of_bytes(std::string_view array);

// Whether a record of which only the beginning is there holds such a text, with anything of the server in it.
bool begins_encoded_text_of_server(std::string_view record);

// Whether a decoded text holds a line or an event of the server, in whatever way its quotes are written.
bool is_text_of_server(std::string_view decoded);

}  // namespace apf
