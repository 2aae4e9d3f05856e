// Undoes the codings that the server applies, with the coders' own decoders.
#pragma once

#include "http/negotiate.h"

#include <gtest/gtest.h>

#include <brotli/decode.h>
#include <libdeflate.h>
#include <string>
#include <zstd.h>

namespace saker::static_files {

inline std::string decode(http::Coding coding, const std::string& coded, std::size_t size) {
    std::string out(size + 1, '\0');
    std::size_t got = 0;
    if (coding == http::Coding::gzip) {
        libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
        EXPECT_EQ(libdeflate_gzip_decompress(decompressor, coded.data(), coded.size(), out.data(), out.size(),
                                             &got),
                  LIBDEFLATE_SUCCESS);
        libdeflate_free_decompressor(decompressor);
    } else if (coding == http::Coding::br) {
        got = out.size();
        EXPECT_EQ(BrotliDecoderDecompress(coded.size(), reinterpret_cast<const std::uint8_t*>(coded.data()),
                                          &got, reinterpret_cast<std::uint8_t*>(out.data())),
                  BROTLI_DECODER_RESULT_SUCCESS);
    } else {
        got = ZSTD_decompress(out.data(), out.size(), coded.data(), coded.size());
        EXPECT_FALSE(ZSTD_isError(got));
    }
    out.resize(got);
    return out;
}

} // namespace saker::static_files
