// What a trace of functions has to know of the kernel at the moment it begins: a module that is unloaded
// meanwhile takes its symbols and its build-id along.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/trace/function_names.hpp"
#include "daemon/trace/symbols.hpp"

namespace netperfd::trace {

class TracedFunctions {
 public:
  // `proc` and `sys` are where those are mounted. `key` as of Symbols.
  [[nodiscard]] static Result<std::unique_ptr<TracedFunctions>> read(const std::string& proc,
                                                                     const std::string& sys,
                                                                     std::uint64_t key);

  [[nodiscard]] analysis::FunctionName name_of(std::uint64_t address) const {
    return names_.name_of(address);
  }
  // Whether no module came or went since: the symbols are then still those of the kernel.
  [[nodiscard]] bool still_current() const;
  [[nodiscard]] const Symbols& symbols() const { return symbols_; }
  // Of the kernel and of the modules that have functions in `profile`.
  [[nodiscard]] std::vector<Build> builds_of(const FunctionProfile& profile) const;

 private:
  TracedFunctions(Symbols symbols, std::string proc, std::vector<Build> builds);

  std::string proc_;
  std::string modules_;  // loaded_modules_key()
  Symbols symbols_;
  FunctionNames names_;
  std::vector<Build> builds_;
};

// The kernel's, and all loaded modules'. The build-id is that of the ELF note GNU 3 in /sys/kernel/notes and
// /sys/module/NAME/notes.
[[nodiscard]] std::vector<Build> read_builds(const std::string& proc, const std::string& sys);

}  // namespace netperfd::trace
