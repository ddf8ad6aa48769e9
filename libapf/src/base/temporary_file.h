// Bytes that are too many for memory: kept there while they are few, then in a file without a name, which is gone when
// the process is. In the directory that set_temporary_directory() has named, else in /tmp.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace apf {

// A file without a name in that directory, to be closed. Throws Error.
int open_temporary_file();

class TemporaryFile {
 public:
  // Throws Error: no file could be made, or the disk is full.
  void append(const void* data, std::size_t size);
  // `size` bytes from `offset` on; they must be there.
  void read(std::uint64_t offset, void* data, std::size_t size);
  // The same, of a place here and there: nothing is read ahead. Several threads may do so at once.
  void read_apart(std::uint64_t offset, void* data, std::size_t size) const;
  // `size` bytes from `offset` on, which must be there, become others.
  void overwrite(std::uint64_t offset, const void* data, std::size_t size);
  // All of it, as long as the object lives and nothing more is written.
  std::string_view map();
  std::uint64_t size() const { return written_ + buffer_.size(); }

 private:
  class Mapping {
   public:
    Mapping() = default;
    Mapping(int descriptor, std::size_t size);
    Mapping(Mapping&& other) noexcept { std::swap(text_, other.text_); }
    Mapping& operator=(Mapping&& other) noexcept {
      std::swap(text_, other.text_);
      return *this;
    }
    ~Mapping();
    std::string_view text() const { return text_; }

   private:
    std::string_view text_;
  };
  // A descriptor, closed at the end.
  class File {
   public:
    File() = default;
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(File&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
    File& operator=(File&& other) noexcept {
      std::swap(descriptor_, other.descriptor_);
      return *this;
    }
    ~File();
    int descriptor() const { return descriptor_; }

   private:
    int descriptor_ = -1;
  };
  void flush();
  void write(std::uint64_t offset, const char* data, std::size_t size);

  File file_;
  Mapping mapping_;
  std::uint64_t written_ = 0;  // bytes in the file
  std::vector<char> buffer_;   // those that follow
  std::uint64_t window_at_ = 0;
  std::vector<char> window_;  // of the file, read ahead
};

}  // namespace apf
