#include "logs/text_spool.h"

#include <zstd.h>

#include <new>

namespace apf {

struct TextSpool::Compressor {
  Compressor() : stream(ZSTD_createCCtx()), out(ZSTD_CStreamOutSize(), '\0') {
    if (stream == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, 1);
  }
  ~Compressor() { ZSTD_freeCCtx(stream); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  void put(std::string_view text, ZSTD_EndDirective how, TemporaryFile& file) {
    ZSTD_inBuffer input{text.data(), text.size(), 0};
    for (;;) {
      ZSTD_outBuffer output{out.data(), out.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream, &output, &input, how);
      if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can go wrong
      file.append(out.data(), output.pos);
      if (how == ZSTD_e_end ? left == 0 : input.pos == input.size) return;
    }
  }

  ZSTD_CCtx* stream;
  std::string out;
};

TextSpool::TextSpool() : compressor_(std::make_unique<Compressor>()) {}
TextSpool::~TextSpool() = default;

void TextSpool::begin(bool compressed) {
  compressed_ = compressed;
  begin_ = file_.size();
}

void TextSpool::add(std::string_view text) {
  if (compressed_) file_.append(text.data(), text.size());
  else compressor_->put(text, ZSTD_e_continue, file_);
}

TextSpool::Place TextSpool::end() {
  if (!compressed_) compressor_->put({}, ZSTD_e_end, file_);
  return {begin_, file_.size()};
}

std::string_view TextSpool::map() {
  compressor_.reset();
  return file_.map();
}

}  // namespace apf
