// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a backup of the store to a file, or to stdout.
#pragma once

#include <cstdint>
#include <string>

#include "client/base/outcome.hpp"
#include "client/base/owned_fd.hpp"

namespace netperfctl {

// `content` is what the daemon sends. Returns the number of bytes. `file` is replaced in one step once all of
// it is on the disk, or not at all. Nothing can be taken back from stdout, which the error then says.
[[nodiscard]] Outcome<std::uint64_t> write_backup(const OwnedFd& content, const std::string& file);
[[nodiscard]] Outcome<std::uint64_t> write_backup_to_stdout(const OwnedFd& content);

}  // namespace netperfctl
