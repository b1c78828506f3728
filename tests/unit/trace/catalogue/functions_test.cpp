// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/functions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/model/nearest.hpp"

namespace netperfd::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kText =
    "vfs_read\n"
    "hsr_xmit [hsr]\n"
    "hsr_forward_skb [hsr]\n"
    "hsr_init [hsr_prp]\n"
    "__ftrace_invalid_address___12\n"
    "tcp_ack.isra.0\n"
    "tcp_ack_update_rtt.constprop.0\n"
    "tcp_sendmsg\n"
    "tcp_sendmsg_locked\n"
    "xmit_one [veth]\n"
    "xmit_one\n";

std::vector<std::string> names(const core::Catalogue::Functions& functions) {
  std::vector<std::string> result;
  for (const core::FunctionRow& row : functions.rows) {
    result.push_back(row.module.empty() ? row.name : row.name + "/" + row.module);
  }
  return result;
}

std::vector<std::string> select(std::optional<std::string> module, const std::string& pattern) {
  return names(FunctionList::parse(kText).select({std::move(module), pattern}, 0, 100));
}

using Names = std::vector<std::string>;

Names traced_by(const std::string& module, const Names& functions, const Names& exclude) {
  FunctionGraphSpec spec;
  spec.module = module;
  spec.functions = functions;
  spec.exclude = exclude;
  return FunctionList::parse(kText).traced_by(spec);
}

TEST(Functions, traced_by_a_job_are_its_modules_or_its_patterns_without_what_it_excludes) {
  EXPECT_THAT(traced_by("hsr", {}, {}), ElementsAre("hsr_forward_skb", "hsr_xmit"));
  EXPECT_THAT(traced_by("hsr-prp", {}, {}), ElementsAre("hsr_init"));
  EXPECT_THAT(traced_by("hsr", {}, {"*_skb"}), ElementsAre("hsr_xmit"));
  EXPECT_THAT(traced_by("", {"tcp_send*", "xmit_one", "no_such"}, {"tcp_sendmsg"}),
              ElementsAre("tcp_sendmsg_locked", "xmit_one"));
}

TEST(Functions, are_listed_by_name_without_the_kernels_stand_ins) {
  EXPECT_THAT(select(std::nullopt, ""),
              ElementsAre("hsr_forward_skb/hsr", "hsr_init/hsr_prp", "hsr_xmit/hsr", "tcp_ack.isra.0",
                          "tcp_ack_update_rtt.constprop.0", "tcp_sendmsg", "tcp_sendmsg_locked", "vfs_read",
                          "xmit_one", "xmit_one/veth"));
}

TEST(Functions, of_a_module_are_those_of_exactly_its_name) {
  EXPECT_THAT(select("hsr", ""), ElementsAre("hsr_forward_skb/hsr", "hsr_xmit/hsr"));
  EXPECT_THAT(select("hs", ""), IsEmpty());
  EXPECT_THAT(select("", "xmit_one"), ElementsAre("xmit_one"));
  const FunctionList list = FunctionList::parse(kText);
  EXPECT_EQ(list.count("hsr"), 2U);
  EXPECT_EQ(list.count("hsr_prp"), 1U);
  EXPECT_EQ(list.count("h"), 0U);
}

TEST(Functions, fit_globs_as_the_kernels_filter_takes_them) {
  EXPECT_THAT(select(std::nullopt, "tcp_send*"), ElementsAre("tcp_sendmsg", "tcp_sendmsg_locked"));
  EXPECT_THAT(select(std::nullopt, "vfs_rea?"), ElementsAre("vfs_read"));
  EXPECT_THAT(select(std::nullopt, "[hv]*_[xr]*"), ElementsAre("hsr_xmit/hsr", "vfs_read"));
  EXPECT_THAT(select("veth", "*one"), ElementsAre("xmit_one/veth"));
}

TEST(Functions, are_cut_from_the_sorted_list_with_its_whole_length) {
  const auto cut = FunctionList::parse(kText).select({std::nullopt, "*_*"}, 1, 2);
  EXPECT_THAT(names(cut), ElementsAre("hsr_init/hsr_prp", "hsr_xmit/hsr"));
  EXPECT_EQ(cut.total, 10U);
}

TEST(Functions, a_name_with_a_compilers_suffix_is_the_nearest_of_all) {
  const auto found = FunctionList::parse(kText).select({std::nullopt, "tcp_ack"}, 0, 10);
  EXPECT_EQ(found.total, 0U);
  ASSERT_FALSE(found.nearest.empty());
  EXPECT_EQ(found.nearest.front(), "tcp_ack.isra.0");
}

TEST(Functions, nearest_ones_are_only_named_for_a_name) {
  const FunctionList list = FunctionList::parse(kText);
  EXPECT_THAT(list.select({std::nullopt, "tcp_sendmgs"}, 0, 10).nearest, ElementsAre("tcp_sendmsg"));
  EXPECT_THAT(list.select({std::nullopt, "tcp_sendmgs*"}, 0, 10).nearest, IsEmpty());
  EXPECT_THAT(list.select({std::nullopt, "tcp_sendmsg"}, 0, 10).nearest, IsEmpty());
}

TEST(Functions, survive_lists_that_are_cut_off_or_empty) {
  EXPECT_EQ(FunctionList::parse("").size(), 0U);
  EXPECT_EQ(FunctionList::parse("\n\n").size(), 0U);
  EXPECT_THAT(names(FunctionList::parse("hsr_xmit [hs").select({}, 0, 9)), ElementsAre("hsr_xmit"));
}

TEST(Nearest, ranks_by_differing_letters_and_counts_a_beginning) {
  const std::vector<std::string_view> names{"ip_rcv",        "ip_rcv_core", "ip6_rcv",
                                            "ip_recv_error", "udp_rcv",     "x"};
  EXPECT_THAT(nearest_names("ip6_rvc", names), ElementsAre("ip6_rcv"));
  EXPECT_THAT(nearest_names("ip_rcx", names), ElementsAre("ip_rcv", "ip6_rcv"));
  EXPECT_THAT(nearest_names("ip_r", names), ElementsAre("ip_rcv", "ip_rcv_core", "ip_recv_error"));
}

TEST(Nearest, names_at_most_five_and_none_twice) {
  const std::vector<std::string_view> names{"abc1", "abc2", "abc2", "abc3", "abc4", "abc5", "abc6"};
  EXPECT_THAT(nearest_names("abcx", names), ElementsAre("abc1", "abc2", "abc3", "abc4", "abc5"));
  EXPECT_THAT(nearest_names("", names), IsEmpty());
}

TEST(Nearest, takes_a_suffix_off_the_wanted_name_too) {
  const std::vector<std::string_view> names{"skb_put", "skb_pull.part.0", "tcp_ack"};
  EXPECT_THAT(nearest_names("skb_pull.isra.0", names), ElementsAre("skb_pull.part.0"));
  EXPECT_THAT(nearest_names("tcp_ack.cold", names), ElementsAre("tcp_ack"));
}

}  // namespace
}  // namespace netperfd::trace
