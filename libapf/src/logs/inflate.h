// A log file's bytes, inflated when they are gzip (any number of members), zstd (any number of frames), xz, bzip2 or
// lz4: by its first bytes, not by its name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <apf/logs.h>

#include "logs/kept_pipe.h"

namespace apf {

class Inflater;
class Unpacker;

class ByteSource {
 public:
  // A text in memory, or a file ("-" = standard input). Throws Error when it cannot be opened.
  explicit ByteSource(const std::string& path, const LogTexts& texts = {});
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Up to `size` bytes. Fewer come at the end of the file, when a signal arrived, and from pipes and compressed files
  // at any time; none at the end (at_end()) or when a signal arrived.
  std::size_t read(char* to, std::size_t size);
  bool at_end() const { return end_; }
  // Looks at the first bytes.
  bool is_inflated();
  // What is read from the file is kept there, too.
  void keep_in(std::shared_ptr<KeptPipe> kept);
  // What was kept of a pipe, which is to be read on as long as `held` is.
  LogText hand_on(std::shared_ptr<const void>& held);
  // As they are in the file, in place of read().
  std::size_t read_packed(char* to, std::size_t size);
  bool packed_end() const { return file_end_ && input_at_ == input_.size(); }
  // Reads the rest of the file, to keep it, as far as there is room; or until the user interrupts: what came then is
  // the whole.
  void keep_rest(const std::atomic<bool>* interrupted);

  std::uint64_t input_bytes() const { return input_bytes_; }  // read from the file, as they are there
  // Why the text ends before the file does, in words that go after the file's name; empty: it does not.
  const std::string& damage() const { return damage_; }

 private:
  std::size_t read_file(char* to, std::size_t size);
  void choose_inflater();
  std::size_t inflate(char* to, std::size_t size);
  std::size_t unpack(char* to, std::size_t size);

  std::string path_;
  int file_ = -1;          // -1: the text
  std::string_view text_;  // what is left of it
  std::string text_damage_;
  bool end_ = false, file_end_ = false, interrupted_ = false, chosen_ = false;
  std::uint64_t input_bytes_ = 0;
  std::string damage_;
  std::unique_ptr<Inflater> inflater_;
  std::unique_ptr<Unpacker> unpacker_;
  std::shared_ptr<KeptPipe> kept_;  // null: nobody wants it
  std::string input_;               // read, not used yet: [input_at_, input_.size())
  std::size_t input_at_ = 0;
};

}  // namespace apf
