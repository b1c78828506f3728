// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a program that netperfd knows, such as netperf: its keys become the commands and the figures of
// a CommandSpec, so that it is run as any command is. The text of a job chooses no program and no option
// itself; so, unlike `command`, anybody's job may have it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/workload/command/job/tool_check.hpp"
#include "daemon/workload/job/part.hpp"
#include "daemon/workload/job/place.hpp"

namespace netperfd::workload {

// What never differs between the jobs of a tool.
struct Tool {
  std::string_view name;  // of the workload and of the client's program
  std::uint16_t port = 0;
  std::string_view port_text;  // the same
};

// Where a test is run, and how long.
struct ToolPlace {
  Path path;
  std::uint16_t port = 0;
  std::chrono::seconds duration{0};
};

// What a test becomes.
struct ToolTest {
  std::vector<std::string> client, server;
  std::vector<DeclaredFigure> figures;                            // name, unit and better only
  std::vector<std::pair<std::string, std::string>> says;          // as ToolCheck::says
  std::vector<std::pair<std::string, std::string>> more_facts{};  // that its text does not say
  std::optional<double> answers_per_second = std::nullopt;        // as in CommandSpec
};

class ToolKeys : public JobKeys {
 public:
  explicit ToolKeys(const Tool& tool) : tool_(tool), port_(tool.port) {}
  std::vector<keys::Key> keys() final;
  void finish(const keys::YamlNode& root, JobSpec& spec, keys::Complaints& complaints) final;

 protected:
  // Says what is wrong with a key below workload.TOOL, unless the job does not have it.
  using Complain = std::function<void(std::string_view key, std::string message)>;
  // The keys that only this tool has.
  [[nodiscard]] virtual std::vector<keys::Key> own_keys() = 0;
  [[nodiscard]] virtual ToolTest test_at(const ToolPlace& place, const Complain& complain) const = 0;

  // "workload.TOOL.KEY", which lives as long as this object.
  [[nodiscard]] std::string_view path(std::string_view key);

 private:
  [[nodiscard]] std::vector<keys::Key> keys_of_place();

  Tool tool_;
  std::deque<std::string> paths_;
  PlaceDraft place_;
  std::uint16_t port_;
  std::optional<std::chrono::milliseconds> duration_;
  std::vector<std::uint32_t> cpus_, server_cpus_;
};

[[nodiscard]] inline DeclaredFigure tool_figure(std::string name, std::string unit, Better better) {
  return {.name = std::move(name), .unit = std::move(unit), .better = better, .place = {}, .document = {}};
}

[[nodiscard]] JobPart tool_part(std::string_view name, std::string_view meaning, std::string_view duration,
                                std::unique_ptr<JobKeys> (*make_keys)());

}  // namespace netperfd::workload
