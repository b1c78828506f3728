// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of a run, read by callers.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "dbus/compat.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FingerprintCall : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
  }

  Answered<std::string, dbus::Rows, std::vector<std::string>> get(std::uint64_t run) {
    return client->call<std::string, dbus::Rows, std::vector<std::string>>("GetFingerprint", run);
  }
};

TEST_F(FingerprintCall, has_every_fact_in_its_order_and_what_is_not_known) {
  queries.stored_fingerprint = {.boot_id = "f82f6326",
                                .facts = {{"kernel", "release", "6.1"}, {"nic", "veth0@a mtu", "1500"}},
                                .unknown = {"irq: a", "nic: b"}};
  const auto answered = get(41);
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [boot_id, facts, unknown] = answered.values;
  EXPECT_EQ(boot_id, "f82f6326");
  EXPECT_THAT(unknown, ElementsAre("irq: a", "nic: b"));
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].at("group").get<std::string>(), "kernel");
  EXPECT_EQ(facts[1].at("group").get<std::string>(), "nic");
  EXPECT_EQ(facts[1].at("key").get<std::string>(), "veth0@a mtu");
  EXPECT_EQ(facts[1].at("value").get<std::string>(), "1500");
  EXPECT_EQ(facts[1].size(), 3U);
}

TEST_F(FingerprintCall, of_the_most_facts_that_are_taken_fits_into_a_message) {
  Fingerprint largest;
  // The limits of counters/fact_sheet.hpp: 3000 facts, or 512 KiB with 128 bytes for each fact.
  for (int i = 0; i < 3000; ++i)
    largest.facts.push_back({"sysctl:net.ipv4.a_rather_long_name", std::to_string(i), "1"});
  queries.stored_fingerprint = largest;
  EXPECT_EQ(std::get<1>(get(41).values).size(), 3000U);
  largest.facts.clear();
  for (int i = 0; i < 460; ++i) largest.facts.push_back({"nic", std::to_string(i), std::string(1000, 'v')});
  for (int i = 0; i < 100; ++i) largest.unknown.emplace_back(1000, 'u');
  queries.stored_fingerprint = largest;
  EXPECT_EQ(std::get<1>(get(41).values).size(), 460U);
}

TEST_F(FingerprintCall, is_not_found_where_there_is_none) {
  EXPECT_THAT(get(41).error, HasSubstr("NotFound"));
  EXPECT_THAT(get(42).error, HasSubstr("NotFound"));
}

}  // namespace
}  // namespace netperfd::bus
