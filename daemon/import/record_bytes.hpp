// What a file held, as the child that read it hands it to the daemon. Both are the same program: the bytes
// need no version and are never stored.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::import {

[[nodiscard]] std::string to_bytes(const ImportedFile& file);

// For bytes that nobody vouches for: lists have their limits and all together kMostDecodedBytes, every text
// is printable, and the result has passed check_file(). invalid_argument otherwise.
[[nodiscard]] Result<ImportedFile> from_bytes(std::string_view bytes);

}  // namespace netperfd::import
