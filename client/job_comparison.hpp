// The comparison of the sides of one job, with their names.
#pragma once

#include <cstdint>
#include <string>

#include "client/daemon.hpp"

namespace netperfctl {

// `request.job` is given; its `a` and `b` become the selections that mean the same. `command` repeats it.
[[nodiscard]] Outcome<CompareView> compare_sides(Daemon& daemon, CompareRequest request, std::string command);

// The newest job with a design that is no pilot or self-test; not_found where there is none.
[[nodiscard]] Outcome<std::uint64_t> newest_design(Daemon& daemon);

}  // namespace netperfctl
