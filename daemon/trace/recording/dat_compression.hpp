// SPDX-License-Identifier: GPL-2.0-or-later
// The compression of a trace.dat of version 7.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

enum class DatCompression { none, zlib, zstd };

// From the name in the file; invalid_argument if it is unknown.
[[nodiscard]] Result<DatCompression> dat_compression_of(std::string_view name);

// Fills `to`, whose length must be that of the decompressed data; invalid_argument if the bytes are damaged
// or have another length.
[[nodiscard]] Status decompress_dat(DatCompression compression, std::span<const std::byte> from,
                                    std::span<std::byte> to);

}  // namespace netperfd::trace
