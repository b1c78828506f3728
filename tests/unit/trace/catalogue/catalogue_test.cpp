// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/trace/catalogue/catalogue_support.hpp"

namespace netperfd::trace {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kFormat =
    "name: kfree_skb\n"
    "ID: 2310\n"
    "format:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\n"
    "\tfield:int left;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:enum skb_drop_reason reason;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\n"
    "print fmt: \"left=%d reason: %s name=%s\", REC->left, __print_symbolic(REC->reason, { 2, "
    "\"NOT_SPECIFIED\" }, { 3, \"NO_SOCKET\" }), __get_str(name)\n";

class CatalogueTest : public testing::Test {
 protected:
  std::vector<std::string> events(const std::string& pattern) {
    std::vector<std::string> names;
    const auto rows = catalogue.events(pattern);
    if (!rows) return {rows.error().message};
    for (const auto& row : *rows) names.push_back(row.name);
    return names;
  }
  std::vector<std::string> modules(const std::string& pattern) {
    std::vector<std::string> names;
    const auto rows = catalogue.modules(pattern);
    if (!rows) return {rows.error().message};
    for (const auto& row : *rows) names.push_back(row.name);
    return names;
  }

  FakeMachine machine;
  FakeTracefs tracefs{able_kernel()};
  KernelCatalogue catalogue{tracefs, machine.settings};
};

TEST_F(CatalogueTest, modules_without_a_pattern_are_the_loaded_ones_with_their_functions) {
  const auto rows = catalogue.modules("");
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), 1U);
  EXPECT_EQ(rows->front().name, "hsr");
  EXPECT_TRUE(rows->front().loaded);
  EXPECT_EQ(rows->front().functions, 3U);
  EXPECT_EQ(rows->front().hint, "");
}

TEST_F(CatalogueTest, modules_with_a_pattern_say_what_to_do_about_the_others) {
  EXPECT_THAT(modules("*"), ElementsAre("hsr", "nf_tables", "tcp_cubic"));
  const auto rows = catalogue.modules("*t*");
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(0).hint, "modprobe nf_tables");
  EXPECT_FALSE(rows->at(0).functions.has_value());
  EXPECT_TRUE(rows->at(1).built_in);
  EXPECT_THAT(rows->at(1).hint, HasSubstr("built in"));
  EXPECT_THAT(modules("nf-tables"), ElementsAre("nf_tables"));
}

TEST_F(CatalogueTest, modules_have_no_count_where_the_kernel_hides_its_functions) {
  tracefs.fail_path("available_filter_functions", EPERM);
  const auto rows = catalogue.modules("");
  ASSERT_TRUE(rows.has_value());
  EXPECT_FALSE(rows->front().functions.has_value());
}

TEST_F(CatalogueTest, functions_are_of_exactly_the_module) {
  const auto found = catalogue.functions({"hsr", "hsr_*_*"}, 0, 10);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->total, 3U);
  EXPECT_EQ(catalogue.functions({"", "*"}, 0, 2)->total, 5U);
}

TEST_F(CatalogueTest, functions_of_a_module_that_has_none_are_an_error_that_says_why) {
  const auto unloaded = catalogue.functions({"nf-tables", ""}, 0, 10);
  EXPECT_EQ(unloaded.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unloaded.error().message, HasSubstr("modprobe nf_tables"));
  const auto built_in = catalogue.functions({"tcp_cubic", ""}, 0, 10);
  EXPECT_EQ(built_in.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(built_in.error().message, HasSubstr("built in"));
  const auto unknown = catalogue.functions({"hsx", ""}, 0, 10);
  EXPECT_EQ(unknown.error().kind, ErrorKind::not_found);
  EXPECT_THAT(unknown.error().message, HasSubstr("nearest is hsr"));
}

TEST_F(CatalogueTest, functions_are_read_again_when_a_module_came) {
  EXPECT_EQ(catalogue.functions({}, 0, 1)->total, 8U);
  tracefs.load_module("veth", {"veth_xmit"});
  EXPECT_EQ(catalogue.functions({}, 0, 1)->total, 8U) << "read again though /proc/modules is as it was";
  machine.write("proc/modules",
                "veth 4096 0 - Live 0xffffffffc0c00000\nhsr 65536 0 - Live 0xffffffffc0a00000\n");
  EXPECT_EQ(catalogue.functions({}, 0, 1)->total, 9U);
}

TEST_F(CatalogueTest, functions_that_the_kernel_hides_are_unsupported_in_the_doctors_words) {
  FakeKernel locked = able_kernel();
  locked.lockdown = true;
  FakeTracefs closed(locked);
  KernelCatalogue there(closed, machine.settings);
  const auto found = there.functions({}, 0, 10);
  EXPECT_EQ(found.error().kind, ErrorKind::unsupported);
  std::string words = capability(there.capabilities(true), "function").detail;
  const auto at = words.find("refuses it");
  ASSERT_NE(at, std::string::npos);
  words.replace(at, std::string("refuses it").size(), "refuses the list of functions");
  EXPECT_THAT(found.error().message, HasSubstr(words));
  EXPECT_THAT(found.error().message, HasSubstr("`netperfctl doctor` says more."));
}

TEST_F(CatalogueTest, functions_that_the_sandbox_hides_are_denied) {
  tracefs.fail_path("available_filter_functions", EACCES);
  const auto found = catalogue.functions({}, 0, 10);
  EXPECT_EQ(found.error().kind, ErrorKind::access_denied);
  EXPECT_THAT(found.error().message, HasSubstr("sandbox"));
}

TEST_F(CatalogueTest, events_fit_by_their_whole_name_or_without_their_system) {
  EXPECT_THAT(events(""), ElementsAre("sched:sched_switch", "skb:consume_skb", "skb:kfree_skb",
                                      "tcp:tcp_retransmit_skb"));
  EXPECT_THAT(events("skb:*"), ElementsAre("skb:consume_skb", "skb:kfree_skb"));
  EXPECT_THAT(events("kfree_skb"), ElementsAre("skb:kfree_skb"));
  EXPECT_THAT(events("*switch"), ElementsAre("sched:sched_switch"));
  EXPECT_THAT(events("tcp:kfree*"), IsEmpty());
}

TEST_F(CatalogueTest, an_event_has_its_own_fields_typed_and_with_the_names_of_its_values) {
  tracefs.set("events/skb/kfree_skb/format", kFormat);
  const auto event = catalogue.event("skb:kfree_skb");
  ASSERT_TRUE(event.has_value()) << event.error().message;
  EXPECT_EQ(event->id, 2310U);
  ASSERT_EQ(event->fields.size(), 3U);
  EXPECT_EQ(event->fields[0].name, "left");
  EXPECT_EQ(event->fields[0].offset, 8U);
  EXPECT_TRUE(event->fields[0].is_signed);
  EXPECT_EQ(event->fields[1].type, "enum skb_drop_reason");
  EXPECT_THAT(event->fields[1].values, ElementsAre("2=NOT_SPECIFIED", "3=NO_SOCKET"));
  EXPECT_EQ(event->fields[2].size, 0U) << "a dynamic field has no size of its own";
  EXPECT_THAT(event->print, HasSubstr("reason: %s"));
}

TEST_F(CatalogueTest, an_event_that_is_not_there_comes_with_the_nearest) {
  const auto misspelt = catalogue.event("skb:kfree_sbk");
  EXPECT_EQ(misspelt.error().kind, ErrorKind::not_found);
  EXPECT_THAT(misspelt.error().message, HasSubstr("skb:kfree_skb"));
  const auto elsewhere = catalogue.event("net:kfree_skb");
  EXPECT_THAT(elsewhere.error().message, HasSubstr("skb:kfree_skb"));
}

TEST_F(CatalogueTest, an_events_name_leads_nowhere_else) {
  tracefs.set("secret/format", kFormat);
  for (const auto* name :
       {"", "skb", "skb:", ":x", "..:secret", "skb:../../secret", "a:b:c", "skb:kfree_skb/x"}) {
    EXPECT_EQ(catalogue.event(name).error().kind, ErrorKind::invalid_argument) << name;
  }
}

TEST_F(CatalogueTest, a_format_that_is_none_is_an_io_error_with_its_path) {
  tracefs.set("events/skb/kfree_skb/format", "nonsense\n");
  const auto event = catalogue.event("skb:kfree_skb");
  EXPECT_EQ(event.error().kind, ErrorKind::io);
  EXPECT_THAT(event.error().message, HasSubstr("events/skb/kfree_skb/format"));
}

TEST_F(CatalogueTest, tracers_say_which_one_is_on) {
  tracefs.set("current_tracer", "function\n");
  const auto rows = catalogue.tracers();
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ(rows->at(0).name, "function");
  EXPECT_TRUE(rows->at(0).current);
  EXPECT_FALSE(rows->at(1).current);
}

TEST_F(CatalogueTest, without_tracefs_every_question_says_how_to_mount_it) {
  for (const auto* file : {"available_events", "available_tracers"}) tracefs.erase(file);
  for (const auto& error : {catalogue.events("").error(), catalogue.tracers().error()}) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_THAT(error.message, AllOf(HasSubstr("not mounted"), HasSubstr("mount -t tracefs")));
  }
}

TEST(KernelsCatalogue, has_every_event_of_the_kernel_with_readable_fields) {
  const ScratchDirectory scratch;
  const auto tracefs = make_real_tracefs("/sys/kernel/tracing");
  KernelCatalogue catalogue(*tracefs, real_settings(scratch));
  std::ifstream file("/sys/kernel/tracing/available_events");
  ASSERT_TRUE(file) << "needs root and tracefs";
  const auto lines = std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  const auto rows = catalogue.events("");
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  EXPECT_EQ(rows->size(), static_cast<std::size_t>(lines));

  const auto event = catalogue.event("sched:sched_switch");
  ASSERT_TRUE(event.has_value()) << event.error().message;
  const auto is_common = [](const core::EventFieldRow& row) { return row.name.starts_with("common_"); };
  EXPECT_TRUE(std::none_of(event->fields.begin(), event->fields.end(), is_common));
  EXPECT_EQ(event->fields.front().name, "prev_comm");
  EXPECT_EQ(event->fields.front().size, 16U);
}

TEST(KernelsCatalogue, has_the_tracers_of_the_kernel) {
  const ScratchDirectory scratch;
  const auto tracefs = make_real_tracefs("/sys/kernel/tracing");
  KernelCatalogue catalogue(*tracefs, real_settings(scratch));
  const auto rows = catalogue.tracers();
  ASSERT_TRUE(rows.has_value()) << rows.error().message;
  const auto nop =
      std::find_if(rows->begin(), rows->end(), [](const auto& row) { return row.name == "nop"; });
  EXPECT_NE(nop, rows->end());
}

}  // namespace
}  // namespace netperfd::trace
