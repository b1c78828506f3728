// SPDX-License-Identifier: GPL-2.0-or-later
// The common wording of refusals by tracefs.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

// An error of the kind documented in tracefs.hpp for `error_number`: "mkdir instances/x: File exists".
[[nodiscard]] std::unexpected<Error> refused(std::string_view what, int error_number);

// For a refused write: `write "1" to tracing_on`.
[[nodiscard]] std::string writing(const std::string& path, std::string_view text);

}  // namespace netperfd::trace
