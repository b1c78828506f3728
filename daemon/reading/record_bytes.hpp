// SPDX-License-Identifier: GPL-2.0-or-later
// Encodes a file's content for the transfer from the reading process to the daemon. Both are the same
// program: the bytes need no version and are never stored.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::reading {

[[nodiscard]] std::string to_bytes(const ImportedFile& file);

// Decodes untrusted bytes. Each list has a limit, and all together kMostDecodedBytes. Every text is
// printable, and the result has passed check_file(). invalid_argument otherwise.
[[nodiscard]] Result<ImportedFile> from_bytes(std::string_view bytes);

}  // namespace netperfd::reading
