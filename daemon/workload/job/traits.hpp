// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string_view>

#include "daemon/model/workload_traits.hpp"

namespace netperfd::workload {

// Of the workload with this name; otherwise those of unknown_workload().
[[nodiscard]] WorkloadTraits traits_of(std::string_view name);

}  // namespace netperfd::workload
