// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/other_tools.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/unit/client/golden.hpp"
#include "tests/unit/flame/stacks.hpp"

namespace netperfctl::flame {
namespace {

using nlohmann::json;

TEST(Folded, has_a_line_per_stack_outermost_first) {
  EXPECT_EQ(folded(stacks_of(sampled())),
            "iperf3;[user] 300\n"
            "iperf3;do_syscall_64;tcp_sendmsg;hsr_dev_xmit_[hsr];hsr_get_node_[hsr] 600\n"
            "iperf3;do_syscall_64;tcp_sendmsg;tcp_sendmsg_locked;_copy_from_iter 900\n"
            "others;[more];tcp_ack 120\n"
            "others;__netif_receive_skb_core;hsr_handle_frame_[hsr];hsr_get_node_[hsr] 1080\n");
}

TEST(Folded, has_the_self_times_of_the_traced_calls_and_no_line_without_one) {
  EXPECT_EQ(folded(stacks_of(traced())),
            "[interrupt];hsr_handle_[hsr] 30\n"
            "[interrupt];hsr_handle_[hsr];twin_[hsr] 200\n"
            "hsr_dev_xmit_[hsr] 100\n"
            "hsr_dev_xmit_[hsr];hsr_get_node_[hsr] 500\n"
            "hsr_dev_xmit_[hsr];twin_[hsr] 70\n");
}

TEST(Folded, adds_up_equal_stacks) {
  SampledDetails twice = sampled();
  for (const SampledStackView& stack : sampled().stacks) twice.stacks.push_back(stack);
  const Stacks sum = stacks_of(twice);
  EXPECT_EQ(sum.total(), 6'000U);
  const std::string text = folded(sum);
  EXPECT_THAT(text, testing::HasSubstr("iperf3;[user] 600\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
}

TEST(Folded, is_not_broken_by_any_name) {
  std::istringstream lines{folded(stacks_of(hostile()))};
  const std::regex form{"[^; \\x01-\\x1f\\x7f]+;tcp_ack;[^; \\x01-\\x1f\\x7f]+ 1"};
  std::set<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, form)) << line;
    all.insert(line);
  }
  EXPECT_EQ(all.size(), kHostile.size());
  EXPECT_EQ(all.count("a\\x3bb\\x207;tcp_ack;a\\x3bb\\x207 1"), 1U);
}

TEST(Folded, of_nothing_is_empty) {
  EXPECT_EQ(folded(stacks_of(SampledDetails{})), "");
}

TEST(Speedscope, has_what_its_schema_requires) {
  const json file = json::parse(speedscope(stacks_of(sampled()), "Run 43"));
  EXPECT_EQ(file.at("$schema"), "https://www.speedscope.app/file-format-schema.json");
  for (const json& frame : file.at("shared").at("frames")) EXPECT_TRUE(frame.at("name").is_string());
  ASSERT_EQ(file.at("profiles").size(), 1U);
  const json& profile = file.at("profiles").at(0);
  EXPECT_EQ(profile.at("type"), "sampled");
  EXPECT_EQ(profile.at("name"), "Run 43");
  EXPECT_EQ(profile.at("unit"), "none");
  EXPECT_EQ(profile.at("startValue"), 0);
  EXPECT_EQ(profile.at("endValue"), 3'000);
  ASSERT_EQ(profile.at("samples").size(), profile.at("weights").size());
  std::uint64_t sum = 0;
  for (const json& weight : profile.at("weights")) sum += weight.get<std::uint64_t>();
  EXPECT_EQ(sum, 3'000U);
}

TEST(Speedscope, names_the_frames_of_a_stack_outermost_first) {
  const json file = json::parse(speedscope(stacks_of(sampled()), "Run 43"));
  const json& frames = file.at("shared").at("frames");
  Names names;
  for (const json& frame : file.at("profiles").at(0).at("samples").at(0))
    names.push_back(frames.at(frame.get<std::size_t>()).at("name"));
  EXPECT_EQ(names,
            (Names{"others", "__netif_receive_skb_core", "hsr_handle_frame [hsr]", "hsr_get_node [hsr]"}));
  EXPECT_EQ(file.at("profiles").at(0).at("weights").at(0), 1'080);
}

TEST(Speedscope, counts_calls_in_nanoseconds) {
  const json profile = json::parse(speedscope(stacks_of(traced()), "Run 43")).at("profiles").at(0);
  EXPECT_EQ(profile.at("unit"), "nanoseconds");
  EXPECT_EQ(profile.at("endValue"), 900);
  EXPECT_EQ(profile.at("weights"), json::parse("[100, 500, 70, 30, 200]"));
}

TEST(Speedscope, survives_any_name) {
  EXPECT_EQ(json::parse(speedscope(stacks_of(hostile()), kHostile[1])).at("profiles").at(0).at("endValue"),
            kHostile.size());
}

TEST(Stacks, tell_functions_of_one_name_apart) {
  Names names;
  for (const Frame& frame : stacks_of(traced()).frames) names.push_back(label_of(frame));
  EXPECT_THAT(names, testing::UnorderedElementsAre("hsr_dev_xmit [hsr]", "hsr_get_node [hsr]", "twin#2 [hsr]",
                                                   "twin [hsr]", "[interrupt]", "hsr_handle [hsr]"));
}

}  // namespace
}  // namespace netperfctl::flame
