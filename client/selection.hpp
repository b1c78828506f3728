// Selections of runs (`label:before since:2h`), as far as the client must understand them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/outcome.hpp"

namespace netperfctl {

// `selection` as the daemon takes it: the times of since: and until:, which a person gives in the client's
// own time zone as `runs --since` has them, become seconds since 1970. All else is the daemon's to judge.
[[nodiscard]] Outcome<std::string> with_instants(std::string_view selection, std::uint64_t now_us);

// Whether it means others as time goes by: the last ones, or those of a time that is told from now.
[[nodiscard]] bool is_of_the_moment(std::string_view selection);

// "41-44,47": these runs and no others.
[[nodiscard]] std::string selection_of(std::vector<std::uint64_t> runs);

}  // namespace netperfctl
