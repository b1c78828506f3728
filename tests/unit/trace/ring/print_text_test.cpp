#include "daemon/trace/ring/print_text.hpp"

#include <gtest/gtest.h>

#include "tests/unit/trace/ring/recorded_ring.hpp"
#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::trace::test {
namespace {

// An event with a signed number, an unsigned number and a text, printed by `print`.
std::string printed(const std::string& print, const Bytes& record) {
  const auto event = make_event("test", "event", 600,
                                "\tfield:int first;\toffset:8;\tsize:4;\tsigned:1;\n"
                                "\tfield:unsigned long second;\toffset:16;\tsize:8;\tsigned:0;\n"
                                "\tfield:char name[8];\toffset:24;\tsize:8;\tsigned:0;\n\nprint fmt: " +
                                    print + "\n");
  return PrintText(event.format).text(record, EchoedNames());
}

Bytes record(std::int32_t first, std::uint64_t second) {
  return RecordMaker(600).put(8, first).put(16, second).put_text(24, "eth0").put(31, '\0');
}

TEST(PrintText, converts_as_printf_does) {
  EXPECT_EQ(printed(R"("%d|%u|%x|%lu", REC->first, REC->first, REC->first, REC->second)", record(-2, 7)),
            "-2|4294967294|fffffffe|7");
  EXPECT_EQ(printed(R"("%5d|%-5d|%05d|%#lx|%08lx|%hd|%c|100%%", REC->first, REC->first, REC->first, )"
                    R"(REC->second, REC->second, REC->second, REC->second)",
                    record(12, 0x41)),
            "   12|12   |00012|0x41|00000041|65|A|100%");
  EXPECT_EQ(printed(R"("%s|%6s|%-6s|%.2s|", REC->name, REC->name, REC->name, REC->name)", record(0, 0)),
            "eth0|  eth0|eth0  |et|");
}

TEST(PrintText, computes_what_stands_between_fields) {
  EXPECT_EQ(
      printed(R"("%lu %d", (REC->second >> 4) + 1, REC->first < 0 ? -REC->first : 0)", record(-9, 0x20)),
      "3 9");
  EXPECT_EQ(printed(R"("%s%s", REC->first & 1 ? "odd" : "even", !REC->second ? "" : "!")", record(3, 1)),
            "odd!");
}

TEST(PrintText, names_values_and_flags) {
  const std::string symbolic = R"("%s", __print_symbolic(REC->first, { 1, "ONE" }, { 2, "TWO" }))";
  EXPECT_EQ(printed(symbolic, record(2, 0)), "TWO");
  EXPECT_EQ(printed(symbolic, record(3, 0)), "0x3");
  const std::string flags = R"("%s", __print_flags(REC->second, "|", { 1, "A" }, { 2, "B" }))";
  EXPECT_EQ(printed(flags, record(0, 3)), "A|B");
  EXPECT_EQ(printed(flags, record(0, 0x12)), "B|0x10");
  EXPECT_EQ(printed(flags, record(0, 0)), "");
}

TEST(PrintText, names_what_the_kernel_left_as_the_name_of_an_enum) {
  EXPECT_EQ(printed(R"("state=%s", __print_symbolic(REC->first, { TCP_ESTABLISHED, "TCP_ESTABLISHED" }))",
                    record(1, 0)),
            "state=TCP_ESTABLISHED");
}

TEST(PrintText, shows_no_address_whatever_the_format_does_with_it) {
  const auto address = record(0, 0xffff888012345678);
  EXPECT_EQ(printed(R"("%lx", REC->second)", address), "code:ffff888012345678");  // named by AddressNames
  EXPECT_EQ(printed(R"("%lx", REC->second >> 4)", address), "first=0 second=code:ffff888012345678 name=eth0");
}

TEST(PrintText, lists_the_fields_where_the_format_cannot_be_followed) {
  const std::string listed = "first=1 second=2 name=eth0";
  for (const auto* print : {R"("%*d", 3, REC->first)", R"("%d", some_function(REC->first))",
                            R"("%d %d", REC->first)", R"("%d", REC->missing)", R"("%)", "nothing"}) {
    EXPECT_EQ(printed(print, record(1, 2)), listed) << print;
  }
}

TEST(PrintText, lists_the_fields_where_a_format_has_more_operators_than_can_be_followed) {
  for (const std::string& link : {std::string(" + REC->first"), std::string(".a"), std::string("[0]")}) {
    std::string print = R"("%d", REC->first)";
    for (int i = 0; i < 200'000; ++i) print += link;
    EXPECT_EQ(printed(print, record(1, 2)), "first=1 second=2 name=eth0") << link;
  }
  std::string print = R"("%d", REC->first)";
  for (int i = 0; i < 1'000; ++i) print += " + 1";
  EXPECT_EQ(printed(print, record(1, 2)), "1001");
}

TEST(PrintText, lists_the_fields_that_are_there_where_the_record_is_short) {
  EXPECT_EQ(printed(R"("%d %s", REC->first, REC->name)", RecordMaker(600).put(8, 1)), "first=1");
}

}  // namespace
}  // namespace netperfd::trace::test
