// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/plan_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "client/base/command_words.hpp"

namespace netperfctl {
namespace {

// So many samples in as few jobs as the limit allows, all about equally long.
std::vector<std::uint32_t> shared_out(std::uint32_t samples, std::uint32_t limit) {
  const std::uint32_t jobs = (samples + limit - 1) / limit;
  std::vector<std::uint32_t> sizes(jobs, samples / jobs);
  std::fill_n(sizes.begin(), samples % jobs, samples / jobs + 1);
  return sizes;
}

std::vector<std::string> starts_of(const PlanQuestion& question, const std::vector<std::uint32_t>& sizes,
                                   const std::string& label) {
  std::vector<std::string> commands;
  for (const std::uint32_t size : sizes) {
    std::string command = fmt::format("{} --repeat {}", question.start, size);
    if (question.reboots) command += " --detach";  // a reboot would end it
    if (!label.empty()) command += " --label " + for_a_shell(label);
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string side_of(const PlanQuestion& question, const std::string& variant) {
  return for_a_shell(selection_term("label", question.label) + " " + selection_term("variant", variant));
}

std::vector<std::string> of_blocks(const PlanQuestion& question, const std::vector<std::uint32_t>& sizes) {
  const bool one_job = sizes.size() == 1;  // which compares its sides itself
  auto commands = starts_of(question, sizes, one_job ? "" : question.label);
  if (!one_job && !question.name_a.empty() && !question.name_b.empty()) {
    commands.push_back(fmt::format("netperfctl compare {} {}", side_of(question, question.name_a),
                                   side_of(question, question.name_b)));
  }
  return commands;
}

std::vector<std::string> of_runs(const PlanQuestion& question, const std::vector<std::uint32_t>& sizes) {
  auto commands = starts_of(question, sizes, "before");
  for (std::string& command : starts_of(question, sizes, "after")) commands.push_back(std::move(command));
  commands.emplace_back("netperfctl compare label:before label:after");
  return commands;
}

}  // namespace

PlanSteps steps_of(const PlanView& plan, const PlanQuestion& question) {
  PlanSteps steps;
  // A block has two boots of each side.
  const bool boots = plan.pairing == "boots";
  const bool blocks = plan.pairing == "blocks" || boots;
  if (plan.blocks_each || (!blocks && plan.pairing != "runs")) return steps;
  const std::uint32_t each = std::max(question.size.runs_each, 1U);
  // Half the runs of a block are of each side.
  const std::uint32_t fit = blocks ? 2 * kMostRunsOfSide / each : kMostRunsOfSide / each;
  const std::uint32_t most = question.size.repeat_limit == 0 ? 0 : fit;
  const std::uint32_t scale = boots ? kBootsOfSideInBlock : 1;
  if (plan.until_most && *plan.until_most <= std::min(most, question.size.repeat_limit)) {
    steps.commands = {fmt::format("{} --until-decided {}", question.start, *plan.until_most)};
    return steps;
  }
  if (!plan.needed || (*plan.needed + scale - 1) / scale > most) {
    steps.most = most * scale;
    return steps;
  }
  const std::uint32_t limit =
      boots ? std::min(question.size.repeat_limit, kMostBlocksWithBoots) : question.size.repeat_limit;
  const auto sizes = shared_out((*plan.needed + scale - 1) / scale, limit);
  steps.commands = blocks ? of_blocks(question, sizes) : of_runs(question, sizes);
  if (!blocks) steps.before_change = sizes.size();
  return steps;
}

}  // namespace netperfctl
