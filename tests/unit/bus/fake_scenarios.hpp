// SPDX-License-Identifier: GPL-2.0-or-later
// Scenarios that a test gives.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/scenario_source.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::bus {

class FakeScenarios final : public core::ScenarioSource {
 public:
  std::vector<core::ScenarioRow> list() override {
    if (on_list) on_list();
    return rows;
  }

  Result<JobSpec> load(const std::string& name, const core::JobOptions& options) override {
    if (name != "fake") return fail(ErrorKind::not_found, "scenario " + name + ": no such scenario");
    return made(options);
  }

  Result<JobSpec> parse(const std::string& text, const std::string& origin,
                        const core::JobOptions& options) override {
    last_text = text;
    last_origin = origin;
    return made(options);
  }

  Result<JobSpec> reread(const std::string& text, const std::string& origin,
                         const core::JobOptions& options) override {
    return parse(text, origin, options);
  }

  std::function<void()> on_list;
  std::vector<core::ScenarioRow> rows;
  JobSpec what_is_made = core::a_job();
  std::optional<Error> refusal;
  std::string last_text, last_origin;
  core::JobOptions last_options;

 private:
  Result<JobSpec> made(const core::JobOptions& options) {
    last_options = options;
    if (refusal) return std::unexpected(*refusal);
    JobSpec spec = what_is_made;
    spec.repeat = options.repeat.value_or(1);
    spec.label = options.label.value_or("");
    spec.purpose = options.purpose;
    return spec;
  }
};

}  // namespace netperfd::bus
