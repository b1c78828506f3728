// SPDX-License-Identifier: GPL-2.0-or-later
// A fake of a kernel's catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/catalogue.hpp"

namespace netperfd::bus {

class FakeCatalogue final : public core::Catalogue {
 public:
  std::vector<core::Capability> capabilities(bool fresh) override {
    ++(fresh ? probed : told);
    return found_capabilities;
  }
  Result<std::vector<core::ModuleRow>> modules(const std::string& pattern) override {
    return answer(pattern, found_modules);
  }
  Result<Functions> functions(const core::FunctionFilter& filter, std::uint64_t offset,
                              std::uint32_t limit) override {
    last_module = filter.module;
    last_offset = offset;
    last_limit = limit;
    return answer(filter.pattern, found_functions);
  }
  Result<std::vector<core::EventRow>> events(const std::string& pattern) override {
    return answer(pattern, found_events);
  }
  Result<core::EventDetails> event(const std::string& name) override { return answer(name, found_event); }
  Result<std::vector<core::TracerRow>> tracers() override { return answer("", found_tracers); }

  std::optional<Error> refusal;
  std::vector<core::Capability> found_capabilities;
  int probed = 0, told = 0;  // number of requests for fresh answers, and for known ones
  std::vector<core::ModuleRow> found_modules;
  Functions found_functions;
  std::vector<core::EventRow> found_events;
  core::EventDetails found_event;
  std::vector<core::TracerRow> found_tracers;
  std::string last_pattern;
  std::optional<std::string> last_module;
  std::uint64_t last_offset = 0;
  std::uint32_t last_limit = 0;

 private:
  template <class Value>
  Result<Value> answer(const std::string& pattern, const Value& value) {
    last_pattern = pattern;
    if (refusal) return std::unexpected(*refusal);
    return value;
  }
};

}  // namespace netperfd::bus
