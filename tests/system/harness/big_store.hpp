// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace netperfd::system_test {

// Adds a job with this label to the database, while no daemon has it open: `count` copies of the finished run
// `run` with its sums, counters and environment.
void multiply_run(const std::string& database, std::uint64_t run, const std::string& label, int count);

}  // namespace netperfd::system_test
