// Trace lines without names: what tells who and what is replaced by a hash, what decides about a request stays.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <apf/trace.h>
#include <apf/version.h>

namespace apf {

// The same text becomes the same word everywhere (r- and twelve hex digits of a keyed SHA-256), so that requests of one
// user, in one namespace, of one object stay together. Kept are times, verbs, API groups, resources, subresources,
// paths that are no resources, user and group names of the system itself (system:…), the namespaces that every cluster
// has, and FlowSchemas and levels that the server itself maintains.
class APF_API Redactor {
 public:
  // Without a key whoever can guess a name can check the guess.
  explicit Redactor(std::string_view key);
  ~Redactor();
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  void apply(TraceRequest& request) const;

  std::string word(std::string_view text) const;
  std::string user(std::string_view name) const;
  std::string group(std::string_view name) const;
  std::string name_space(std::string_view name) const;
  std::string uri(std::string_view target) const;

 private:
  struct APF_LOCAL Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace apf
