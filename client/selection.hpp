// Selections of runs (`label:before since:2h`), as far as the client must understand them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/outcome.hpp"

namespace netperfctl {

// `selection` as the daemon takes it: the times of since: and until:, which a person gives in the client's
// own time zone as `runs --since` has them, become seconds since 1970. All else is the daemon's to judge.
[[nodiscard]] Outcome<std::string> with_instants(std::string_view selection, std::uint64_t now_us);

}  // namespace netperfctl
