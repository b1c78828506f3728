// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols and build-ids that a function trace needs, read when it begins: a module that is unloaded later
// takes its own with it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/trace/ring/function_names.hpp"
#include "daemon/trace/ring/symbols.hpp"

namespace netperfd::trace {

class TracedFunctions {
 public:
  // `proc` and `sys` are the mount points. `key` as in Symbols.
  [[nodiscard]] static Result<std::unique_ptr<TracedFunctions>> read(const std::string& proc,
                                                                     const std::string& sys,
                                                                     std::uint64_t key);

  [[nodiscard]] analysis::FunctionName name_of(std::uint64_t address) const {
    return names_.name_of(address);
  }
  // Whether no module came, went or was replaced since then. BPF programs may have.
  [[nodiscard]] bool still_current() const;
  [[nodiscard]] const Symbols& symbols() const { return symbols_; }
  // Builds of the kernel and of the modules with functions in `profile`.
  [[nodiscard]] std::vector<Build> builds_of(const FunctionProfile& profile) const;
  // Those of the named modules; "" is the kernel.
  [[nodiscard]] std::vector<Build> builds_of(const std::set<std::string_view>& modules) const;

 private:
  TracedFunctions(Symbols symbols, std::string proc, std::string sys, std::string modules);

  std::string proc_, sys_;
  std::string modules_;  // result of loaded_modules_key()
  Symbols symbols_;
  FunctionNames names_;
  std::vector<Build> builds_;
};

// The builds of the kernel and of all loaded modules. The build-id is that of the ELF note GNU 3 in
// /sys/kernel/notes and /sys/module/NAME/notes.
[[nodiscard]] std::vector<Build> read_builds(const std::string& proc, const std::string& sys);

}  // namespace netperfd::trace
