// SPDX-License-Identifier: GPL-2.0-or-later
// The free space of the database's file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"

namespace netperfd::store {

// "its file system / has 12.3 MiB free", for the file system of the file `path`; empty if that is unknown.
[[nodiscard]] std::string describe_space(const std::string& path);

[[nodiscard]] std::optional<std::uint64_t> free_space(const std::string& path);

// no_space, naming the file system, if it has fewer than `min_free_bytes` for unprivileged users.
[[nodiscard]] Status expect_space(const std::string& path, std::uint64_t min_free_bytes);

// Allocates blocks for the first `bytes` of the write-ahead log of the open database `path`, beyond its end.
// A full disk can then still store the end of a run or a deletion, which need space in the log. Best effort:
// some file systems cannot do it, and then such a change waits until there is space. Less of it on a disk
// that has less.
void reserve_log(const std::string& path, std::uint64_t bytes);
// Gives back what reserve_log() has allocated for a database that is not open. Whether there was something:
// not if the log has content.
[[nodiscard]] bool release_log(const std::string& path);

}  // namespace netperfd::store
