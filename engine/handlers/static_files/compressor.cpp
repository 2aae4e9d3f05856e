#include "handlers/static_files/compressor.h"

#include <brotli/encode.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace saker::static_files {

namespace {

/// What a level means for each coding. A variant is made once and sent often, so the effort is above what
/// servers take that compress every answer anew; tests/bench/micro has the figures.
struct Effort {
    int gzip;   // 1 to 12
    int brotli; // 0 to 11
    int zstd;   // 1 to 19
};

Effort effortOf(CompressionLevel level) {
    switch (level) {
    case CompressionLevel::fastest:
        return {2, 3, 2};
    case CompressionLevel::smallestSize:
        return {12, 11, 19};
    case CompressionLevel::optimal:
    case CompressionLevel::noCompression:
        break;
    }
    return {7, 6, 9};
}

/// Room for a result that is worth having; the compressors stop when it is used up.
std::size_t worthwhileSize(std::size_t size) {
    return size - std::max<std::size_t>(size / 16, 1);
}

std::size_t gzip(std::string_view body, int level, std::string& out) {
    std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
        libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
    if (!compressor) {
        return 0;
    }
    // libdeflate writes no file name and a modification time of 0.
    return libdeflate_gzip_compress(compressor.get(), body.data(), body.size(), out.data(), out.size());
}

std::size_t brotli(std::string_view body, int quality, std::string& out) {
    // A window just as large as the body: decoders allocate it whole.
    int window = std::clamp(static_cast<int>(std::bit_width(body.size() + 16)), BROTLI_MIN_WINDOW_BITS,
                            BROTLI_MAX_WINDOW_BITS);
    std::size_t size = out.size();
    bool fits = BrotliEncoderCompress(quality, window, BROTLI_MODE_GENERIC, body.size(),
                                      reinterpret_cast<const std::uint8_t*>(body.data()), &size,
                                      reinterpret_cast<std::uint8_t*>(out.data())) == BROTLI_TRUE;
    return fits ? size : 0;
}

std::size_t zstd(std::string_view body, int level, std::string& out) {
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    if (!context) {
        return 0;
    }
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
    // RFC 9659: clients need not accept a window of more than 8 MiB.
    constexpr int kMaxWindowBits = 23;
    if (body.size() > (std::size_t{1} << kMaxWindowBits)) {
        ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kMaxWindowBits);
    }
    std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), body.data(), body.size());
    return ZSTD_isError(size) != 0 ? 0 : size;
}

} // namespace

std::optional<std::string> compress(std::string_view body, http::Coding coding, CompressionLevel level) {
    if (level == CompressionLevel::noCompression || body.size() < kMinCompressible ||
        body.size() > kMaxCompressible) {
        return std::nullopt;
    }
    Effort effort = effortOf(level);
    std::string out(worthwhileSize(body.size()), '\0');
    std::size_t size = 0; // of the result; 0 when it does not fit
    switch (coding) {
    case http::Coding::gzip:
        size = gzip(body, effort.gzip, out);
        break;
    case http::Coding::br:
        size = brotli(body, effort.brotli, out);
        break;
    case http::Coding::zstd:
        size = zstd(body, effort.zstd, out);
        break;
    case http::Coding::identity:
    case http::Coding::count_:
        break;
    }
    if (size == 0) {
        return std::nullopt;
    }
    out.resize(size);
    out.shrink_to_fit();
    return out;
}

} // namespace saker::static_files
