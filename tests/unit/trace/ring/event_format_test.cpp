// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/event_format.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "tests/unit/trace/ring/recorded_ring.hpp"

namespace netperfd::trace {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// A format with these field lines, "TYPE NAME;offset:8;size:4;signed:0;", and this print format.
EventFormat made(std::string_view fields, std::string_view print = "\"\"") {
  std::string text = "name: made\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
  while (!fields.empty()) {
    const std::size_t end = std::min(fields.find('\n'), fields.size());
    text += fmt::format("\tfield:{}\n", fields.substr(0, end));
    fields.remove_prefix(std::min(end + 1, fields.size()));
  }
  auto format = parse_event_format(text + "\nprint fmt: " + std::string(print) + "\n");
  EXPECT_TRUE(format) << format.error().message;
  return format.value_or(EventFormat{});
}

// The field x of 4 bytes, shown by this argument of the print format.
FieldFormat shown(std::string_view argument, std::string_view conversion = "%s") {
  return made("int x;offset:8;size:4;signed:1;", fmt::format("\"x={}\", {}", conversion, argument))
      .fields.at(0);
}

TEST(EventFormat, has_the_name_number_and_fields_of_the_file) {
  const EventFormat format = test::recorded_format("skb/kfree_skb");
  EXPECT_EQ(format.name, "kfree_skb");
  EXPECT_GT(format.id, 0U);
  ASSERT_EQ(format.common.size(), 4U);
  EXPECT_EQ(format.common[3].name, "common_pid");
  EXPECT_TRUE(format.common[3].is_signed);
  ASSERT_EQ(format.fields.size(), 5U);
  EXPECT_EQ(format.fields[0].type, "void *");
  EXPECT_EQ(format.fields[3].type, "unsigned short");
  EXPECT_EQ(format.fields[3].offset, 32U);
  EXPECT_EQ(format.fields[3].size, 2U);
  EXPECT_THAT(format.print, HasSubstr("location=%pS"));
  EXPECT_EQ(format.field("reason"), &format.fields[4]);
  EXPECT_EQ(format.field("common_pid"), &format.common[3]);
  EXPECT_EQ(format.field("absent"), nullptr);
}

TEST(EventFormat, takes_looks_and_names_from_the_print_format) {
  const EventFormat format = test::recorded_format("skb/kfree_skb");
  EXPECT_EQ(format.field("skbaddr")->look, FieldLook::address);
  EXPECT_EQ(format.field("location")->look, FieldLook::symbol);
  EXPECT_EQ(format.field("protocol")->look, FieldLook::plain);
  const FieldFormat& reason = *format.field("reason");
  EXPECT_EQ(reason.type, "enum skb_drop_reason");
  EXPECT_EQ(reason.look, FieldLook::symbolic);
  ASSERT_GE(reason.names.size(), 2U);
  EXPECT_THAT(reason.names[1], Pair(3U, "NO_SOCKET"));
}

TEST(EventFormat, knows_the_numbers_of_tcp_states_that_the_kernel_left_out) {
  const FieldFormat state = *test::recorded_format("tcp/tcp_retransmit_skb").field("state");
  ASSERT_EQ(state.names.size(), 12U);
  EXPECT_THAT(state.names.front(), Pair(1U, "TCP_ESTABLISHED"));
  EXPECT_THAT(state.names.back(), Pair(12U, "TCP_NEW_SYN_RECV"));
}

TEST(EventFormat, reads_the_state_of_a_task_as_names_of_some_of_its_bits) {
  const FieldFormat state = *test::recorded_format("sched/sched_switch").field("prev_state");
  EXPECT_EQ(state.look, FieldLook::flags);
  EXPECT_EQ(state.separator, "|");
  EXPECT_EQ(state.mask, 0xFFU);
  EXPECT_THAT(state.names.front(), Pair(1U, "S"));
  EXPECT_THAT(state.names.back(), Pair(0U, "R"));
  EXPECT_THAT(state.marks, ElementsAre(Pair(0x100U, "+")));
}

TEST(EventFormat, tells_the_kinds_of_fields_apart) {
  const EventFormat format = made(
      "char comm[16];offset:8;size:16;signed:0;\n"
      "unsigned long caller[8];offset:24;size:64;signed:0;\n"
      "__data_loc char[] name;offset:88;size:4;signed:0;\n"
      "__rel_loc u16[] ports;offset:92;size:4;signed:0;\n"
      "__data_loc cpumask_t cpus;offset:96;size:4;signed:0;\n"
      "char buf[];offset:100;size:0;signed:0;\n"
      "__u8 saddr[4];offset:100;size:4;signed:0;\n"
      "const char *const * argv;offset:104;size:8;signed:0;\n"
      "dev_t dev;offset:112;size:4;signed:0;\n"
      "struct thing whole;offset:116;size:24;signed:0;\n"
      "char sign;offset:140;size:1;signed:1;\n"
      "int pair[TWO];offset:144;size:8;signed:1;");
  const auto kind = [&](std::string_view name) { return format.field(name)->kind; };
  EXPECT_EQ(kind("comm"), FieldKind::text);
  EXPECT_EQ(kind("caller"), FieldKind::array);
  EXPECT_EQ(format.field("caller")->element_size, 8U);
  EXPECT_EQ(format.field("caller")->type, "unsigned long[8]");
  EXPECT_EQ(kind("name"), FieldKind::data_loc);
  EXPECT_TRUE(format.field("name")->is_text);
  EXPECT_EQ(format.field("name")->element_size, 1U);
  EXPECT_EQ(kind("ports"), FieldKind::rel_loc);
  EXPECT_EQ(format.field("ports")->element_size, 2U);
  EXPECT_EQ(format.field("cpus")->look, FieldLook::bitmask);
  EXPECT_EQ(kind("buf"), FieldKind::text);
  EXPECT_EQ(format.field("buf")->size, 0U);
  EXPECT_EQ(kind("saddr"), FieldKind::array);
  EXPECT_EQ(format.field("saddr")->element_size, 1U);
  EXPECT_EQ(kind("argv"), FieldKind::number);
  EXPECT_EQ(format.field("argv")->type, "const char *const *");
  EXPECT_EQ(kind("dev"), FieldKind::number);
  EXPECT_EQ(kind("whole"), FieldKind::array);
  EXPECT_EQ(kind("sign"), FieldKind::number);
  EXPECT_EQ(format.field("pair")->element_size, 4U);
}

TEST(PrintFormat, names_values_through_casts_and_brackets) {
  for (const char* argument :
       {"__print_symbolic(REC->x, { 1, \"A\" }, { 0x2, \"B\" })",
        "__print_symbolic((unsigned long)(REC->x), {(1), \"A\"}, {((u32)(1UL) << 1), \"B\"})",
        "__print_symbolic( ( int ) REC->x , { 3 - 2, \"A\" } , { ~0xfffffffffffffffdULL , \"B\" })",
        "1 ? __print_symbolic(REC->x, {1, \"A\"}, {2, \"B\"}) : \"\""}) {
    const FieldFormat field = shown(argument);
    EXPECT_EQ(field.look, FieldLook::symbolic) << argument;
    EXPECT_THAT(field.names, ElementsAre(Pair(1U, "A"), Pair(2U, "B"))) << argument;
  }
}

TEST(PrintFormat, names_the_bits_of_flags) {
  const FieldFormat field =
      shown("__print_flags(REC->x, \" | \", {(1 << 0) | (1 << 4), \"BOTH\"}, {010, \"EIGHT\"})");
  EXPECT_EQ(field.look, FieldLook::flags);
  EXPECT_EQ(field.separator, " | ");
  EXPECT_THAT(field.names, ElementsAre(Pair(0x11U, "BOTH"), Pair(8U, "EIGHT")));
}

TEST(PrintFormat, leaves_out_names_without_a_number) {
  EXPECT_THAT(shown("__print_symbolic(REC->x, { SOME_ENUM, \"A\" }, { 2, \"B\" })").names,
              ElementsAre(Pair(2U, "B")));
  EXPECT_EQ(shown("__print_symbolic(REC->x, { SOME_ENUM, \"A\" })").look, FieldLook::plain);
}

TEST(PrintFormat, gives_each_conversion_its_argument) {
  const EventFormat format = made(
      "u64 a;offset:8;size:8;signed:0;\nu64 b;offset:16;size:8;signed:0;\nu64 c;offset:24;size:8;signed:0;\n"
      "u64 d;offset:32;size:8;signed:0;",
      R"("100%% \"%s\" %-*d %08llx" " %pS, %.*s %p", f(1, "a,b(%x"), 3, REC->a, REC->b, (void *)REC->c, 9, "z", REC->d)");
  EXPECT_EQ(format.field("a")->look, FieldLook::plain);
  EXPECT_EQ(format.field("b")->look, FieldLook::hex);
  EXPECT_EQ(format.field("c")->look, FieldLook::symbol);
  EXPECT_EQ(format.field("d")->look, FieldLook::address);
}

TEST(PrintFormat, knows_what_the_kernels_pointers_point_to) {
  constexpr std::array<std::pair<const char*, FieldLook>, 13> kLooks{{{"%p", FieldLook::address},
                                                                      {"%px", FieldLook::address},
                                                                      {"%ps", FieldLook::symbol},
                                                                      {"%pF", FieldLook::symbol},
                                                                      {"%pf", FieldLook::symbol},
                                                                      {"%pSR", FieldLook::symbol},
                                                                      {"%pI4", FieldLook::ipv4},
                                                                      {"%pI6", FieldLook::ipv6},
                                                                      {"%pI6c", FieldLook::ipv6},
                                                                      {"%pISpc", FieldLook::socket},
                                                                      {"%pM", FieldLook::mac},
                                                                      {"%pUb", FieldLook::uuid},
                                                                      {"%pUl", FieldLook::plain}}};
  for (const auto& [conversion, look] : kLooks)
    EXPECT_EQ(shown("REC->x", conversion).look, look) << conversion;
}

TEST(PrintFormat, that_cannot_be_followed_leaves_the_field_plain) {
  const std::string deep = std::string(100'000, '(') + "REC->x" + std::string(100'000, ')');
  for (const std::string& argument :
       {std::string("({ int y = REC->x; y; })"), std::string("REC->x +"), std::string("f(REC->x"),
        std::string(""), std::string("__print_symbolic(REC->x)"), std::string("__print_flags(REC->x)"),
        std::string("__print_symbolic(REC->y, {1, \"A\"})"), std::string("\"unclosed"), deep,
        std::string(100'000, '-') + "REC->x", "REC->x" + std::string(100'000, '[')}) {
    const FieldFormat field = shown(argument);
    EXPECT_EQ(field.look, FieldLook::plain) << argument.substr(0, 40);
    EXPECT_THAT(field.names, IsEmpty()) << argument.substr(0, 40);
  }
  EXPECT_EQ(made("int x;offset:8;size:4;signed:1;", "REC->x").fields[0].look, FieldLook::plain);
}

TEST(EventFormat, of_other_text_is_refused_with_the_line) {
  const auto message = [](std::string_view text) {
    const auto format = parse_event_format(text);
    EXPECT_FALSE(format) << text;
    return format ? std::string() : format.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("without a name and an ID"));
  EXPECT_THAT(message("name: a\n"), HasSubstr("without a name and an ID"));
  EXPECT_THAT(message("name: a\nID: x\n"), HasSubstr("line 2: the ID is no number"));
  EXPECT_THAT(message("name: a\nID: 1\nsome text\n"), HasSubstr("line 3"));
  for (const char* field : {"int a;", "int a;\toffset:1;", "int a;\toffset:1;\tsize:x;",
                            "int;\toffset:1;\tsize:4;", "offset:1;size:4;", "int a];\toffset:1;\tsize:4;",
                            "int a;\toffset:-1;\tsize:4;", "int a;\toffset:99999999999;\tsize:4;"}) {
    EXPECT_THAT(message(fmt::format("name: a\nID: 1\nformat:\n\tfield:{}\n", field)), HasSubstr("line 4"))
        << field;
  }
}

// Names of fields and of their values become text in a record.
TEST(EventFormat, that_is_not_printable_is_refused) {
  constexpr std::string_view kText =
      "name: a\nID: 1\nformat:\n\tfield:int b;\toffset:8;\tsize:4;\tsigned:1;\n\n"
      "print fmt: \"%s\", __print_symbolic(REC->b, { 1, \"ONE\" })\n";
  ASSERT_TRUE(parse_event_format(kText));
  for (const char wrong : {'\x1b', '\x7f', '\xff', '\0'}) {
    std::string text(kText);
    text[text.find("ONE")] = wrong;
    const auto format = parse_event_format(text);
    ASSERT_FALSE(format);
    EXPECT_THAT(format.error().message, HasSubstr("not printable"));
  }
}

TEST(ReadNumber, extends_the_sign_of_signed_fields_only) {
  const std::array<std::byte, 8> record{std::byte{0xFE}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF},
                                        std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}};
  for (const std::uint32_t size : {1U, 2U, 4U, 8U}) {
    FieldFormat field;
    field.size = size;
    EXPECT_EQ(read_number(record, field).value, (~std::uint64_t{0} >> (64 - size * 8)) - 1) << size;
    field.is_signed = true;
    EXPECT_EQ(static_cast<std::int64_t>(read_number(record, field).value), -2) << size;
    field.offset = 8 - size + 1;
    EXPECT_FALSE(read_number(record, field).valid) << size;
  }
  FieldFormat odd;
  odd.size = 3;
  EXPECT_FALSE(read_number(record, odd).valid);
  FieldFormat far;
  far.size = 4;
  far.offset = 0xFFFF'FFFF;
  EXPECT_FALSE(read_number(record, far).valid);
}

TEST(ReadBytes, finds_dynamic_fields_by_their_offset_and_never_outside) {
  std::array<std::byte, 16> record{};
  FieldFormat field;
  field.size = 4;
  field.offset = 4;
  const auto locate = [&](FieldKind kind, unsigned size, unsigned offset) {
    record[4] = std::byte(offset);
    record[6] = std::byte(size);
    field.kind = kind;
    const auto bytes = read_bytes(record, field);
    return bytes.data() == nullptr ? std::string("none")
                                   : fmt::format("{}+{}", bytes.data() - record.data(), bytes.size());
  };
  EXPECT_EQ(locate(FieldKind::data_loc, 4, 12), "12+4");
  EXPECT_EQ(locate(FieldKind::data_loc, 0, 16), "16+0");
  EXPECT_EQ(locate(FieldKind::data_loc, 5, 12), "none");
  EXPECT_EQ(locate(FieldKind::data_loc, 0, 17), "none");
  EXPECT_EQ(locate(FieldKind::rel_loc, 4, 4), "12+4");
  EXPECT_EQ(locate(FieldKind::rel_loc, 4, 5), "none");
  field.offset = 13;
  EXPECT_EQ(locate(FieldKind::data_loc, 0, 0), "none");
}

// Every format of the running kernel. Names may be missing only if the kernel gives numbers for none of them,
// or shows a value computed from the field; the list names these cases.
TEST(EventFormat, of_every_event_of_this_kernel_is_understood) {
  const fs::path events = "/sys/kernel/tracing/events";
  std::error_code error;
  if (!fs::exists(events / "header_page", error))
    GTEST_SKIP() << "tracefs is not mounted at /sys/kernel/tracing";
  std::size_t formats = 0;
  std::size_t named = 0;
  std::set<std::string> unnamed;
  for (const fs::directory_entry& system : fs::directory_iterator(events)) {
    if (!system.is_directory()) continue;
    for (const fs::directory_entry& event : fs::directory_iterator(system)) {
      std::ifstream file(event.path() / "format");
      if (!file) continue;  // "enable", "filter", or an event that was removed in the meantime
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      if (text.empty()) continue;
      ++formats;
      const auto format = parse_event_format(text);
      ASSERT_TRUE(format) << event.path() << ": " << format.error().message;
      EXPECT_EQ(format->name, event.path().filename().string());
      EXPECT_EQ(format->common.size(), 4U) << event.path();
      for (const FieldFormat& field : format->fields) {
        EXPECT_GE(field.offset, 8U) << event.path() << " " << field.name;
        EXPECT_LE(field.offset + field.size, 4096U) << event.path() << " " << field.name;
        EXPECT_FALSE(field.type.empty()) << event.path() << " " << field.name;
        EXPECT_TRUE(field.kind == FieldKind::number || field.element_size > 0)
            << event.path() << " " << field.name;
      }
      if (text.find("__print_symbolic(REC->") == std::string::npos) continue;
      const bool found =
          std::ranges::any_of(format->fields, [](const FieldFormat& f) { return !f.names.empty(); });
      if (found) {
        ++named;
      } else {
        unnamed.insert(format->name);
      }
    }
  }
  EXPECT_GT(formats, 100U);
  EXPECT_GT(named, 10U);
  RecordProperty("formats", static_cast<int>(formats));
  RecordProperty("with_names", static_cast<int>(named));
  for (const std::string& name : unnamed) {
    EXPECT_TRUE(name.starts_with("kvm_") || name.starts_with("dev_pm_qos_") || name.starts_with("pm_qos_") ||
                name.ends_with("_ref_head") || name == "hrtimer_start")
        << name;
  }
}

}  // namespace
}  // namespace netperfd::trace
