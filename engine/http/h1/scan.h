// Finding the next byte that matters in a message head, sixteen at a time where the processor can (SSE2 is
// part of every x86-64), else byte by byte. All functions return `end` when there is none. Measured by
// request_parser_bench.
#pragma once

#include "http/chars.h"

#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace saker::http::scan {

// ---- for every processor, and for texts shorter than one load ----

namespace portable {

inline const char* findClass(const char* p, const char* end, std::uint8_t stops) {
    while (p != end && !isChar(*p, stops)) {
        ++p;
    }
    return p;
}
inline const char* findNameEnd(const char* p, const char* end) {
    while (p != end && isChar(*p, chars::kToken)) {
        ++p;
    }
    return p;
}
inline const char* findPathEnd(const char* p, const char* end) {
    while (p != end && *p != '?' && !isChar(*p, chars::kTargetStop)) {
        ++p;
    }
    return p;
}

} // namespace portable

#if defined(__SSE2__)

namespace sse2 {

inline __m128i load(const char* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline __m128i atMost(__m128i v, unsigned char limit) {
    return _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(static_cast<char>(limit))), v);
}
inline __m128i isByte(__m128i v, char c) {
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}
inline __m128i isWithin(__m128i v, char first, char last) {
    return atMost(_mm_sub_epi8(v, _mm_set1_epi8(first)), static_cast<unsigned char>(last - first));
}

/// `stops` gives 0xff for every byte to stop at. The last bytes are read again together with those in front
/// of them, so that no byte outside begin..end is touched. REQUIRES: end - begin >= 16.
template <class Stops>
const char* find(const char* p, const char* end, Stops stops) {
    for (; end - p >= 16; p += 16) {
        auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops(load(p))));
        if (mask != 0) {
            return p + __builtin_ctz(mask);
        }
    }
    auto left = static_cast<unsigned>(end - p);
    auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops(load(end - 16)))) >> (16 - left);
    return mask != 0 ? p + __builtin_ctz(mask) : end;
}

inline __m128i valueStops(__m128i v) {
    return _mm_or_si128(_mm_andnot_si128(isByte(v, '\t'), atMost(v, 0x1f)), isByte(v, 0x7f));
}
inline __m128i targetStops(__m128i v) {
    return _mm_or_si128(_mm_or_si128(atMost(v, ' '), isByte(v, 0x7f)), isByte(v, '#'));
}
inline __m128i pathStops(__m128i v) {
    return _mm_or_si128(targetStops(v), isByte(v, '?'));
}
/// Everything but letters, digits and '-', of which nearly all names consist.
inline __m128i nameStops(__m128i v) {
    __m128i letter = isWithin(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 'z');
    __m128i usual = _mm_or_si128(_mm_or_si128(letter, isWithin(v, '0', '9')), isByte(v, '-'));
    return _mm_cmpeq_epi8(usual, _mm_setzero_si128());
}

} // namespace sse2

#endif

// ---- what the parser uses; `begin` is where the readable bytes begin, at or before `p` ----

/// The first byte that a field value cannot hold.
inline const char* findValueEnd([[maybe_unused]] const char* begin, const char* p, const char* end) {
#if defined(__SSE2__)
    if (end - begin >= 16) {
        return sse2::find(p, end, sse2::valueStops);
    }
#endif
    return portable::findClass(p, end, chars::kValueStop);
}

/// The first byte that a request target cannot hold.
inline const char* findTargetEnd([[maybe_unused]] const char* begin, const char* p, const char* end) {
#if defined(__SSE2__)
    if (end - begin >= 16) {
        return sse2::find(p, end, sse2::targetStops);
    }
#endif
    return portable::findClass(p, end, chars::kTargetStop);
}

/// The same, but a '?' ends it too.
inline const char* findPathEnd([[maybe_unused]] const char* begin, const char* p, const char* end) {
#if defined(__SSE2__)
    if (end - begin >= 16) {
        return sse2::find(p, end, sse2::pathStops);
    }
#endif
    return portable::findPathEnd(p, end);
}

/// The first byte that a token cannot hold.
inline const char* findNameEnd([[maybe_unused]] const char* begin, const char* p, const char* end) {
#if defined(__SSE2__)
    if (end - begin >= 16) {
        p = sse2::find(p, end, sse2::nameStops);
    }
#endif
    return portable::findNameEnd(p, end);
}

} // namespace saker::http::scan
