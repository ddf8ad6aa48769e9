#include "logs/log_order.h"

namespace apf {

std::shared_ptr<LogOrder> make_log_order() { return std::make_shared<LogOrder>(); }

void LogOrder::sort(const std::vector<std::string>& logs) {
  const std::lock_guard lock(mutex_);
  sorted_.try_emplace(logs);
}

std::optional<LogOrder::Sorted> LogOrder::sorted(const std::vector<std::string>& logs) {
  const std::lock_guard lock(mutex_);
  const auto known = sorted_.find(logs);
  return known == sorted_.end() ? std::nullopt : std::optional(known->second);
}

void LogOrder::keep(const std::vector<std::string>& logs, const Sorted& sorted) {
  const std::lock_guard lock(mutex_);
  sorted_[logs] = sorted;
}

bool LogOrder::note(const std::string& log, HeldKinds holds) {
  const std::lock_guard lock(mutex_);
  HeldKinds& known = held_[log];
  const HeldKinds before = known;
  known = {known.audit || holds.audit, known.http || holds.http};
  return known != before;
}

HeldKinds LogOrder::held_in(const std::string& log) {
  const std::lock_guard lock(mutex_);
  const auto at = held_.find(log);
  return at == held_.end() ? HeldKinds() : at->second;
}

int LogOrder::found_in(const std::string& log, const char* what, const std::function<int()>& find) {
  const std::lock_guard lock(mutex_);
  const std::string key = std::string(what) + '\0' + log;
  const auto known = found_.find(key);
  return known != found_.end() ? known->second : found_.emplace(key, find()).first->second;
}

std::shared_ptr<KeptPipe> LogOrder::pipe(const std::string& path) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<KeptPipe>& pipe = pipes_[path];
  if (!pipe) pipe = std::make_shared<KeptPipe>();
  return pipe;
}

LogTexts LogOrder::with_kept(const LogTexts& texts) {
  const std::lock_guard lock(mutex_);
  LogTexts out = texts;
  for (const auto& [path, pipe] : pipes_)
    if (const auto at = out.find(path); pipe->is_whole() && (at == out.end() || at->second.goes_on_in >= 0))
      out.insert_or_assign(path, pipe->bytes());
  return out;
}

}  // namespace apf
