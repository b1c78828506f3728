// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/client/design_samples.hpp"

#include <cmath>
#include <optional>
#include <string>

#include "tests/unit/client/samples.hpp"

namespace netperfctl::samples {
namespace {

// The first block is ABBA and the second BAAB; the plain run comes first in every other letter.
void add_slots(LiveJobView& job, std::uint32_t blocks) {
  job.blocks = blocks;
  job.variant_a = "list";
  job.variant_b = "hash";
  job.plain = true;
  job.seed = 42;
  job.changed = {"module:hsr"};
  job.runs.emplace();
  job.block.emplace();
  job.letter.emplace();
  job.variant.emplace();
  job.traced.emplace();
  std::uint64_t run = 101;
  for (std::uint32_t block = 1; block <= blocks; ++block) {
    for (std::uint32_t letter = 1; letter <= 4; ++letter) {
      const bool outer = letter == 1 || letter == 4;
      for (const bool second : {false, true}) {
        job.runs->push_back(run++);
        job.block->push_back(block);
        job.letter->push_back(letter);
        job.variant->emplace_back(outer == (block % 2 == 1) ? "list" : "hash");
        job.traced->push_back(second == (letter % 2 == 1));
      }
    }
  }
}

RunView run_of(const LiveJobView& job, std::size_t place) {
  RunView run = runs().at(2);
  run.run = job.runs->at(place);
  run.job = job.job;
  run.index = static_cast<std::uint32_t>(place + 1);
  run.repeat = job.blocks;
  run.scenario = job.scenario;
  run.label = "";
  run.block = job.block->at(place);
  run.letter = job.letter->at(place);
  run.variant = job.variant->at(place);
  run.side = run.variant == job.variant_a ? "A" : "B";
  run.traced = job.traced->at(place);
  return run;
}

PlanView planned(double effect, std::optional<std::uint32_t> needed, double seconds_each) {
  PlanView plan;
  plan.pairing = "blocks";
  plan.samples = 6;
  plan.sd = 0.0062;
  plan.effect = effect;
  plan.threshold = 0.01;
  plan.power = 0.8;
  plan.needed = needed;
  if (needed) plan.needed_for_equivalence = *needed * 4 / 3;
  if (needed) plan.seconds = *needed * seconds_each;
  return plan;
}

}  // namespace

LiveJobView interleaved() {
  LiveJobView job = jobs().front();
  job.job = 33;
  job.scenario = "hsr-ab";
  job.label.reset();
  job.purpose = "measurement";
  add_slots(job, 2);
  job.current_run = 103;
  job.runs_ended = job.runs_finished = 2;
  job.progress = (2 + 0.56) / static_cast<double>(job.runs->size());
  return job;
}

LiveJobView tracing_job() {
  LiveJobView job = jobs().front();
  job.job = 35;
  job.purpose = "measurement";
  job.blocks = 3;
  job.plain = true;
  job.seed = 7;
  job.runs = {111, 112, 113, 114, 115, 116};
  job.block = {1, 1, 2, 2, 3, 3};
  job.letter = {1, 1, 1, 1, 1, 1};
  job.variant = std::vector<std::string>(6);
  job.traced = {false, true, true, false, false, true};
  job.current_run = 112;
  job.progress = (1 + 0.56) / 6;
  return job;
}

LiveJobView selftest_job() {
  LiveJobView job = interleaved();
  job.job = 34;
  job.scenario = "veth-tcp";
  job.label = job.purpose = "selftest";
  job.variant_a = "A";
  job.variant_b = "B";
  job.plain = false;
  job.traced = std::vector<bool>(job.runs->size(), false);
  for (std::string& name : *job.variant) name = name == "list" ? "A" : "B";
  return job;
}

LiveJobView pilot_job() {
  LiveJobView job = jobs().front();
  job.job = 36;
  job.label = job.purpose = "pilot";
  return job;
}

std::vector<RunView> interleaved_runs() {
  const LiveJobView job = interleaved();
  RunView other = runs().at(4);
  RunView pending = run_of(job, 3);
  pending.state = "pending";
  pending.received_bits_per_second.reset();
  pending.retransmits.reset();
  return {pending, run_of(job, 2), run_of(job, 1), run_of(job, 0), other};
}

ShowView interleaved_run() {
  ShowView view = tcp();
  const LiveJobView job = interleaved();
  const RunView drawn = run_of(job, 2);
  RunView& run = view.details.run;
  run.run = drawn.run;
  run.job = drawn.job;
  run.index = drawn.index;
  run.repeat = drawn.repeat;
  run.scenario = drawn.scenario;
  run.label = drawn.label;
  run.block = drawn.block;
  run.letter = drawn.letter;
  run.side = drawn.side;
  run.variant = drawn.variant;
  run.traced = drawn.traced;
  JobView& stored = view.job->job;
  stored.job = job.job;
  stored.scenario = job.scenario;
  stored.label = "";
  stored.repeat = job.blocks;
  stored.purpose = "measurement";
  stored.seed = job.seed;
  stored.variant_a = job.variant_a;
  stored.variant_b = job.variant_b;
  stored.changed = job.changed;
  stored.runs = job.runs;
  stored.finished = 16;
  stored.failed = 0;
  return view;
}

StartView interleaved_start() {
  const LiveJobView job = interleaved();
  StartView view{.job = *interleaved_run().job, .runs = {}, .boots = {}};
  for (std::size_t i = 0; i < job.runs->size(); ++i) view.runs.push_back(run_of(job, i));
  return view;
}

PlanPageView block_plan() {
  constexpr double kBlock = 96;
  PlanPageView page;
  page.scenario = "hsr-ab";
  page.runs = "job:36";
  page.job = 36;
  page.plan = planned(0.02, 14, kBlock);
  page.repeat = 6;
  page.plan.detectable = 1.0286;
  page.plan.repeat_seconds = 6 * kBlock;
  page.effects = {planned(0.01, {}, kBlock), planned(0.015, 52, kBlock), planned(0.02, 14, kBlock),
                  planned(0.03, 6, kBlock),  planned(0.05, 6, kBlock),   planned(0.1, 6, kBlock)};
  page.effects.front().needed_for_equivalence = 18;
  page.steps.commands = {"netperfctl start hsr-ab --repeat 14"};
  return page;
}

PlanPageView until_plan() {
  constexpr double kBlock = 96;
  PlanPageView page = block_plan();
  page.repeat = 40;
  const auto put = [](PlanView& plan, double blocks, double decided) {
    plan.until_most = 40;
    plan.until_blocks = blocks;
    plan.until_decided = decided;
    plan.until_seconds = blocks * kBlock;
    plan.until_blocks_same = 10.712;
    plan.until_decided_same = 0.998;
    plan.until_seconds_same = 10.712 * kBlock;
    plan.until_most_seconds = 40 * kBlock;
  };
  put(page.plan, 9.648, 0.92);
  const std::vector<double> blocks{39.492, 18.534, 9.648, 8.024, 8, 8};
  for (std::size_t i = 0; i < blocks.size(); ++i) put(page.effects.at(i), blocks[i], i == 0 ? 0.026 : 0.99);
  page.steps.commands = {"netperfctl start hsr-ab --until-decided 40"};
  return page;
}

PlanPageView boot_plan() {
  PlanPageView page = run_plan();
  page.scenario = "kernels";
  page.runs = "scenario:kernels last:1000";
  page.plan.pairing = "boots";
  page.plan.samples = 12;
  page.plan.seconds = 2 * 14 * 310.0;
  page.plan.boot_seconds = 310;
  for (PlanView& effect : page.effects) {
    effect.pairing = "boots";
    if (effect.needed) effect.seconds = 2 * *effect.needed * 310.0;
  }
  page.steps.commands = {"netperfctl start kernels --repeat 7 --detach"};
  page.steps.before_change = 0;
  return page;
}

PlanPageView run_plan() {
  PlanPageView page = block_plan();
  page.scenario = "veth-tcp";
  page.runs = "scenario:veth-tcp last:20";
  page.job.reset();
  page.plan.pairing = "runs";
  page.plan.samples = 20;
  for (PlanView& effect : page.effects) effect.pairing = "runs";
  page.steps.commands = {"netperfctl start veth-tcp --repeat 14 --label before",
                         "netperfctl start veth-tcp --repeat 14 --label after",
                         "netperfctl compare label:before label:after"};
  page.steps.before_change = 1;
  return page;
}

PlanPageView wild_plan() {
  PlanPageView page = run_plan();
  page.plan.needed.reset();
  page.plan.seconds.reset();
  page.plan.detectable.reset();
  page.plan.sd.reset();
  page.repeat.reset();
  page.steps = {};
  for (PlanView& effect : page.effects) effect.seconds.reset();
  page.effects.front().needed.reset();
  return page;
}

}  // namespace netperfctl::samples
