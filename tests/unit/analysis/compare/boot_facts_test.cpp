// SPDX-License-Identifier: GPL-2.0-or-later
// What counts as the change in a design that boots the machine for each letter.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

const std::vector<Fact> kFactsOfBoots = {{"cpu", "governor", "performance"},
                                         {"cpu", "microcode", "0x10"},
                                         {"irq", "eth0 rx-0", "0"},
                                         {"kernel", "command line", "quiet"},
                                         {"kernel", "release", "6.12.1"},
                                         {"nic", "eth0 firmware version", "1.0"},
                                         {"module:hsr", "parameter m", "1"},
                                         {"module:hsr", "state", "loaded"},
                                         {"sysctl:net.core.rmem_max", "", "212992"}};

struct BootedSides {
  std::vector<ComparedRun> a = runs_from(0, eight_around(100)), b = runs_from(100, eight_around(120));

  // Four blocks, in which each run has a boot of its own.
  BootedSides() {
    for (auto* side : {&a, &b}) {
      give_facts(*side, kFactsOfBoots);
      std::uint32_t count = 0;
      for (ComparedRun& run : *side) {
        run.job = 1;
        run.block = count / 2 + 1;
        run.letter = count % 2 * 2 + (side == &a ? 1 : 2);
        run.fingerprint->boot_id = fmt::format("boot-{}-{}", run.block, run.letter);
        ++count;
      }
    }
  }

  BootedSides& give_b(const std::string& group, const std::string& key, const std::string& value) {
    for (ComparedRun& run : b) {
      for (Fact& fact : run.fingerprint->facts) {
        if (fact.group == group && fact.key == key) fact.value = value;
      }
    }
    return *this;
  }
  BootedSides& boot_once() {
    for (auto* side : {&a, &b}) {
      for (ComparedRun& run : *side) run.fingerprint->boot_id = "boot-1";
    }
    return *this;
  }
  [[nodiscard]] Comparison compared() const { return compare(a, b, {.changed = {"kernel"}}); }
};

TEST(FactsOfBoots, of_settings_with_another_default_follow_from_the_kernel) {
  BootedSides sides;
  sides.give_b("kernel", "release", "6.13.0");
  sides.give_b("sysctl:net.core.rmem_max", "", "4194304").give_b("cpu", "governor", "schedutil");
  sides.give_b("irq", "eth0 rx-0", "1").give_b("module:hsr", "parameter m", "2");
  sides.give_b("module:hsr", "state", "(absent)");
  const Comparison comparison = sides.compared();
  EXPECT_EQ(comparison.verdict, Verdict::improvement);
  EXPECT_EQ(comparison.facts.size(), 6U) << "they are listed";
  for (const FactChange& fact : comparison.facts) EXPECT_TRUE(fact.declared) << fact.group;
  EXPECT_EQ(sides.boot_once().compared().verdict, Verdict::refused) << "within a boot, somebody set them";
}

TEST(FactsOfBoots, of_settings_follow_from_another_command_line) {
  BootedSides sides;
  sides.give_b("cpu", "governor", "schedutil");
  EXPECT_EQ(sides.compared().verdict, Verdict::refused) << "of one kernel with one command line";
  sides.give_b("kernel", "command line", "quiet cpufreq.default_governor=schedutil");
  EXPECT_EQ(sides.compared().verdict, Verdict::improvement);
}

TEST(FactsOfBoots, of_what_no_boot_sets_anew_are_a_further_change) {
  for (const auto& [group, key] : std::vector<std::pair<std::string, std::string>>{
           {"cpu", "microcode"}, {"nic", "eth0 firmware version"}}) {
    BootedSides sides;
    sides.give_b("kernel", "release", "6.13.0").give_b(group, key, "other");
    EXPECT_EQ(sides.compared().verdict, Verdict::refused) << group << " " << key;
  }
}

}  // namespace
}  // namespace netperfd::analysis
