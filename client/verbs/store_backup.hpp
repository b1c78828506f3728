// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a backup of the store to a file, or to stdout.
#pragma once

#include <cstdint>
#include <string>

#include "client/base/outcome.hpp"
#include "client/base/owned_fd.hpp"

namespace netperfctl {

// `content` is what the daemon sends. Returns the number of bytes. An empty `file` is stdout.
[[nodiscard]] Outcome<std::uint64_t> write_backup(const OwnedFd& content, const std::string& file);

}  // namespace netperfctl
