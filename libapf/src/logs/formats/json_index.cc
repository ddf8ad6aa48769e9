#include "logs/formats/json_index.h"

#include <algorithm>
#include <new>

#include <simdjson.h>

namespace apf {

// simdjson's stages are reachable in all its releases but not part of its documented interface: this is the only
// file that uses them.
struct JsonIndex::Impl {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stages;
  std::uint32_t* begin = nullptr;
  std::uint32_t* end = nullptr;
  std::uint32_t none[3] = {0, 0, 0};  // the sentinels of a text without tokens

  void reserve(std::size_t size) {
    if (stages && stages->capacity() >= size) return;
    const std::size_t capacity = std::max<std::size_t>(size + size / 4, 256);
    // The depth concerns the second stage, which is not used.
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, stages) !=
        simdjson::SUCCESS) {
      throw std::bad_alloc();
    }
  }
};

JsonIndex::JsonIndex() : impl_(std::make_unique<Impl>()) {}
JsonIndex::~JsonIndex() = default;

JsonIndex::Result JsonIndex::build(const char* text, std::size_t size) {
  Impl& impl = *impl_;
  const auto sentinel = static_cast<std::uint32_t>(size);
  impl.begin = impl.end = impl.none;
  std::fill_n(impl.none, 3, sentinel);
  if (size == 0) return Result::ok;
  impl.reserve(size);
  const simdjson::error_code error =
      impl.stages->stage1(reinterpret_cast<const std::uint8_t*>(text), size, simdjson::stage1_mode::regular);
  if (error == simdjson::EMPTY) return Result::ok;  // blank space only
  if (error != simdjson::SUCCESS) return error == simdjson::UTF8_ERROR ? Result::not_utf8 : Result::broken;
  impl.begin = impl.stages->structural_indexes.get();
  impl.end = impl.begin + impl.stages->n_structural_indexes;
  std::fill_n(impl.end, 3, sentinel);  // simdjson keeps room for as many sentinels of its own
  return Result::ok;
}

const std::uint32_t* JsonIndex::begin() const { return impl_->begin; }
const std::uint32_t* JsonIndex::end() const { return impl_->end; }

}  // namespace apf
