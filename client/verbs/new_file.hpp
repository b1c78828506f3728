// SPDX-License-Identifier: GPL-2.0-or-later
// How verbs write the file that the user named: it replaces what is there in one step once all of it is on
// the disk, or not at all. A link is replaced and not followed: somebody else may have put it there. What is
// no regular file, such as a pipe, is written to as it is, unless the link to it is somebody else's. So is an
// open descriptor, such as /dev/stdout.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "client/base/outcome.hpp"

namespace netperfctl {

// `where` is what an error names.
[[nodiscard]] Outcome<void> write_all(int fd, std::string_view bytes, const std::string& where);

// Writes to the descriptor. Returns the number of bytes.
using Copy = std::function<Outcome<std::uint64_t>(int fd, const std::string& where)>;

// What `copy` writes becomes a file that only the user may read; where `file` is empty it goes to stdout,
// from which nothing can be taken back. An error says what became of the file.
[[nodiscard]] Outcome<std::uint64_t> write_private(const std::string& file, const Copy& copy);

// A file of this text, for everybody to read whom the user's umask lets.
[[nodiscard]] Outcome<void> write_file(const std::string& file, std::string_view text);

}  // namespace netperfctl
