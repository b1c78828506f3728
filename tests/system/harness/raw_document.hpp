// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "tests/system/harness/lab.hpp"

namespace netperfd::system_test {

// The contents of the descriptor that OpenDocument returns to `user`.
[[nodiscard]] std::string open_document(const Lab& lab, const User& user, std::uint64_t run,
                                        const char* name);

}  // namespace netperfd::system_test
