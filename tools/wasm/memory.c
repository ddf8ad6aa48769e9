// memcmp() and memchr() by 16 bytes: those of Emscripten's library go byte by byte.
#include <stddef.h>
#include <wasm_simd128.h>

int memcmp(const void* one, const void* other, size_t size) {
  const unsigned char *a = one, *b = other;
  size_t at = 0;
  for (; at + 16 <= size; at += 16) {
    const unsigned same = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(a + at), wasm_v128_load(b + at)));
    if (same == 0xffff) continue;
    at += (size_t)__builtin_ctz(~same);
    return a[at] - b[at];
  }
  for (; at < size; ++at)
    if (a[at] != b[at]) return a[at] - b[at];
  return 0;
}

void* memchr(const void* text, int byte, size_t size) {
  const unsigned char* const in = text;
  const v128_t wanted = wasm_i8x16_splat((signed char)byte);
  size_t at = 0;
  for (; at + 16 <= size; at += 16) {
    const unsigned found = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(in + at), wanted));
    if (found) return (void*)(in + at + __builtin_ctz(found));
  }
  for (; at < size; ++at)
    if (in[at] == (unsigned char)byte) return (void*)(in + at);
  return NULL;
}
