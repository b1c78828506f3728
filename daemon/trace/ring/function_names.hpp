// SPDX-License-Identifier: GPL-2.0-or-later
// Names the functions of a profile.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/trace/ring/symbols.hpp"

namespace netperfd::trace {

// Several static functions of a kernel or module may share a name; they are distinguished by their order in
// memory. `symbols` must outlive this object.
class FunctionNames {
 public:
  explicit FunctionNames(const Symbols& symbols);

  // From the nearest symbol below the address; a token if there is none.
  [[nodiscard]] analysis::FunctionName name_of(std::uint64_t address) const;
  [[nodiscard]] bool knows(std::uint64_t address) const {
    return symbols_.find_function(address).has_value();
  }

 private:
  const Symbols& symbols_;
  // The number of each function that shares its name and module with others, by its start address.
  std::unordered_map<std::uint64_t, std::uint32_t> duplicates_;
};

}  // namespace netperfd::trace
