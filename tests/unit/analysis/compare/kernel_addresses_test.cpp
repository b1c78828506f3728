// SPDX-License-Identifier: GPL-2.0-or-later
// Addresses of devices, of which older versions also recorded those that the kernel makes by itself.
#include "daemon/analysis/compare/kernel_addresses.hpp"

#include <gmock/gmock.h>

#include "daemon/analysis/compare/comparison.hpp"
#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<Fact> with_addresses(const std::string& families) {
  std::vector<Fact> facts{{"nic", "veth0 mtu", "1500"}, {"topology", "veth0 kind", "veth"}};
  if (!families.empty()) facts.push_back({"topology", "veth0 addresses", families});
  return facts;
}

// B is faster. Runs of A have `first`, then `a`.
Comparison comparison_of_addresses(const std::string& first, const std::string& a, const std::string& b,
                                   const std::vector<std::string>& changed = {}) {
  auto runs_a = runs_from(0, eight_around(100)), runs_b = runs_from(10, eight_around(120));
  give_facts(runs_a, with_addresses(a));
  give_facts(runs_b, with_addresses(b));
  runs_a.front().fingerprint->facts = with_addresses(first);
  for (ComparedRun& run : runs_b) {
    if (!changed.empty()) run.fingerprint->facts.front().value = "9000";
  }
  return compare(runs_a, runs_b, {.changed = changed});
}

// A fresh veth pair: the address comes after the first run. "inet6" alone is a device without another
// address.
TEST(KernelAddresses, that_older_runs_have_do_not_differ) {
  for (const auto& [first, rest] : {std::pair{"inet", "inet inet6"}, std::pair{"", "inet6"}}) {
    const Comparison comparison = comparison_of_addresses(first, rest, rest, {"nic"});
    EXPECT_EQ(comparison.verdict, Verdict::improvement) << rest;
    EXPECT_THAT(comparison.same, testing::Contains("topology"));
    EXPECT_THAT(comparison.caveats, has_caveat("Not compared: the IPv6 part of veth0 addresses."));
  }
}

TEST(KernelAddresses, of_older_runs_do_not_differ_from_newer_runs) {
  for (const char* newer : {"inet", "inet inet6-configured"}) {
    EXPECT_THAT(comparison_of_addresses("inet inet6", "inet inet6", newer).facts, IsEmpty()) << newer;
    EXPECT_THAT(comparison_of_addresses(newer, newer, "inet inet6").facts, IsEmpty()) << newer;
  }
  EXPECT_THAT(comparison_of_addresses("inet inet6", "inet inet6", "inet inet6").caveats,
              Not(has_caveat("the IPv6 part")))
      << "they are alike";
}

TEST(KernelAddresses, hide_no_other_address_that_differs) {
  for (const auto& [a, b] : {std::pair{"inet", "inet inet6-configured"}, std::pair{"inet inet6", "inet6"},
                             std::pair{"inet", ""}, std::pair{"inet inet6-configured", "inet6-configured"}}) {
    const Comparison comparison = comparison_of_addresses(a, a, b);
    ASSERT_EQ(comparison.facts.size(), 1U) << a;
    EXPECT_EQ(comparison.facts[0].key, "veth0 addresses");
    EXPECT_THAT(comparison.changed, ElementsAre("topology"));
  }
}

TEST(KernelAddresses, are_those_of_devices_only) {
  EXPECT_TRUE(is_of_addresses({"topology", "veth0@a addresses"}));
  EXPECT_FALSE(is_of_addresses({"topology", "veth0@a kind"}));
  EXPECT_FALSE(is_of_addresses({"nic", "veth0 addresses"}));
}

}  // namespace
}  // namespace netperfd::analysis
