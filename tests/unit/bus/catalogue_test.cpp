// SPDX-License-Identifier: GPL-2.0-or-later
// Queries about this machine and its kernel.
#include <gmock/gmock.h>

#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using FunctionsAnswer = Answered<dbus::Rows, std::string, std::uint64_t, std::vector<std::string>>;

class CatalogueTest : public ClientTest {
 protected:
  FunctionsAnswer list_functions(const dbus::Row& filter, const std::string& cursor = "",
                                 std::uint32_t limit = 0) {
    return client->call<dbus::Rows, std::string, std::uint64_t, std::vector<std::string>>(
        "ListFunctions", filter, cursor, limit);
  }
};

TEST_F(CatalogueTest, a_capability_has_advice_only_where_something_can_be_done) {
  catalogue.found_capabilities = {
      {.name = "tracepoints", .ability = core::Ability::yes, .detail = "2,113 events", .advice = ""},
      {.name = "function_graph", .ability = core::Ability::no, .detail = "locked down", .advice = "boot so"},
      {.name = "filters", .ability = core::Ability::limited, .detail = "some", .advice = ""}};
  const auto listed = client->call<dbus::Rows>("ListCapabilities", false);
  ASSERT_EQ(listed.error, "") << listed.text;
  const auto& rows = std::get<0>(listed.values);
  ASSERT_EQ(rows.size(), 5U) << "the last two are of the sides and the database";
  EXPECT_EQ(text_at(rows[0], "name"), "tracepoints");
  EXPECT_EQ(text_at(rows[0], "ability"), "yes");
  EXPECT_EQ(text_at(rows[0], "detail"), "2,113 events");
  EXPECT_FALSE(rows[0].contains("advice"));
  EXPECT_EQ(text_at(rows[1], "ability"), "no");
  EXPECT_EQ(text_at(rows[1], "advice"), "boot so");
  EXPECT_EQ(text_at(rows[2], "ability"), "limited");
}

TEST_F(CatalogueTest, everybody_may_see_the_capabilities_but_only_the_group_and_root_probe_them_anew) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  const auto list = [](bool fresh) {
    return [fresh](sdbus::IProxy& manager) {
      return outcome_of([&] {
        dbus::Rows rows;
        manager.callMethod("ListCapabilities")
            .onInterface(dbus::kManagerInterface)
            .withArguments(fresh)
            .storeResultsTo(rows);
      });
    };
  };
  EXPECT_EQ(as({}, list(false)), "ok");
  EXPECT_EQ(catalogue.told, 1);
  EXPECT_EQ(as({}, list(true)), dbus::error::kAccessDenied);
  EXPECT_EQ(catalogue.probed, 0);
  EXPECT_EQ(as({.groups = {kGroup}}, list(true)), "ok");
  EXPECT_EQ(as({.uid = 0, .gid = 0}, list(true)), "ok");
  EXPECT_EQ(catalogue.probed, 2);
}

TEST_F(CatalogueTest, a_module_whose_functions_the_kernel_does_not_tell_has_no_count_of_them) {
  catalogue.found_modules = {
      {.name = "hsr", .loaded = true, .built_in = false, .functions = 73, .hint = ""},
      {.name = "prp", .loaded = false, .built_in = true, .functions = {}, .hint = "modprobe"}};
  const auto listed = client->call<dbus::Rows>("ListModules", std::string{"*r*"});
  ASSERT_EQ(listed.error, "") << listed.text;
  EXPECT_EQ(catalogue.last_pattern, "*r*");
  const auto& rows = std::get<0>(listed.values);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(text_at(rows[0], "name"), "hsr");
  EXPECT_TRUE(rows[0].at("loaded").get<bool>());
  EXPECT_FALSE(rows[0].at("built_in").get<bool>());
  EXPECT_EQ(rows[0].at("functions").get<std::uint64_t>(), 73U);
  EXPECT_FALSE(rows[0].contains("hint"));
  EXPECT_TRUE(rows[1].at("built_in").get<bool>());
  EXPECT_FALSE(rows[1].contains("functions"));
  EXPECT_EQ(text_at(rows[1], "hint"), "modprobe");
}

TEST_F(CatalogueTest, functions_are_asked_for_by_module_pattern_and_part) {
  catalogue.found_functions = {
      .rows = {{.name = "hsr_rx", .module = "hsr"}, {.name = "ip_rcv", .module = ""}},
      .total = 60'000,
      .nearest = {}};
  const auto listed = list_functions(
      {{"module", sdbus::Variant{std::string{"hsr"}}}, {"pattern", sdbus::Variant{std::string{"hsr_*"}}}},
      "7", 20);
  ASSERT_EQ(listed.error, "") << listed.text;
  EXPECT_EQ(catalogue.last_module, "hsr");
  EXPECT_EQ(catalogue.last_pattern, "hsr_*");
  EXPECT_EQ(catalogue.last_offset, 7U);
  EXPECT_EQ(catalogue.last_limit, 20U);
  const auto& [functions, next, total, nearest] = listed.values;
  EXPECT_EQ(next, "9");
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(text_at(functions[0], "name"), "hsr_rx");
  EXPECT_EQ(text_at(functions[0], "module"), "hsr");
  EXPECT_FALSE(functions[1].contains("module"));
  EXPECT_EQ(total, 60'000U);
  EXPECT_TRUE(nearest.empty());
}

TEST_F(CatalogueTest, no_module_the_kernel_itself_and_no_limit_are_different_from_one_another) {
  ASSERT_EQ(list_functions({}).error, "");
  EXPECT_EQ(catalogue.last_module, std::nullopt);
  EXPECT_EQ(catalogue.last_pattern, "");
  EXPECT_EQ(catalogue.last_limit, 2000U);
  ASSERT_EQ(list_functions({{"module", sdbus::Variant{std::string{}}}}, "", 2001).error, "");
  EXPECT_EQ(catalogue.last_module, "");
  EXPECT_EQ(catalogue.last_limit, 2000U);
}

TEST_F(CatalogueTest, the_nearest_names_come_where_a_plain_one_is_not_traceable) {
  catalogue.found_functions.nearest = {"ip_rcv", "ip_rcv_core.isra.0"};
  EXPECT_THAT(std::get<3>(list_functions({}).values), ElementsAre("ip_rcv", "ip_rcv_core.isra.0"));
}

TEST_F(CatalogueTest, the_longest_functions_come_as_many_as_fit_with_the_true_total) {
  catalogue.found_functions = {
      .rows = std::vector<core::FunctionRow>(2000, {.name = std::string(2000, 'x'), .module = "hsr"}),
      .total = 2000,
      .nearest = std::vector<std::string>(2000, std::string(2000, 'x'))};
  const auto listed = list_functions({});
  ASSERT_EQ(listed.error, "") << listed.text;
  EXPECT_GT(std::get<0>(listed.values).size(), 500U);
  EXPECT_EQ(std::get<2>(listed.values), 2000U);
  EXPECT_EQ(std::get<3>(listed.values).back(), "\u2026");
}

TEST_F(CatalogueTest, an_event_comes_with_its_typed_fields) {
  catalogue.found_event = {.name = "skb:kfree_skb",
                           .id = 1634,
                           .fields = {{.name = "reason",
                                       .type = "enum skb_drop_reason",
                                       .offset = 28,
                                       .size = 4,
                                       .is_signed = true,
                                       .values = {"2=NOT_SPECIFIED", "3=NO_SOCKET"}},
                                      {.name = "name",
                                       .type = "__data_loc char[]",
                                       .offset = 32,
                                       .size = 0,
                                       .is_signed = false,
                                       .values = {}}},
                           .print = "\"reason: %s\", REC->reason"};
  const auto event = client->call<dbus::Row, dbus::Rows>("GetEvent", std::string{"skb:kfree_skb"});
  ASSERT_EQ(event.error, "") << event.text;
  EXPECT_EQ(catalogue.last_pattern, "skb:kfree_skb");
  const auto& [row, fields] = event.values;
  EXPECT_EQ(text_at(row, "name"), "skb:kfree_skb");
  EXPECT_EQ(row.at("id").get<std::uint32_t>(), 1634U);
  EXPECT_EQ(text_at(row, "print"), "\"reason: %s\", REC->reason");
  EXPECT_TRUE(row.at("allowed").get<bool>());
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(text_at(fields[0], "type"), "enum skb_drop_reason");
  EXPECT_EQ(fields[0].at("offset").get<std::uint32_t>(), 28U);
  EXPECT_EQ(fields[0].at("size").get<std::uint32_t>(), 4U);
  EXPECT_TRUE(fields[0].at("signed").get<bool>());
  EXPECT_THAT(fields[0].at("values").get<std::vector<std::string>>(),
              ElementsAre("2=NOT_SPECIFIED", "3=NO_SOCKET"));
  EXPECT_EQ(text_at(fields[1], "name"), "name");
  EXPECT_EQ(fields[1].at("size").get<std::uint32_t>(), 0U) << "a dynamic one";
  EXPECT_TRUE(fields[1].at("values").get<std::vector<std::string>>().empty());
}

TEST_F(CatalogueTest, events_come_by_name_and_tracers_with_the_current_one) {
  catalogue.found_events = {{.name = "net:netif_rx"}, {.name = "skb:kfree_skb"}};
  catalogue.found_tracers = {{.name = "function_graph", .current = false}, {.name = "nop", .current = true}};
  EXPECT_THAT(std::get<0>(client->call<std::vector<std::string>>("ListEvents", std::string{"*"}).values),
              ElementsAre("net:netif_rx", "skb:kfree_skb"));
  EXPECT_EQ(catalogue.last_pattern, "*");
  const auto tracers = client->call<dbus::Rows>("ListTracers");
  ASSERT_EQ(std::get<0>(tracers.values).size(), 2U);
  EXPECT_EQ(text_at(std::get<0>(tracers.values)[0], "name"), "function_graph");
  EXPECT_FALSE(std::get<0>(tracers.values)[0].at("current").get<bool>());
  EXPECT_TRUE(std::get<0>(tracers.values)[1].at("current").get<bool>());
}

TEST_F(CatalogueTest, the_allowed_events_are_those_that_fit_the_configured_patterns) {
  catalogue.found_events = {{.name = "skb:kfree_skb"}, {.name = "printk:console"}, {.name = "tcp:tcp_probe"}};
  const auto allowed = [&] {
    return std::get<0>(client->call<std::vector<std::string>>("ListAllowedEvents", std::string{"*"}).values);
  };
  EXPECT_THAT(allowed(), ElementsAre("skb:kfree_skb"));
  EXPECT_EQ(catalogue.last_pattern, "*");
  service->set_trace_events({"printk:*"});
  EXPECT_THAT(allowed(), ElementsAre("printk:console"));
  catalogue.found_event.name = "skb:kfree_skb";
  const auto event = client->call<dbus::Row, dbus::Rows>("GetEvent", std::string{"skb:kfree_skb"});
  EXPECT_FALSE(std::get<0>(event.values).at("allowed").get<bool>());
}

TEST_F(CatalogueTest, a_list_too_long_for_a_message_is_an_error_and_never_cut_silently) {
  catalogue.found_events.assign(1'000, {.name = std::string(1'024, 'x')});
  const auto events = client->call<std::vector<std::string>>("ListEvents", std::string{});
  EXPECT_EQ(events.error, dbus::error::kUnsupported);
  EXPECT_THAT(events.text, HasSubstr("narrower pattern"));
  catalogue.found_modules.assign(10'000, {.name = "nf_conntrack",
                                          .loaded = false,
                                          .built_in = false,
                                          .functions = {},
                                          .hint = "modprobe nf_conntrack"});
  EXPECT_EQ(client->call<dbus::Rows>("ListModules", std::string{"*"}).error, dbus::error::kUnsupported);
}

TEST_F(CatalogueTest, the_events_and_modules_of_a_distributions_kernel_fit_into_a_message) {
  catalogue.found_events.assign(5'000, {.name = std::string(40, 'x')});
  EXPECT_EQ(std::get<0>(client->call<std::vector<std::string>>("ListEvents", std::string{}).values).size(),
            5'000U);
  catalogue.found_modules.assign(5'000, {.name = std::string(16, 'm'),
                                         .loaded = false,
                                         .built_in = false,
                                         .functions = 7,
                                         .hint = "modprobe " + std::string(16, 'm')});
  EXPECT_EQ(std::get<0>(client->call<dbus::Rows>("ListModules", std::string{"*"}).values).size(), 5'000U);
}

TEST_F(CatalogueTest, what_it_refuses_has_its_name_on_the_bus) {
  catalogue.refusal = Error{ErrorKind::unsupported, "no tracefs here"};
  const auto modules = client->call<dbus::Rows>("ListModules", std::string{});
  EXPECT_EQ(modules.error, dbus::error::kUnsupported);
  EXPECT_EQ(modules.text, "no tracefs here");
  EXPECT_EQ(list_functions({}).error, dbus::error::kUnsupported);
  EXPECT_EQ(client->call<std::vector<std::string>>("ListEvents", std::string{}).error,
            dbus::error::kUnsupported);
  EXPECT_EQ(client->call<dbus::Rows>("ListTracers").error, dbus::error::kUnsupported);
  catalogue.refusal = Error{ErrorKind::not_found, "no such event"};
  EXPECT_EQ((client->call<dbus::Row, dbus::Rows>("GetEvent", std::string{"no:such"}).error),
            dbus::error::kNotFound);
}

TEST_F(CatalogueTest, patterns_and_names_of_many_lines_or_much_length_never_reach_it) {
  catalogue.last_pattern = "untouched";
  for (const std::string& text : {std::string{"a\nb"}, std::string(513, 'x')}) {
    const dbus::Row filter{{"pattern", sdbus::Variant{text}}};
    EXPECT_EQ(client->call<dbus::Rows>("ListModules", text).error, dbus::error::kInvalidArgument);
    EXPECT_EQ(list_functions(filter).error, dbus::error::kInvalidArgument);
    EXPECT_EQ(list_functions({{"module", sdbus::Variant{text}}}).error, dbus::error::kInvalidArgument);
    EXPECT_EQ(client->call<std::vector<std::string>>("ListEvents", text).error,
              dbus::error::kInvalidArgument);
    EXPECT_EQ((client->call<dbus::Row, dbus::Rows>("GetEvent", text).error), dbus::error::kInvalidArgument);
  }
  const auto unknown = list_functions({{"modul", sdbus::Variant{std::string{}}}});
  EXPECT_EQ(unknown.error, dbus::error::kInvalidArgument);
  EXPECT_EQ(unknown.text, "unknown filter \"modul\"; allowed are module, pattern");
  EXPECT_EQ(catalogue.last_pattern, "untouched");
}

class DatabaseCapability : public ClientTest {
 protected:
  dbus::Row last_row() {
    const auto listed = client->call<dbus::Rows>("ListCapabilities", false);
    EXPECT_EQ(listed.error, "") << listed.text;
    return std::get<0>(listed.values).back();
  }
};

TEST_F(DatabaseCapability, is_asked_for_at_each_call) {
  EXPECT_EQ(text_at(last_row(), "name"), "database");
  EXPECT_EQ(text_at(last_row(), "ability"), "yes");
  store_keeper.has_room = fail(ErrorKind::io, "/d.db: it was removed");
  EXPECT_EQ(text_at(last_row(), "ability"), "no");
  EXPECT_EQ(text_at(last_row(), "detail"), "/d.db: it was removed");
  store_keeper.has_room = {};
  EXPECT_EQ(text_at(last_row(), "ability"), "yes");
}

TEST_F(CatalogueTest, hostile_texts_still_arrive) {
  const std::string hostile = std::string{"\xFF"} + std::string(5'000, 'x');
  catalogue.found_capabilities.assign(
      50, {.name = hostile, .ability = core::Ability::no, .detail = hostile, .advice = hostile});
  EXPECT_EQ(std::get<0>(client->call<dbus::Rows>("ListCapabilities", false).values).size(), 50U + 2);
  catalogue.found_event = {.name = hostile,
                           .id = 1,
                           .fields = {{.name = hostile,
                                       .type = hostile,
                                       .offset = 0,
                                       .size = 0,
                                       .is_signed = false,
                                       .values = std::vector<std::string>(500, hostile)}},
                           .print = hostile + hostile + hostile + hostile};
  const auto event = client->call<dbus::Row, dbus::Rows>("GetEvent", std::string{"a:b"});
  ASSERT_EQ(event.error, "") << event.text;
  EXPECT_THAT(text_at(std::get<0>(event.values), "name"), HasSubstr("\uFFFD"));
}

}  // namespace
}  // namespace netperfd::bus
