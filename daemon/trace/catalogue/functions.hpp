// SPDX-License-Identifier: GPL-2.0-or-later
// The functions that ftrace can trace, listed in available_filter_functions: 60,000 lines and more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/catalogue.hpp"
#include "daemon/model/trace_spec.hpp"

namespace netperfd::trace {

class FunctionList {
 public:
  // Lines of "name" or "name [module]". Left out are the kernel's placeholders for functions that the linker
  // removed.
  [[nodiscard]] static FunctionList parse(std::string_view text);

  // As Catalogue::functions().
  [[nodiscard]] core::Catalogue::Functions select(const core::FunctionFilter& filter, std::uint64_t offset,
                                                  std::uint32_t limit) const;
  // Whether the name or glob matches a function of the module, or of any module if none is given.
  [[nodiscard]] bool fits(const std::string& pattern, const std::optional<std::string>& module) const;
  // Names similar to `wanted`, of the module or of any.
  [[nodiscard]] std::vector<std::string> nearest(std::string_view wanted,
                                                 const std::optional<std::string>& module) const;
  // The names of the functions that `spec` would trace, each once, sorted.
  [[nodiscard]] std::vector<std::string> traced_by(const FunctionGraphSpec& spec) const;
  // Number of functions of exactly this module; "" is the kernel itself.
  [[nodiscard]] std::uint64_t count(std::string_view module) const;
  [[nodiscard]] std::size_t size() const { return functions_.size(); }

 private:
  // Both point into text_ and are terminated by NUL there.
  struct Function {
    std::string_view name;
    std::string_view module;
  };
  // Those of `module` that match `pattern`, by name.
  template <class Visit>
  void visit(const std::string& pattern, const std::optional<std::string>& module, Visit visit) const;

  std::vector<char> text_;
  std::vector<Function> functions_;  // by name, then by module
  std::map<std::string_view, std::uint64_t> counts_;
};

}  // namespace netperfd::trace
