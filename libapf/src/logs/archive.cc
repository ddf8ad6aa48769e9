#include "logs/archive.h"

#include <apf/error.h>

#include <algorithm>
#include <cstring>
#include <vector>

#ifdef APF_WITH_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#include "base/text.h"

namespace apf {

namespace {

// A header whose checksum is right: the sum of its bytes, those of the sum itself as blanks.
bool is_tar_header(std::string_view block) {
  constexpr std::size_t kSumAt = 148, kSumSize = 8;
  if (block.size() < kPackingHead || block[0] == '\0') return false;
  std::uint64_t sum = kSumSize * ' ', stated = 0;
  for (std::size_t i = 0; i < kPackingHead; ++i)
    if (i < kSumAt || i >= kSumAt + kSumSize) sum += static_cast<unsigned char>(block[i]);
  std::string_view digits = block.substr(kSumAt, kSumSize);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  if (digits.empty() || !is_digit(digits.front())) return false;
  for (; !digits.empty() && is_digit(digits.front()); digits.remove_prefix(1))
    stated = stated * 8 + static_cast<std::uint64_t>(digits.front() - '0');
  return sum == stated;
}

struct Magic {
  std::string_view bytes;
  Packing packing;
};
constexpr Magic kMagics[] = {
    {{"\xFD"
      "7zXZ\0",
      6},
     Packing::compressed},
    {{"\x04\x22\x4D\x18", 4}, Packing::compressed},  // lz4
    {{"PK\x03\x04", 4}, Packing::archive},
    {{"PK\x05\x06", 4}, Packing::archive},
    {{"7z\xBC\xAF\x27\x1C", 6}, Packing::archive},
    {{"070701", 6}, Packing::archive},  // cpio
    {{"070702", 6}, Packing::archive},
    {{"070707", 6}, Packing::archive},
    {{"\xC7\x71", 2}, Packing::archive},
};

}  // namespace

Packing packing_of(std::string_view head) {
  for (const Magic& magic : kMagics)
    if (head.starts_with(magic.bytes)) return magic.packing;
  if (head.starts_with("BZh") && head.substr(0, 10).ends_with("1AY&SY")) return Packing::compressed;
  return is_tar_header(head) ? Packing::archive : Packing::none;
}

#ifdef APF_WITH_ARCHIVE

namespace {

constexpr std::int64_t kMostHole = std::int64_t{1} << 30;  // of a sparse file

struct CloseArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};

class Archive final : public Unpacker {
 public:
  enum class Of { stream, archive };
  explicit Archive(Of of) : archive_(archive_read_new()), of_(of) {
    if (!archive_) throw std::bad_alloc();
    archive* const a = archive_.get();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_lz4(a);
    archive_read_support_filter_zstd(a);
    if (of == Of::stream) {
      archive_read_support_format_raw(a);
      return;
    }
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_format_7zip(a);
    archive_read_support_format_cpio(a);
    archive_read_set_options(a, "tar:read_concatenated_archives");
  }

  void open(Read read) {
    read_ = std::move(read);
    input_.resize(std::size_t{256} << 10);
    const auto more = [](archive*, void* self, const void** out) {
      Archive& of = *static_cast<Archive*>(self);
      *out = of.input_.data();
      return static_cast<la_ssize_t>(of.read_(of.input_.data(), of.input_.size()));
    };
    begin(archive_read_open(archive_.get(), this, nullptr, more, nullptr));
  }
  void open(std::string_view text) { begin(archive_read_open_memory(archive_.get(), text.data(), text.size())); }
  void open_file(const std::string& path) {
    begin(archive_read_open_filename(archive_.get(), path.c_str(), std::size_t{256} << 10));
  }
  // What is wrong with the bytes, whoever reads them knows best.
  void keep(std::function<std::string()> damage) { damage_of_bytes_ = std::move(damage); }

  bool next(std::string& name) override {
    while (damage_of_archive_.empty()) {
      damage_.clear();
      at_ = hole_ = 0;
      block_size_ = 0;
      archive_entry* entry = nullptr;
      const int result = archive_read_next_header(archive_.get(), &entry);
      if (result == ARCHIVE_EOF) {
        look_at_end();
        return false;
      }
      if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
        fail(damage_of_archive_);
        return false;
      }
      if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr) continue;
      const char* path = archive_entry_pathname_utf8(entry);
      if (path == nullptr) path = archive_entry_pathname(entry);
      name = path == nullptr || *path == '\0' ? "(no name)" : path;
      name_ = name;
      if (archive_entry_is_encrypted(entry) == 1) damage_ = "is encrypted";
      return true;
    }
    return false;
  }

  std::size_t read(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && damage_.empty() && damage_of_archive_.empty()) {
      if (hole_ > 0) {
        const std::size_t part = std::min<std::size_t>(size - done, static_cast<std::size_t>(hole_));
        std::memset(to + done, 0, part);
        hole_ -= static_cast<std::int64_t>(part);
        done += part;
      } else if (block_size_ > 0) {
        const std::size_t part = std::min(size - done, block_size_);
        std::memcpy(to + done, block_, part);
        block_ += part;
        block_size_ -= part;
        done += part;
      } else if (!next_block()) {
        break;
      }
    }
    return done;
  }
  const std::string& damage() const override { return damage_.empty() ? damage_of_archive_ : damage_; }
  const std::string& damage_of_archive() const override { return damage_of_archive_; }

 private:
  bool next_block() {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(archive_.get(), &block, &size, &offset);
    if (result == ARCHIVE_EOF) return false;
    if (result != ARCHIVE_OK) {
      fail(result == ARCHIVE_FATAL ? damage_of_archive_ : damage_);
      return false;
    }
    block_ = static_cast<const char*>(block);
    block_size_ = size;
    hole_ = offset - at_;
    at_ = offset + static_cast<std::int64_t>(size);
    if (hole_ > kMostHole) damage_ = "has a hole of more than 1 GiB";
    return true;
  }
  void begin(int result) {
    std::string name;
    if (result != ARCHIVE_OK) fail(damage_of_archive_);
    else if (of_ == Of::stream) next(name);
  }
  // A tar archive ends with blocks of zeros; without them, members may be missing.
  void look_at_end() {
    archive* const a = archive_.get();
    const bool tar = (archive_format(a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
    if (!sound_bytes() || (tar && archive_filter_bytes(a, 0) == archive_read_header_position(a)))
      fail(damage_of_archive_);
  }
  bool sound_bytes() const { return !damage_of_bytes_ || damage_of_bytes_().empty(); }
  void fail(std::string& out) {
    if (!sound_bytes()) {
      out = damage_of_bytes_();
      return;
    }
    const char* const why = archive_error_string(archive_.get());
    if (why != nullptr)
      out = "cannot be unpacked" + (name_.empty() ? "" : " beyond " + name_) + " (" + std::string(trimmed(why)) + ")";
    else out = "has no end: " + (name_.empty() ? "members" : "what comes after " + name_) + " may be missing";
  }

  std::unique_ptr<archive, CloseArchive> archive_;
  const Of of_;
  Read read_;
  std::function<std::string()> damage_of_bytes_;
  std::string input_, name_, damage_, damage_of_archive_;
  std::int64_t at_ = 0, hole_ = 0;  // in the member
  const char* block_ = nullptr;
  std::size_t block_size_ = 0;
};

}  // namespace

std::unique_ptr<Unpacker> Unpacker::of_stream(const std::string&, Read read) {
  auto out = std::make_unique<Archive>(Archive::Of::stream);
  out->open(std::move(read));
  return out;
}

std::unique_ptr<Unpacker> Unpacker::of_archive(const std::string&, Read read, std::function<std::string()> damage) {
  auto out = std::make_unique<Archive>(Archive::Of::archive);
  out->keep(std::move(damage));
  out->open(std::move(read));
  return out;
}

std::unique_ptr<Unpacker> Unpacker::of_archive(const std::string& path, const LogTexts& texts) {
  auto out = std::make_unique<Archive>(Archive::Of::archive);
  if (const auto text = texts.find(path); text != texts.end()) out->open(text->second.text);
  else out->open_file(path);
  return out;
}

#else

namespace {

[[noreturn]] void refuse(const std::string& name, const char* what) {
  throw Error(name + " is " + what +
              ", which this apfctl cannot read: it was built without libarchive (Debian: libarchive-dev); unpack it "
              "first");
}

}  // namespace

std::unique_ptr<Unpacker> Unpacker::of_stream(const std::string& name, Read) {
  refuse(name, "compressed by xz, bzip2 or lz4");
}
std::unique_ptr<Unpacker> Unpacker::of_archive(const std::string& name, Read, std::function<std::string()>) {
  refuse(name, "an archive");
}
std::unique_ptr<Unpacker> Unpacker::of_archive(const std::string& path, const LogTexts&) { refuse(path, "an archive"); }

#endif

}  // namespace apf
