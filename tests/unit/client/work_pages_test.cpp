// SPDX-License-Identifier: GPL-2.0-or-later
// Pages about the CPU time of packets and transactions.
#include <gmock/gmock.h>

#include <string>

#include "client/pages/render.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const CompareView& view, std::size_t width = 80) {
  return compare_text(samples::terminal(width), view);
}

TEST(WorkPages, lead_with_the_cpu_time_if_both_sides_reach_what_they_were_offered) {
  const std::string text = page_of(samples::forwarded(), 120);
  expect_golden("compare_forwarded_80.txt", page_of(samples::forwarded()));
  expect_golden("compare_forwarded.json", compare_json(samples::forwarded()));
  EXPECT_THAT(text, HasSubstr("leads, because both sides reach the 50.0 Mbit/s that they were offered"));
  EXPECT_THAT(text, HasSubstr("10,250 -> 22,900 ns/packet"));
  EXPECT_THAT(text, HasSubstr("packets that the client's device counted"));
  EXPECT_THAT(text, HasSubstr("12,499 -> 12,500 /s"));
  EXPECT_THAT(text, HasSubstr("of the kernel's counters (nic), over the whole run"));
  EXPECT_THAT(text, HasSubstr("counters that moved, per packet"));
  EXPECT_THAT(text, HasSubstr("worse cpu.packet, equivalent counter.to-receiver@router.tx_packets"));
  CompareView not_reached = samples::forwarded();
  not_reached.details.comparison.offered_bits_per_second.reset();
  EXPECT_THAT(page_of(not_reached), Not(HasSubstr("leads, because")));
}

// Of the throughput alone, the CPU time beside it comes first, and has no say in the verdict.
TEST(WorkPages, lead_with_the_cpu_time_beside_the_throughput) {
  CompareView view = samples::hash_table();
  view.details.comparison.offered_bits_per_second = 100e6;
  const std::string text = page_of(view);
  const auto cpu = text.find("\n  cpu "), received = text.find("\n  received ");
  ASSERT_NE(cpu, std::string::npos);
  ASSERT_NE(received, std::string::npos);
  EXPECT_LT(cpu, received);
  EXPECT_THAT(text, HasSubstr("20.42 -> 2.63 ns/byte"));
  EXPECT_THAT(text, Not(HasSubstr("  verdict ")));
}

TEST(WorkPages, say_what_a_transaction_costs_by_samples_alone) {
  const std::string text = page_of(samples::called(), 100);
  expect_golden("compare_called_100.txt", text);
  EXPECT_THAT(text, HasSubstr("share of CPU, and ns per transaction"));
  EXPECT_THAT(page_of(samples::called(), 140), HasSubstr("bpf_prog_6deef7357e7b4530_count [bpf]"));
  EXPECT_THAT(text, HasSubstr("47,100 -> 51,920 ns a transaction on all CPUs"));
}

TEST(WorkPages, show_samples_before_the_functions_that_explain_them) {
  const std::string text = page_of(samples::witnessed(), 120);
  const auto samples_at = text.find("where, by samples of the plain runs"),
             traced = text.find("traced functions, in ns of CPU per byte of goodput");
  ASSERT_NE(samples_at, std::string::npos);
  ASSERT_NE(traced, std::string::npos);
  EXPECT_LT(samples_at, traced);
}

}  // namespace
}  // namespace netperfctl
