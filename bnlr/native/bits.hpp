// Sets of rows as bits, 64 a word, and their sizes.
//
// Counts are whole numbers, so that here each instruction set goes its own way to the same ones.
#pragma once

#include <cstdint>
#include <memory>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#define BNLR_X64
#endif

#include "vector_math.hpp"

namespace bnlr {

using Word = std::uint64_t;

constexpr int kWord = 64;
constexpr int kWordsAtATurn = 8;  // sets are filled up with empty words to a multiple of it

// Room for words from the start of a cache line on: vectors that cross two are loaded twice.
class Words {
 public:
  explicit Words(std::int64_t n) : held_(new Word[n + kLine]) {
    const auto beyond = reinterpret_cast<std::uintptr_t>(held_.get()) / sizeof(Word) % kLine;
    first_ = held_.get() + (kLine - beyond) % kLine;
  }
  Word* get() const { return first_; }

 private:
  static constexpr int kLine = 8;
  std::unique_ptr<Word[]> held_;
  Word* first_;
};

namespace bits {

#if defined(__AVX512BW__)

inline Word equal(const std::int8_t* codes, std::int8_t code) {
  return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes), _mm512_set1_epi8(code));
}
inline Word equal(const std::int16_t* codes, std::int16_t code) {
  const __m512i wanted = _mm512_set1_epi16(code);
  const Word low = _mm512_cmpeq_epi16_mask(_mm512_loadu_si512(codes), wanted);
  return low | static_cast<Word>(_mm512_cmpeq_epi16_mask(_mm512_loadu_si512(codes + 32), wanted)) << 32;
}
inline Word equal(const std::int32_t* codes, std::int32_t code) {
  const __m512i wanted = _mm512_set1_epi32(code);
  Word word = 0;
  for (int i = 0; i < kWord; i += 16)
    word |= static_cast<Word>(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(codes + i), wanted)) << i;
  return word;
}

#elif defined(BNLR_X64)

inline __m128i load_half(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
#if defined(__AVX2__)
inline __m256i load_all(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

inline Word equal(const std::int8_t* codes, std::int8_t code) {
  const __m256i wanted = _mm256_set1_epi8(code);
  const auto half = [&](int at) {
    const int found = _mm256_movemask_epi8(_mm256_cmpeq_epi8(load_all(codes + at), wanted));
    return static_cast<Word>(static_cast<std::uint32_t>(found));
  };
  return half(0) | half(32) << 32;
}
#else
inline Word equal(const std::int8_t* codes, std::int8_t code) {
  const __m128i wanted = _mm_set1_epi8(code);
  Word word = 0;
  for (int i = 0; i < kWord; i += 16)
    word |= static_cast<Word>(_mm_movemask_epi8(_mm_cmpeq_epi8(load_half(codes + i), wanted))) << i;
  return word;
}
#endif
inline Word equal(const std::int16_t* codes, std::int16_t code) {
  const __m128i wanted = _mm_set1_epi16(code);
  Word word = 0;
  for (int i = 0; i < kWord; i += 16) {
    const __m128i low = _mm_cmpeq_epi16(load_half(codes + i), wanted);
    const __m128i high = _mm_cmpeq_epi16(load_half(codes + i + 8), wanted);
    word |= static_cast<Word>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << i;
  }
  return word;
}
inline Word equal(const std::int32_t* codes, std::int32_t code) {
  const __m128i wanted = _mm_set1_epi32(code);
  Word word = 0;
  for (int i = 0; i < kWord; i += 16) {
    const auto four = [&](int at) { return _mm_cmpeq_epi32(load_half(codes + i + at), wanted); };
    const __m128i low = _mm_packs_epi32(four(0), four(4)), high = _mm_packs_epi32(four(8), four(12));
    word |= static_cast<Word>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << i;
  }
  return word;
}

#endif

// Where no instruction does it.
template <class Code>
inline Word equal(const Code* codes, Code code) {
  Word word = 0;
  for (int i = 0; i < kWord; i += 8) {
    Word eight = 0;  // bit 0 of each byte goes to the highest byte of the product
    for (int b = 0; b < 8; ++b) eight |= static_cast<Word>(codes[i + b] == code) << (8 * b);
    word |= (eight * 0x0102040810204080) >> 56 << i;
  }
  return word;
}

// Sizes of J × K intersections, `counts` with rows `n_others` apart: a set is loaded once for several.

#if defined(__AVX512BW__) || defined(__AVX2__)

#if defined(__AVX512BW__)
using Register = __m512i;
inline Register load(const Word* w) { return _mm512_loadu_si512(w); }
inline Register none() { return _mm512_setzero_si512(); }
inline Register both(Register a, Register b) { return _mm512_and_si512(a, b); }
inline Register plus(Register a, Register b) { return _mm512_add_epi64(a, b); }
inline Register plus_bytes(Register a, Register b) { return _mm512_add_epi8(a, b); }
// Ones of each byte: a table for each half.
inline Register ones_of_bytes(Register v) {
  const Register table = _mm512_set4_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100);
  const Register low = _mm512_set1_epi8(15);
  return _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, low)),
                         _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), low)));
}
inline Register sums_of_bytes(Register v) { return _mm512_sad_epu8(v, none()); }
inline Register interleaved(Register a, Register b) {
  return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}
inline __m256i halved(Register v) {
  return _mm256_add_epi64(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
}
#else
using Register = __m256i;
inline Register load(const Word* w) { return load_all(w); }
inline Register none() { return _mm256_setzero_si256(); }
inline Register both(Register a, Register b) { return _mm256_and_si256(a, b); }
inline Register plus(Register a, Register b) { return _mm256_add_epi64(a, b); }
inline Register plus_bytes(Register a, Register b) { return _mm256_add_epi8(a, b); }
inline Register ones_of_bytes(Register v) {
  const Register table = _mm256_broadcastsi128_si256(
      _mm_set_epi32(0x04030302, 0x03020201, 0x03020201, 0x02010100));
  const Register low = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                         _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
}
inline Register sums_of_bytes(Register v) { return _mm256_sad_epu8(v, none()); }
inline Register interleaved(Register a, Register b) {
  return _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}
inline __m256i halved(Register v) { return v; }
#endif

// The sums of a, and of b if K is 2, to neighbouring places.
template <int K>
inline void put_sums(Register a, Register b, std::int64_t* counts) {
  const __m256i four = halved(interleaved(a, b));
  const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
  if constexpr (K == 2) _mm_storeu_si128(reinterpret_cast<__m128i*>(counts), two);
  else *counts = _mm_cvtsi128_si64(two);
}

inline Register added(Register bytes, Register a, Register b) {
  return plus_bytes(bytes, ones_of_bytes(both(a, b)));
}
inline Register flushed(Register sum, Register bytes) { return plus(sum, sums_of_bytes(bytes)); }

// Named registers: arrays of them would go through memory.
template <int J, int K>
inline void count_tile(const Word* ones, const Word* others, std::int64_t stride, std::int64_t n,
                       std::int64_t n_others, std::int64_t* counts) {
  constexpr int kWords = sizeof(Register) / sizeof(Word);
  constexpr int kMost = 31 * kWords;  // so many words' ones fit into bytes
  const Word *next = ones + (J - 1) * stride, *beside = others + (K - 1) * stride;
  Register s00 = none(), s01 = none(), s10 = none(), s11 = none();
  for (std::int64_t first = 0; first < n; first += kMost) {
    const std::int64_t last = first + kMost < n ? first + kMost : n;
    Register b00 = none(), b01 = none(), b10 = none(), b11 = none();
    for (std::int64_t w = first; w < last; w += kWords) {
      const Register one = load(ones + w), other = load(others + w);
      b00 = added(b00, one, other);
      if constexpr (K == 2) b01 = added(b01, one, load(beside + w));
      if constexpr (J == 2) b10 = added(b10, load(next + w), other);
      if constexpr (J == 2 && K == 2) b11 = added(b11, load(next + w), load(beside + w));
    }
    s00 = flushed(s00, b00);
    if constexpr (K == 2) s01 = flushed(s01, b01);
    if constexpr (J == 2) s10 = flushed(s10, b10);
    if constexpr (J == 2 && K == 2) s11 = flushed(s11, b11);
  }
  put_sums<K>(s00, s01, counts);
  if constexpr (J == 2) put_sums<K>(s10, s11, counts + n_others);
}

#else

// Ones by the instruction for it, or without one.
inline std::int64_t ones_of(Word x) {
#if defined(__GNUC__) && !defined(BNLR_X64)
  return __builtin_popcountll(x);
#else
  x -= (x >> 1) & 0x5555555555555555;
  x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<std::int64_t>((x * 0x0101010101010101) >> 56);
#endif
}

template <int J, int K>
inline void count_tile(const Word* ones, const Word* others, std::int64_t stride, std::int64_t n,
                       std::int64_t n_others, std::int64_t* counts) {
  for (int j = 0; j < J; ++j)
    for (int k = 0; k < K; ++k) {
      std::int64_t sum = 0;
      for (std::int64_t w = 0; w < n; ++w) sum += ones_of(ones[j * stride + w] & others[k * stride + w]);
      counts[j * n_others + k] = sum;
    }
}

#endif

// Instructions that nearly all such CPUs have, though module.cpp does not ask for them.
#if defined(__GNUC__) && defined(__AVX512BW__)
#define BNLR_POPCOUNT "avx512vpopcntdq"

__attribute__((target(BNLR_POPCOUNT))) inline Register added_fast(Register sum, Register a, Register b) {
  return plus(sum, _mm512_popcnt_epi64(both(a, b)));
}

template <int J, int K>
__attribute__((target(BNLR_POPCOUNT))) inline void count_tile_fast(
    const Word* ones, const Word* others, std::int64_t stride, std::int64_t n, std::int64_t n_others,
    std::int64_t* counts) {
  const Word *next = ones + (J - 1) * stride, *beside = others + (K - 1) * stride;
  Register s00 = none(), s01 = none(), s10 = none(), s11 = none();
  for (std::int64_t w = 0; w < n; w += 8) {
    const Register one = load(ones + w), other = load(others + w);
    s00 = added_fast(s00, one, other);
    if constexpr (K == 2) s01 = added_fast(s01, one, load(beside + w));
    if constexpr (J == 2) s10 = added_fast(s10, load(next + w), other);
    if constexpr (J == 2 && K == 2) s11 = added_fast(s11, load(next + w), load(beside + w));
  }
  put_sums<K>(s00, s01, counts);
  if constexpr (J == 2) put_sums<K>(s10, s11, counts + n_others);
}

#elif defined(__GNUC__) && defined(BNLR_X64) && !defined(__AVX2__)
#define BNLR_POPCOUNT "popcnt"

template <int J, int K>
__attribute__((target(BNLR_POPCOUNT))) inline void count_tile_fast(
    const Word* ones, const Word* others, std::int64_t stride, std::int64_t n, std::int64_t n_others,
    std::int64_t* counts) {
  for (int j = 0; j < J; ++j)
    for (int k = 0; k < K; ++k) {
      const Word *one = ones + j * stride, *other = others + k * stride;
      std::int64_t even = 0, odd = 0;
      for (std::int64_t w = 0; w < n; w += 4) {
        even += __builtin_popcountll(one[w] & other[w]);
        odd += __builtin_popcountll(one[w + 1] & other[w + 1]);
        even += __builtin_popcountll(one[w + 2] & other[w + 2]);
        odd += __builtin_popcountll(one[w + 3] & other[w + 3]);
      }
      counts[j * n_others + k] = even + odd;
    }
}
#endif

#define BNLR_TILES(count_tile)                                                                       \
  std::int64_t j = 0;                                                                                \
  for (; j + 2 <= n_ones; j += 2, ones += 2 * stride, counts += 2 * n_others) {                      \
    std::int64_t k = 0;                                                                              \
    for (; k + 2 <= n_others; k += 2)                                                                \
      count_tile<2, 2>(ones, others + k * stride, stride, n, n_others, counts + k);                  \
    if (k < n_others) count_tile<2, 1>(ones, others + k * stride, stride, n, n_others, counts + k);  \
  }                                                                                                  \
  if (j < n_ones) {                                                                                  \
    std::int64_t k = 0;                                                                              \
    for (; k + 2 <= n_others; k += 2)                                                                \
      count_tile<1, 2>(ones, others + k * stride, stride, n, n_others, counts + k);                  \
    if (k < n_others) count_tile<1, 1>(ones, others + k * stride, stride, n, n_others, counts + k);  \
  }

BNLR_APART inline void count_tiles(const Word* ones, std::int64_t n_ones, const Word* others,
                                   std::int64_t n_others, std::int64_t stride, std::int64_t n,
                                   std::int64_t* counts) {
  BNLR_TILES(count_tile)
}

#ifdef BNLR_POPCOUNT
__attribute__((target(BNLR_POPCOUNT))) BNLR_APART inline void count_tiles_fast(
    const Word* ones, std::int64_t n_ones, const Word* others, std::int64_t n_others,
    std::int64_t stride, std::int64_t n, std::int64_t* counts) {
  BNLR_TILES(count_tile_fast)
}
#endif

#undef BNLR_TILES

}  // namespace bits

// Bit i tells whether `codes[i] == code`, for 64 codes.
template <class Code>
inline Word equal_bits(const Code* codes, Code code) {
  return bits::equal(codes, code);
}

// Fill `counts` (n_ones, n_others) with how many rows each of the sets `ones` has in common with each
// of the sets `others`; they stand `stride` words apart, `n` words each, a multiple of kWordsAtATurn.
inline void common_sizes(const Word* ones, std::int64_t n_ones, const Word* others,
                         std::int64_t n_others, std::int64_t stride, std::int64_t n,
                         std::int64_t* counts) {
#ifdef BNLR_POPCOUNT
  static const bool is_fast = __builtin_cpu_supports(BNLR_POPCOUNT);
  if (is_fast) return bits::count_tiles_fast(ones, n_ones, others, n_others, stride, n, counts);
#endif
  bits::count_tiles(ones, n_ones, others, n_others, stride, n, counts);
}

}  // namespace bnlr
