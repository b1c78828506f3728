// SPDX-License-Identifier: GPL-2.0-or-later
// Where the programs of workloads are.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::workload {

inline constexpr std::string_view kProgramPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The absolute path of `program`: the argument itself if it has a slash, otherwise the first executable of
// that name in kProgramPath. The daemon's own PATH is ignored.
[[nodiscard]] Result<std::string> find_program(const std::string& program);
// The package of Debian that has it; empty if that is not known.
[[nodiscard]] std::string package_of(std::string_view program);
// not_found, with its package, unless the program is there.
[[nodiscard]] Status expect_program(const std::string& program);
// The file of a program as a comparison tells it: "/usr/bin/wrk, 55128 bytes, 1700000000"; the last number is
// when its contents changed, in seconds since 1970. Empty if there is no such file.
[[nodiscard]] std::string program_file(const std::string& program);

}  // namespace netperfd::workload
