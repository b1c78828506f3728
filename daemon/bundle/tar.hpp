// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::bundle {

struct Entry {
  std::string name;  // relative, with / between its parts: letters, digits and ._- without . and ..
  std::string bytes;
};

// A tar (ustar) in one zstd frame.
[[nodiscard]] Result<std::string> pack(const std::vector<Entry>& entries, WallTime modified);

// The entries of an uncompressed tar. invalid_argument names the entry that is no regular file, has another
// name than an entry may have or one that was there before, or is too much for `most_bytes` in all.
[[nodiscard]] Result<std::vector<Entry>> unpack(std::span<const std::byte> tar, std::size_t most_bytes);

[[nodiscard]] bool is_entry_name(std::string_view name);

}  // namespace netperfd::bundle
