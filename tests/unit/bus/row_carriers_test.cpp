// SPDX-License-Identifier: GPL-2.0-or-later
// What carries any row over the bus: the daemon's to_wire() and the client's RowOf. Both walk the row's
// description, so these tests expect keys and values that are written out by hand, of every type that a row
// may have.
#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "daemon/bus/rows/row_maker.hpp"
#include "dbus/rows/comparison.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/run.hpp"
#include "dbus/rows/trace.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

rows::Interval an_interval() {
  rows::Interval interval;
  interval.direction = Direction::receive;
  interval.stream = -7;
  interval.sender = false;
  interval.omitted = true;
  interval.start_s = 1.25;
  interval.end_s = 2.5;
  interval.seconds = 1.125;
  interval.bytes = 201;
  interval.bits_per_second = 202.5;
  interval.retransmits = 203;
  interval.snd_cwnd = 204;
  interval.rtt = 205;
  interval.rttvar = 206;
  interval.pmtu = 207;
  interval.jitter_ms = 208.5;
  interval.packets = 209;
  interval.lost_packets = -210;
  interval.lost_percent = 211.5;
  return interval;
}

TEST(RowCarriers, an_interval_crosses_the_bus_with_every_figure_under_its_key) {
  const dbus::Row row = to_map(to_wire(an_interval()));
  EXPECT_THAT(keys_of(row),
              UnorderedElementsAre("direction", "stream", "sender", "omitted", "start_s", "end_s", "seconds",
                                   "bytes", "bits_per_second", "retransmits", "snd_cwnd", "rtt", "rttvar",
                                   "pmtu", "jitter_ms", "packets", "lost_packets", "lost_percent"));
  EXPECT_EQ(text_at(row, "direction"), "receive");
  EXPECT_EQ(row.at("stream").get<std::int64_t>(), -7);
  EXPECT_FALSE(row.at("sender").get<bool>());
  EXPECT_TRUE(row.at("omitted").get<bool>());
  EXPECT_EQ(real_at(row, "start_s"), 1.25);
  EXPECT_EQ(real_at(row, "end_s"), 2.5);
  EXPECT_EQ(real_at(row, "seconds"), 1.125);
  EXPECT_EQ(number_at(row, "bytes"), 201U);
  EXPECT_EQ(real_at(row, "bits_per_second"), 202.5);
  EXPECT_EQ(number_at(row, "retransmits"), 203U);
  EXPECT_EQ(number_at(row, "snd_cwnd"), 204U);
  EXPECT_EQ(number_at(row, "rtt"), 205U);
  EXPECT_EQ(number_at(row, "rttvar"), 206U);
  EXPECT_EQ(number_at(row, "pmtu"), 207U);
  EXPECT_EQ(real_at(row, "jitter_ms"), 208.5);
  EXPECT_EQ(number_at(row, "packets"), 209U);
  EXPECT_EQ(row.at("lost_packets").get<std::int64_t>(), -210);
  EXPECT_EQ(real_at(row, "lost_percent"), 211.5);
}

TEST(RowCarriers, the_client_reads_every_figure_by_its_key) {
  const auto value = [](auto of) { return sdbus::Variant{of}; };
  const dbus::Row row{{"direction", value(std::string{"receive"})},
                      {"stream", value(std::int64_t{-7})},
                      {"sender", value(false)},
                      {"omitted", value(true)},
                      {"start_s", value(1.25)},
                      {"end_s", value(2.5)},
                      {"seconds", value(1.125)},
                      {"bytes", value(std::uint64_t{201})},
                      {"bits_per_second", value(202.5)},
                      {"retransmits", value(std::uint64_t{203})},
                      {"snd_cwnd", value(std::uint64_t{204})},
                      {"rtt", value(std::uint64_t{205})},
                      {"rttvar", value(std::uint64_t{206})},
                      {"pmtu", value(std::uint64_t{207})},
                      {"jitter_ms", value(208.5)},
                      {"packets", value(std::uint64_t{209})},
                      {"lost_packets", value(std::int64_t{-210})},
                      {"lost_percent", value(211.5)}};
  EXPECT_EQ(from_row<rows::Interval>(row), an_interval());
}

TEST(RowCarriers, what_is_not_known_has_no_key_and_comes_back_as_not_known) {
  rows::Interval interval;
  interval.bits_per_second = std::numeric_limits<double>::infinity();
  const dbus::Row row = to_map(to_wire(interval));
  EXPECT_THAT(keys_of(row),
              UnorderedElementsAre("direction", "sender", "omitted", "start_s", "end_s", "seconds"))
      << "a rate without an end is not known";
  interval.bits_per_second.reset();
  EXPECT_EQ(from_row<rows::Interval>(row), interval);
}

TEST(RowCarriers, a_row_without_a_key_that_is_always_there_or_with_an_unknown_word_is_an_error) {
  dbus::Row row = to_map(to_wire(an_interval()));
  row.erase("sender");
  EXPECT_THROW((void)from_row<rows::Interval>(row), sdbus::Error);
  row = to_map(to_wire(an_interval()));
  row["direction"] = sdbus::Variant{std::string{"sideways"}};
  EXPECT_THROW((void)from_row<rows::Interval>(row), sdbus::Error);
}

TEST(RowCarriers, lists_and_small_numbers_keep_their_types) {
  rows::Design design;
  design.blocks = 2;
  design.plain = true;
  design.seed = 42;
  design.changed = {{"module:hsr", "nic"}};
  design.block = {{1, 2}};
  design.traced = {{false, true}};
  const dbus::Row row = to_map(to_wire(design));
  EXPECT_THAT(keys_of(row), UnorderedElementsAre("blocks", "plain", "seed", "changed", "block", "traced"));
  EXPECT_THAT(row.at("changed").get<std::vector<std::string>>(), ElementsAre("module:hsr", "nic"));
  EXPECT_THAT(row.at("block").get<std::vector<std::uint32_t>>(), ElementsAre(1, 2));
  EXPECT_THAT(row.at("traced").get<std::vector<bool>>(), ElementsAre(false, true));
  const auto back = from_row<rows::Design>(row);
  EXPECT_EQ(back.blocks, 2U);
  EXPECT_EQ(back.seed, 42U);
  EXPECT_EQ(back.changed, design.changed);
  EXPECT_EQ(back.block, design.block);
  EXPECT_EQ(back.traced, design.traced);
  EXPECT_FALSE(back.variant_a || back.letter || back.variant);

  rows::Run run;
  run.run = 41;
  run.client_port = 65'535;
  EXPECT_EQ(to_map(to_wire(run)).at("client_port").get<std::uint16_t>(), 65'535);
  EXPECT_EQ(from_row<rows::Run>(to_wire(run)).client_port, 65'535);
}

TEST(RowCarriers, a_design_keeps_the_variant_of_each_of_many_runs) {
  rows::Design design;
  design.variant.emplace(20'000, "segmented");
  EXPECT_EQ(from_row<rows::Design>(to_wire(design)).variant->size(), 20'000U);
}

TEST(RowCarriers, rows_within_a_row_keep_the_type_of_each_value) {
  rows::Sample sample;
  sample.event = "skb:kfree_skb";
  sample.pid = -1;
  sample.fields = {{{"delta", std::int64_t{-9}, {}},
                    {"length", std::uint64_t{1'448}, {}},
                    {"name", std::string{"veth0"}, "the device"}}};
  const dbus::Row row = to_map(to_wire(sample));
  EXPECT_EQ(row.at("pid").get<std::int32_t>(), -1);
  const auto fields = row.at("fields").get<dbus::Rows>();
  ASSERT_EQ(fields.size(), 3U);
  EXPECT_EQ(fields[0].at("value").get<std::int64_t>(), -9);
  EXPECT_FALSE(fields[0].contains("text"));
  EXPECT_EQ(fields[1].at("value").get<std::uint64_t>(), 1'448U);
  EXPECT_EQ(fields[2].at("value").get<std::string>(), "veth0");
  EXPECT_EQ(text_at(fields[2], "text"), "the device");
  const auto back = from_row<rows::Sample>(row);
  ASSERT_EQ(back.fields.value().size(), 3U);
  EXPECT_EQ(back.fields->at(0).value, sample.fields->at(0).value);
  EXPECT_EQ(back.fields->at(1).value, sample.fields->at(1).value);
  EXPECT_EQ(back.fields->at(2).value, sample.fields->at(2).value);
  EXPECT_EQ(back.fields->at(2).text, "the device");
}

// Two rows of one kind within a row differ in what their keys begin with.
TEST(RowCarriers, a_row_that_is_a_member_has_its_keys_among_those_of_the_outer_row) {
  rows::Comparison comparison;
  comparison.figure = "received";
  comparison.verdict = "equivalent";
  comparison.effect.low = 1.5;
  comparison.traced = {.shift = 2.5, .low = 3.5, .high = 4.5};
  comparison.tracer.shift = 5.5;
  comparison.residual = {.value = 6.5, .low = std::nullopt, .high = 7.5};
  comparison.cpu.part = "whole";
  comparison.selftest.verdict = "inconclusive";
  comparison.selftest.samples = 8;
  const dbus::Row row = to_map(to_wire(comparison));
  EXPECT_THAT(keys_of(row), UnorderedElementsAre("figure", "verdict", "ratio_low", "traced_ns_per_byte_shift",
                                                 "traced_ns_per_byte_low", "traced_ns_per_byte_high",
                                                 "tracer_ns_per_byte_shift", "residual_ns_per_byte",
                                                 "residual_ns_per_byte_high", "ns_per_byte_part",
                                                 "selftest_verdict", "selftest_samples"));
  EXPECT_EQ(real_at(row, "ratio_low"), 1.5);
  EXPECT_EQ(real_at(row, "traced_ns_per_byte_high"), 4.5);
  EXPECT_EQ(real_at(row, "tracer_ns_per_byte_shift"), 5.5);
  EXPECT_EQ(real_at(row, "residual_ns_per_byte"), 6.5);
  const auto back = from_row<rows::Comparison>(row);
  EXPECT_EQ(back.effect.low, 1.5);
  EXPECT_EQ(back.traced.shift, 2.5);
  EXPECT_EQ(back.traced.low, 3.5);
  EXPECT_EQ(back.traced.high, 4.5);
  EXPECT_EQ(back.tracer.shift, 5.5);
  EXPECT_FALSE(back.tracer.low || back.functions.shift || back.residual.low);
  EXPECT_EQ(back.residual.value, 6.5);
  EXPECT_EQ(back.residual.high, 7.5);
  EXPECT_EQ(back.cpu.part, "whole");
  EXPECT_EQ(back.selftest.verdict, "inconclusive");
  EXPECT_EQ(back.selftest.samples, 8U);
}

}  // namespace
}  // namespace netperfd::bus
