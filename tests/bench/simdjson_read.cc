// What a replay is measured against: simdjson merely reading, in one thread, the fields of an audit log that a replay
// uses, and doing nothing with them. Portable build: the kernel is chosen at run time where the parser can (dom).
//
//   simdjson_read dom|dom-chunked|ondemand FILE     prints the number of events and a sum over what was read
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace {

struct Sum {
  std::uint64_t events = 0, bytes = 0;
  void add(std::string_view text) { bytes += text.size(); }
};

void read_dom(simdjson::dom::parser& parser, const char* line, std::size_t size, Sum& sum) {
  simdjson::dom::element event = parser.parse(line, size, false);
  ++sum.events;
  // One pass over the keys, as looking each of them up would walk the object again and again.
  for (const auto& [key, value] : simdjson::dom::object(event)) {
    if (key == "auditID" || key == "stage" || key == "requestURI" || key == "verb" || key == "userAgent" ||
        key == "requestReceivedTimestamp" || key == "stageTimestamp") {
      sum.add(value.get_string());
    } else if (key == "user" || key == "impersonatedUser") {
      for (const auto& [user_key, user_value] : simdjson::dom::object(value)) {
        if (user_key == "username") sum.add(user_value.get_string());
        if (user_key == "groups") {
          for (const auto group : simdjson::dom::array(user_value)) sum.add(group.get_string());
        }
      }
    } else if (key == "responseStatus") {
      std::int64_t code = 0;
      if (value["code"].get(code) == simdjson::SUCCESS) sum.bytes += static_cast<std::uint64_t>(code);
    } else if (key == "annotations") {
      std::string_view wait;
      if (value["apiserver.latency.k8s.io/apf-queue-wait"].get(wait) == simdjson::SUCCESS) sum.add(wait);
    }
  }
}

void read_on_demand(simdjson::ondemand::parser& parser, const char* line, std::size_t size, std::size_t capacity,
                    Sum& sum) {
  simdjson::ondemand::document event = parser.iterate(line, size, capacity);
  ++sum.events;
  for (auto field : event.get_object()) {
    const std::string_view key = field.unescaped_key();
    if (key == "auditID" || key == "stage" || key == "requestURI" || key == "verb" || key == "userAgent" ||
        key == "requestReceivedTimestamp" || key == "stageTimestamp") {
      sum.add(field.value().get_string());
    } else if (key == "user" || key == "impersonatedUser") {
      for (auto user_field : field.value().get_object()) {
        const std::string_view user_key = user_field.unescaped_key();
        if (user_key == "username") sum.add(user_field.value().get_string());
        if (user_key == "groups") {
          for (auto group : user_field.value().get_array()) sum.add(group.get_string());
        }
      }
    } else if (key == "responseStatus") {
      std::int64_t code = 0;
      if (field.value()["code"].get(code) == simdjson::SUCCESS) sum.bytes += static_cast<std::uint64_t>(code);
    } else if (key == "annotations") {
      std::string_view wait;
      if (field.value()["apiserver.latency.k8s.io/apf-queue-wait"].get(wait) == simdjson::SUCCESS) sum.add(wait);
    }
  }
}

template <typename Read>
std::size_t each_line(const char* text, std::size_t size, const Read& read) {
  std::size_t at = 0;
  while (const void* newline = std::memchr(text + at, '\n', size - at)) {
    const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(newline) - text);
    if (end > at) read(text + at, end - at);
    at = end + 1;
  }
  return at;
}

void read_chunks(std::FILE* file, Sum& sum) {
  simdjson::dom::parser parser;
  std::string buffer(std::size_t{4} << 20, '\0');
  std::size_t kept = 0;
  while (const std::size_t got =
             std::fread(buffer.data() + kept, 1, buffer.size() - simdjson::SIMDJSON_PADDING - kept, file)) {
    const std::size_t have = kept + got;
    const std::size_t done =
        each_line(buffer.data(), have, [&](const char* line, std::size_t size) { read_dom(parser, line, size, sum); });
    kept = have - done;
    std::memmove(buffer.data(), buffer.data() + done, kept);
  }
}

int run(const std::string& mode, const char* path) {
  Sum sum;
  if (mode == "dom-chunked") {
    std::FILE* file = std::fopen(path, "rb");
    if (!file) return std::fprintf(stderr, "%s: %s\n", path, std::strerror(errno)), 2;
    read_chunks(file, sum);
    std::fclose(file);
  } else {
    const simdjson::padded_string text = simdjson::padded_string::load(path);
    const std::size_t capacity = text.size() + simdjson::SIMDJSON_PADDING;
    if (mode == "dom") {
      simdjson::dom::parser parser;
      each_line(text.data(), text.size(),
                [&](const char* line, std::size_t size) { read_dom(parser, line, size, sum); });
    } else {
      simdjson::ondemand::parser parser;
      each_line(text.data(), text.size(), [&](const char* line, std::size_t size) {
        read_on_demand(parser, line, size, capacity - static_cast<std::size_t>(line - text.data()), sum);
      });
    }
  }
  std::printf("%llu events, sum %llu\n", static_cast<unsigned long long>(sum.events),
              static_cast<unsigned long long>(sum.bytes));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode != "dom" && mode != "dom-chunked" && mode != "ondemand") {
    std::fprintf(stderr, "usage: simdjson_read dom|dom-chunked|ondemand FILE\n");
    return 2;
  }
  try {
    return run(mode, argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[2], error.what());
    return 2;
  }
}
