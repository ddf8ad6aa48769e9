#include "logs/inflate.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <zstd.h>

#include <apf/error.h>
#include <apf/input.h>

#include "base/system.h"
#include "logs/archive.h"
#include "logs/inflater.h"

#include "base/text.h"

namespace apf {

namespace {

constexpr std::size_t kInputSize = 256 * 1024;
constexpr std::size_t kMostInflated = std::size_t{256} << 20;

class ZstdInflater final : public Inflater {
 public:
  ZstdInflater() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdInflater() override { ZSTD_freeDStream(stream_); }
  ZstdInflater(const ZstdInflater&) = delete;
  ZstdInflater& operator=(const ZstdInflater&) = delete;

  Step step(const char* in, std::size_t in_size, char* out, std::size_t out_size) override {
    Step step;
    ZSTD_inBuffer input{in, in_size, 0};
    ZSTD_outBuffer output{out, out_size, 0};
    const bool between = complete_;
    const std::size_t result = ZSTD_decompressStream(stream_, &output, &input);
    step.consumed = input.pos;
    step.produced = output.pos;
    if (ZSTD_isError(result)) {
      step.fault = between ? kTrailingData
                           : std::string("is damaged: what comes after the fault in its zstd data is lost (") +
                                 ZSTD_getErrorName(result) + ")";
    } else if (input.pos > 0 || output.pos > 0) {
      complete_ = result == 0;
    }
    return step;
  }
  bool complete() const override { return complete_; }

 private:
  ZSTD_DStream* stream_;
  bool complete_ = false;
};

bool is_zstd(const unsigned char* p) {
  const std::uint32_t magic = static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 |
                              static_cast<std::uint32_t>(p[2]) << 16 | static_cast<std::uint32_t>(p[3]) << 24;
  return magic == ZSTD_MAGICNUMBER || (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

}  // namespace

namespace {

// `to` of that size, or of kInputSize with `keep` false. How many bytes there are.
std::size_t inflate_all(std::string_view text, const std::string& name, std::string& to, bool keep) {
  ByteSource source(name, {{name, text}});
  std::size_t size = 0;
  while (!source.at_end() && !(keep && size == to.size())) {
    size += source.read(to.data() + (keep ? size : 0), keep ? to.size() - size : to.size());
    if (size > kMostInflated) throw Error(name + " unpacks to more than 256 MiB");
  }
  if (!source.damage().empty()) throw Error(name + " " + source.damage());
  return size;
}

}  // namespace

// Twice, so that what is too large takes no memory.
std::string_view inflated(std::string_view text, const std::string& name, std::string& kept) {
  if (!ByteSource(name, {{name, text}}).is_inflated()) return text;
  kept.assign(kInputSize, '\0');
  const std::size_t size = inflate_all(text, name, kept, false);
  kept = std::string(size, '\0');
  inflate_all(text, name, kept, true);
  return kept;
}

bool can_be_read_again(const std::string& path, const LogTexts& texts) {
  if (const auto text = texts.find(path); text != texts.end()) return text->second.goes_on_in < 0;
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

ByteSource::ByteSource(const std::string& path, const LogTexts& texts) : path_(path) {
  if (const auto text = texts.find(path); text != texts.end()) {
    const int pipe = text->second.goes_on_in;
    if (pipe < 0) {
      text_ = text->second.text;
      text_damage_ = text->second.damage;
      return;
    }
    input_ = text->second.text;
    input_bytes_ = input_.size();
    file_ = pipe == STDIN_FILENO ? pipe : ::fcntl(pipe, F_DUPFD_CLOEXEC, 3);
    if (file_ < 0) throw Error("cannot open " + path + ": " + std::strerror(errno));
    return;
  }
  refuse_device(path);
  if (path == "-") {
    file_ = STDIN_FILENO;
    return;
  }
  do {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (file_ < 0 && errno == EINTR);
  if (file_ < 0) throw Error("cannot open " + path + ": " + std::strerror(errno));
  will_read_through(file_);
}

ByteSource::~ByteSource() {
  if (file_ > STDIN_FILENO) ::close(file_);
}

std::size_t ByteSource::read_file(char* to, std::size_t size) {
  if (file_end_) return 0;
  if (file_ < 0) {
    const std::size_t got = text_.copy(to, size);
    text_.remove_prefix(got);
    input_bytes_ += got;
    file_end_ = got == 0 && size > 0;
    return got;
  }
  ssize_t got = 0;
  do {
    got = ::read(file_, to, size);
  } while (got < 0 && wait_until_ready(file_, false));
  if (got > 0) {
    input_bytes_ += static_cast<std::uint64_t>(got);
    if (kept_) kept_->add({to, static_cast<std::size_t>(got)});
    return static_cast<std::size_t>(got);
  }
  if (got == 0) {
    file_end_ = true;
    if (kept_) kept_->end();
  } else if (errno == EINTR) {
    interrupted_ = true;
  } else {
    throw Error("cannot read " + name_of_input(path_) + ": " + std::strerror(errno));
  }
  return 0;
}

void ByteSource::keep_in(std::shared_ptr<KeptPipe> kept) {
  kept_ = std::move(kept);
  if (kept_) kept_->add(input_);
}

LogText ByteSource::hand_on(std::shared_ptr<const void>& held) {
  const int pipe = std::exchange(file_, -1);
  const std::shared_ptr<KeptPipe> kept = std::move(kept_);
  held = std::shared_ptr<const void>(kept.get(), [kept, pipe](const void*) {
    if (pipe > STDIN_FILENO) ::close(pipe);
  });
  LogText text(kept->bytes());
  text.goes_on_in = pipe;
  return text;
}

void ByteSource::keep_rest(const std::atomic<bool>* interrupted) {
  std::string rest(kInputSize, '\0');
  while (kept_ && !kept_->is_too_long() && !file_end_) {
    if (interrupted && interrupted->load(std::memory_order_relaxed)) return kept_->end();
    read_file(rest.data(), rest.size());
  }
}

// From the first bytes, which a pipe may hand out one by one. A file that is not compressed is read on without a copy.
void ByteSource::choose_inflater() {
  constexpr std::size_t kMagicSize = 10, kFirst = 4096;
  while (input_.size() < kMagicSize && !file_end_ && !interrupted_) {
    const std::size_t had = input_.size();
    input_.resize(kFirst);
    input_.resize(had + read_file(input_.data() + had, kFirst - had));
  }
  if (interrupted_) return;
  chosen_ = true;
  const auto* magic = reinterpret_cast<const unsigned char*>(input_.data());
  if (input_.size() >= 3 && magic[0] == 0x1f && magic[1] == 0x8b && magic[2] == 8) {
    inflater_ = make_gzip_inflater();
  } else if (input_.size() >= 4 && is_zstd(magic)) {
    inflater_ = std::make_unique<ZstdInflater>();
  } else if (packing_of(input_) == Packing::compressed) {
    unpacker_ = Unpacker::of_stream(name_of_input(path_), [this](char* to, std::size_t size) {
      std::size_t got = 0;
      do {
        interrupted_ = false;
        got = read_packed(to, size);
      } while (got == 0 && interrupted_);
      return got;
    });
  }
}

bool ByteSource::is_inflated() {
  while (!chosen_) {
    interrupted_ = false;
    choose_inflater();
  }
  return inflater_ || unpacker_;
}

// What was read beforehand, then the file.
std::size_t ByteSource::read_packed(char* to, std::size_t size) {
  if (input_at_ == input_.size()) return read_file(to, size);
  const std::size_t n = std::min(size, input_.size() - input_at_);
  std::memcpy(to, input_.data() + input_at_, n);
  input_at_ += n;
  if (input_at_ == input_.size()) {
    input_ = std::string();
    input_at_ = 0;
  }
  return n;
}

std::size_t ByteSource::read(char* to, std::size_t size) {
  interrupted_ = false;
  if (end_ || size == 0) return 0;
  if (!chosen_) choose_inflater();
  if (!chosen_) return 0;
  const std::size_t n = inflater_ ? inflate(to, size) : unpacker_ ? unpack(to, size) : read_packed(to, size);
  if (!inflater_ && !unpacker_) end_ = packed_end();
  if (end_ && damage_.empty()) damage_ = text_damage_;
  return n;
}

std::size_t ByteSource::unpack(char* to, std::size_t size) {
  const std::size_t n = unpacker_->read(to, size);
  damage_ = unpacker_->damage();
  end_ = n < size;
  return n;
}

std::size_t ByteSource::inflate(char* to, std::size_t size) {
  for (;;) {
    if (input_at_ == input_.size() && !file_end_) {
      input_.resize(kInputSize);
      input_at_ = 0;
      input_.resize(read_file(input_.data(), kInputSize));
      if (interrupted_) return 0;
    }
    const std::size_t available = input_.size() - input_at_;
    Inflater::Step step = inflater_->step(input_.data() + input_at_, available, to, size);
    input_at_ += step.consumed;
    if (!step.fault.empty()) {
      damage_ = std::move(step.fault);
      end_ = true;
    } else if (step.produced == 0 && step.consumed == 0 && available == 0 && file_end_) {
      if (!inflater_->complete()) damage_ = "ends in the middle of its compressed data: what is missing is lost";
      end_ = true;
    }
    if (step.produced > 0 || end_) return step.produced;
  }
}

}  // namespace apf
