// The compression of a trace.dat of version 7.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

enum class DatCompression { none, zlib, zstd };

// From the name that stands in the file; invalid_argument where it is another one.
[[nodiscard]] Result<DatCompression> dat_compression_of(std::string_view name);

// Fills `to`, which must be as long as what comes out; invalid_argument where the bytes are damaged or hold
// another length.
[[nodiscard]] Status decompress_dat(DatCompression compression, std::span<const std::byte> from,
                                    std::span<std::byte> to);

}  // namespace netperfd::trace
