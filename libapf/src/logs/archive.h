// Archives (tar, zip, 7z, cpio), and files that are compressed by xz, bzip2 or lz4, as streams: by libarchive, where
// the library was built with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <apf/logs.h>

namespace apf {

enum class Packing : std::uint8_t { none, compressed, archive };
// By the first bytes of what is no gzip or zstd any more: kPackingHead of them, or all that there are.
inline constexpr std::size_t kPackingHead = 512;
Packing packing_of(std::string_view head);

// Memory does not grow with what is unpacked.
class Unpacker {
 public:
  // Up to `size` bytes of what is packed; none: the end.
  using Read = std::function<std::size_t(char* to, std::size_t size)>;
  // One stream that is compressed. Throws Error that begins with `name`: there is no libarchive.
  static std::unique_ptr<Unpacker> of_stream(const std::string& name, Read read);
  // An archive as a stream; `damage`: what is wrong with its bytes.
  static std::unique_ptr<Unpacker> of_archive(const std::string& name, Read read, std::function<std::string()> damage);
  // One that is not compressed: a text, or a file.
  static std::unique_ptr<Unpacker> of_archive(const std::string& path, const LogTexts& texts);
  virtual ~Unpacker() = default;

  // Moves on to the next member that is a file; false at the end, or where nothing more can be read.
  virtual bool next(std::string& name) = 0;
  // Of the member; a stream is one from the beginning. None: its end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // Why the member was not read to its end, and why the archive was not: in words that go after a name. Empty: they
  // were.
  virtual const std::string& damage() const = 0;
  virtual const std::string& damage_of_archive() const = 0;
};

}  // namespace apf
