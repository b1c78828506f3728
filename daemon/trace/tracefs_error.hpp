// How every door to tracefs words a refusal.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

// Of the kind that tracefs.hpp promises for `error_number`: "mkdir instances/x: File exists".
[[nodiscard]] std::unexpected<Error> refused(std::string_view what, int error_number);

// For the refusal of a write: `write "1" to tracing_on`.
[[nodiscard]] std::string writing(const std::string& path, std::string_view text);

}  // namespace netperfd::trace
