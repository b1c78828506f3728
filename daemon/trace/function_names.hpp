// What the functions of a profile are called.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/analysis/call_tracker.hpp"
#include "daemon/trace/symbols.hpp"

namespace netperfd::trace {

// Several functions of a kernel or module may share a name, being static: they are told apart by their order
// in memory. `symbols` must outlive this.
class FunctionNames {
 public:
  explicit FunctionNames(const Symbols& symbols);

  // Of the nearest symbol below; a token where there is none.
  [[nodiscard]] analysis::FunctionName name_of(std::uint64_t address) const;
  [[nodiscard]] bool knows(std::uint64_t address) const {
    return symbols_.find_function(address).has_value();
  }

 private:
  const Symbols& symbols_;
  // By the start of each function that shares its name and module.
  std::unordered_map<std::uint64_t, std::uint32_t> duplicates_;
};

}  // namespace netperfd::trace
