// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/event_fields.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tests/unit/trace/ring/kernel_text.hpp"
#include "tests/unit/trace/ring/recorded_ring.hpp"

namespace netperfd::trace {
namespace {

using test::EchoedNames;
using test::recorded_ring;
using test::RecordedRing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kData = 0xFFFF'8881'02AF'0100;    // in the kernel's direct map of all memory
constexpr std::uint64_t kCode = 0xFFFF'FFFF'8149'AB1A;    // in the kernel's image
constexpr std::uint64_t kModule = 0xFFFF'FFFF'C012'3458;  // in a module
constexpr std::uint64_t kFiveLevels = 0xFF11'0000'1234'5678;

std::uint16_t common_type(std::span<const std::byte> record) {
  std::uint16_t type = 0;
  std::memcpy(&type, record.data(), sizeof type);
  return type;
}

// A format with one field at offset 8, decoded from a record with these bytes after the common fields.
EventField decoded(const std::string& field, std::vector<std::byte> bytes, const std::string& print = "\"\"",
                   const AddressNames& names = EchoedNames()) {
  const auto format = parse_event_format(
      fmt::format("name: made\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                  "\tfield:{}\n\nprint fmt: {}\n",
                  field, print));
  EXPECT_TRUE(format) << format.error().message;
  bytes.insert(bytes.begin(), 8, std::byte{0});
  const std::vector<EventField> fields = decode_fields(format.value_or(EventFormat{}), bytes, names);
  return fields.empty() ? EventField{} : fields.front();
}

template <class... Numbers>
std::vector<std::byte> bytes_of(Numbers... numbers) {
  std::vector<std::byte> bytes;
  const auto add = [&](auto number) {
    const auto its = std::as_bytes(std::span(&number, 1));
    bytes.insert(bytes.end(), its.begin(), its.end());
  };
  (add(numbers), ...);
  return bytes;
}

std::vector<std::byte> bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string shown(const EventField& field) {
  return test::shown(field);
}

// Everything of the field that a user can see.
std::string everything(const EventField& field) {
  return test::plain(field) + " " + field.text;
}

TEST(EventFields, have_the_values_that_the_kernel_prints) {
  const RecordedRing ring = recorded_ring("traffic");
  const std::map<std::uint32_t, EventFormat> formats = test::recorded_formats();
  test::KernelText kernel;
  std::map<std::string, std::size_t> compared;
  for (const auto& [number, cpu] : ring.cpus) {
    auto line = cpu.lines.begin();
    for (const auto subbuffer : ring.subbuffers(number)) {
      SubbufferWalk walk(subbuffer, ring.layout);
      for (RawRecord record; walk.next(record); ++line) {
        ASSERT_NE(line, cpu.lines.end());
        const auto format = formats.find(common_type(record.data));
        ASSERT_NE(format, formats.end());
        EXPECT_EQ(format->second.name, line->event);
        if (line->event == "kernel_stack") {
          EXPECT_EQ(kernel.compare_stack(format->second, record.data, line->text), "");
        } else {
          const auto fields = decode_fields(format->second, record.data, EchoedNames());
          EXPECT_EQ(fields.size(), format->second.fields.size());
          EXPECT_EQ(kernel.compare(format->second, fields, line->text), "")
              << line->event << ": " << line->text;
        }
        ++compared[line->event];
      }
    }
    EXPECT_EQ(line, cpu.lines.end());
  }
  for (const char* event :
       {"kfree_skb", "consume_skb", "net_dev_start_xmit", "sched_switch", "inet_sock_set_state", "tcp_probe",
        "fib_table_lookup", "sys_enter", "print", "kernel_stack"}) {
    EXPECT_GT(compared[event], 0U) << event;
  }
  EXPECT_GT(kernel.values_compared(), 2000U);
}

TEST(EventFields, are_the_lines_of_trace_marker) {
  const EventFormat format = test::recorded_format("ftrace/print");
  for (const char* name : {"losses", "losses_uncounted", "large"}) {
    const RecordedRing ring = recorded_ring(name);
    for (const auto& [number, cpu] : ring.cpus) {
      auto line = cpu.lines.begin();
      for (const auto subbuffer : ring.subbuffers(number)) {
        SubbufferWalk walk(subbuffer, ring.layout);
        for (RawRecord record; walk.next(record); ++line) {
          const auto fields = decode_fields(format, record.data, EchoedNames());
          ASSERT_EQ(fields.size(), 2U);
          EXPECT_THAT(shown(fields[0]), HasSubstr("code:ffffffff"));
          EXPECT_EQ(shown(fields[1]), line->text);
        }
      }
    }
  }
}

TEST(EventFields, keep_their_sign_and_all_64_bits) {
  EXPECT_EQ(
      std::get<std::int64_t>(decoded("s8 x;offset:8;size:1;signed:1;", bytes_of(std::int8_t{-7})).value), -7);
  EXPECT_EQ(std::get<std::int64_t>(decoded("int x;offset:8;size:4;signed:1;", bytes_of(-70'000)).value),
            -70'000);
  EXPECT_EQ(
      std::get<std::int64_t>(decoded("s64 x;offset:8;size:8;signed:1;", bytes_of(std::int64_t{-5})).value),
      -5);
  EXPECT_EQ(
      std::get<std::int64_t>(decoded("s64 x;offset:8;size:8;signed:1;", bytes_of(-3'000'000'000L)).value),
      -3'000'000'000L);
  EXPECT_EQ(std::get<std::uint64_t>(decoded("u32 x;offset:8;size:4;signed:0;", bytes_of(0xFFFF'FFFEU)).value),
            0xFFFF'FFFEU);
  EXPECT_EQ(std::get<std::uint64_t>(
                decoded("u64 x;offset:8;size:8;signed:0;", bytes_of(0x7FFF'0000'0000'0001UL)).value),
            0x7FFF'0000'0000'0001U);
  EXPECT_EQ(std::get<std::uint64_t>(decoded("u64 x;offset:8;size:8;signed:0;", bytes_of(~0UL)).value), ~0UL);
}

TEST(EventFields, are_left_out_where_their_bytes_are_missing) {
  EXPECT_EQ(decoded("u64 x;offset:8;size:8;signed:0;", bytes_of(1U)).name, "");
  EXPECT_EQ(decoded("char x[16];offset:8;size:16;signed:0;", bytes_of(1U)).name, "");
  EXPECT_EQ(decoded("__data_loc char[] x;offset:8;size:4;signed:0;", bytes_of(0x0004'000DU)).name, "");
  EXPECT_EQ(decoded("__data_loc char[] x;offset:8;size:4;signed:0;", bytes_of(0x0000'000CU)).name, "x");
}

TEST(EventFields, of_arrays_show_no_address_of_a_program_and_none_of_the_kernel_in_halves) {
  EXPECT_EQ(shown(decoded("unsigned long args[3];offset:8;size:24;signed:0;",
                          bytes_of(0x7FFD'1234'5678UL, 0x55AA'0000'1000UL, 4096UL))),
            "[data:7ffd12345678, data:55aa00001000, 4096]");
  EXPECT_EQ(shown(decoded("long args[2];offset:8;size:16;signed:1;", bytes_of(0x7FFD'1234'5678L, -14L))),
            "[data:7ffd12345678, -14]");
  const auto halves = [](std::uint64_t address) {
    return shown(decoded(
        "int x[3];offset:8;size:12;signed:1;",
        bytes_of(7, static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32U))));
  };
  EXPECT_EQ(halves(kData), "data:ffff888102af0100");
  EXPECT_EQ(halves(kCode), "data:ffffffff8149ab1a");
  EXPECT_EQ(shown(decoded("int x[4];offset:8;size:16;signed:1;", bytes_of(-1, -2, -4000, 5))),
            "[-1, -2, -4000, 5]");
}

TEST(EventFields, of_arrays_are_lists) {
  EXPECT_EQ(shown(decoded("int x[2];offset:8;size:8;signed:1;", bytes_of(1, -2))), "[1, -2]");
  EXPECT_EQ(shown(decoded("__data_loc u16[] x;offset:8;size:4;signed:0;",
                          bytes_of(0x0004'000CU, std::uint16_t{7}, std::uint16_t{65535}))),
            "[7, 65535]");
  EXPECT_EQ(shown(decoded("unsigned long x[];offset:8;size:0;signed:0;", bytes_of(5UL, 6UL))), "[5, 6]");
  EXPECT_EQ(shown(decoded("__u8 x[4];offset:8;size:4;signed:0;", bytes_of(0x0401'020AU))), "0a020104");
  const std::string many =
      shown(decoded("u8 x[4000];offset:8;size:4000;signed:0;", std::vector<std::byte>(4000)));
  EXPECT_EQ(many.size(), 2 * 256 + 3);
}

TEST(EventFields, of_networks_look_as_the_kernel_prints_them) {
  const auto as = [](const char* conversion, unsigned size, std::vector<std::byte> bytes) {
    return shown(decoded(fmt::format("__u8 x[{}];offset:8;size:{};signed:0;", size, size), std::move(bytes),
                         fmt::format("\"{}\", REC->x", conversion)));
  };
  EXPECT_EQ(as("%pI4", 4, bytes_of(0x0200'000AU)), "10.0.0.2");
  EXPECT_EQ(as("%pI6c", 16, bytes_of(0xFDU, 0U, 0U, 0x0200'0000U)), "fd00::2");
  EXPECT_EQ(as("%pM", 6, bytes_of(std::uint16_t{0x0102}, 0xFFEE'DDCCU)), "02:01:cc:dd:ee:ff");
  EXPECT_EQ(as("%pISpc", 28, bytes_of(std::uint16_t{2}, std::uint16_t{0x5114}, 0x0200'000AU, 0UL, 0UL, 0U)),
            "10.0.0.2:5201");
  EXPECT_EQ(as("%pU", 16, bytes_of(0x0302'0100U, 0x0706'0504U, 0x0B0A'0908U, 0x0F0E'0D0CU)),
            "00010203-0405-0607-0809-0a0b0c0d0e0f");
  EXPECT_EQ(as("%pI4", 6, bytes_of(std::uint16_t{1}, 2U)), "010002000000");  // wrong size: shown as bytes
}

TEST(EventFields, of_cpu_masks_are_words_of_bits) {
  EXPECT_EQ(shown(decoded("__data_loc cpumask_t x;offset:8;size:4;signed:0;", bytes_of(0x0008'000CU, 5UL))),
            "00000000,00000005");
}

TEST(EventFields, of_text_are_one_printable_line) {
  const auto text = [](std::string_view bytes) {
    return shown(decoded("char x[];offset:8;size:0;signed:0;", bytes_of_text(bytes)));
  };
  EXPECT_EQ(text("plain"), "plain");
  EXPECT_EQ(text(std::string_view("up to\0here", 10)), "up to");
  EXPECT_EQ(text("Ümläut\n"), "Ümläut");
  EXPECT_EQ(text("a\tb\x1b[31mc\nd\n"), "a?b?[31mc?d");
  EXPECT_EQ(text("bad \xC3 \xED\xA0\x80 \xFF end \xC3"), "bad ? ??? ? end ?");
}

TEST(EventFields, with_names_keep_their_number) {
  const EventField field = decoded("unsigned int x;offset:8;size:4;signed:0;", bytes_of(3U),
                                   "\"%s\", __print_symbolic(REC->x, { 3, \"NO_SOCKET\" })");
  EXPECT_EQ(std::get<std::uint64_t>(field.value), 3U);
  EXPECT_EQ(field.text, "NO_SOCKET");
}

TEST(NameOfValue, is_the_kernels_text) {
  FieldFormat symbolic;
  symbolic.size = 4;
  EXPECT_EQ(name_of_value(symbolic, 1), "");
  symbolic.look = FieldLook::symbolic;
  symbolic.names = {{1, "ONE"}, {2, "TWO"}, {1, "UNO"}};
  EXPECT_EQ(name_of_value(symbolic, 1), "ONE");
  EXPECT_EQ(name_of_value(symbolic, 18), "0x12");

  FieldFormat flags = symbolic;
  flags.look = FieldLook::flags;
  flags.separator = "|";
  flags.names = {{3, "BOTH"}, {1, "PSH"}, {4, "ACK"}};
  EXPECT_EQ(name_of_value(flags, 5), "PSH|ACK");
  EXPECT_EQ(name_of_value(flags, 7), "BOTH|ACK");
  EXPECT_EQ(name_of_value(flags, 0x14), "ACK|0x10");
  EXPECT_EQ(name_of_value(flags, 0x12), "0x12");
  EXPECT_EQ(name_of_value(flags, 0), "");

  const FieldFormat state = *test::recorded_format("sched/sched_switch").field("prev_state");
  EXPECT_EQ(name_of_value(state, 0), "R");
  EXPECT_EQ(name_of_value(state, 0x100), "R+");
  EXPECT_EQ(name_of_value(state, 2), "D");
  EXPECT_EQ(name_of_value(state, 0x81), "S|I");
}

TEST(NameOfValue, of_a_negative_number_is_found) {
  FieldFormat field;
  field.size = 4;
  field.is_signed = true;
  field.look = FieldLook::symbolic;
  field.names = {{~std::uint64_t{0}, "NONE"}};
  EXPECT_EQ(name_of_value(field, ~std::uint64_t{0}), "NONE");
}

// ------------------------------------------------------------ no address leaves

TEST(EventFields, show_pointers_as_tokens_and_code_by_name) {
  EXPECT_EQ(shown(decoded("void * x;offset:8;size:8;signed:0;", bytes_of(kData))), "data:ffff888102af0100");
  EXPECT_EQ(shown(decoded("void * x;offset:8;size:8;signed:0;", bytes_of(kCode), "\"%pS\", REC->x")),
            "code:ffffffff8149ab1a");
  EXPECT_EQ(shown(decoded("void * x;offset:8;size:8;signed:0;", bytes_of(0x7FFF'1234'5678UL))),
            "data:7fff12345678");
  EXPECT_EQ(std::get<std::uint64_t>(decoded("void * x;offset:8;size:8;signed:0;", bytes_of(0UL)).value), 0U);
  EXPECT_EQ(std::get<std::uint64_t>(decoded("void * x;offset:8;size:8;signed:0;", bytes_of(-22L)).value),
            static_cast<std::uint64_t>(-22L));
}

class HiddenNames final : public AddressNames {
 public:
  [[nodiscard]] std::string code(std::uint64_t address) const override {
    return address == kCode || address == kModule ? "symbol" : token(address);
  }
  [[nodiscard]] std::string token(std::uint64_t) const override { return "token"; }
};

// Whether the text contains the address in any common notation of numbers or bytes.
bool shows(const std::string& text, std::uint64_t address) {
  std::string memory;
  for (unsigned i = 0; i < 8; ++i) memory += fmt::format("{:02x}", (address >> (i * 8)) & 0xFFU);
  const std::array<std::string, 7> forms{fmt::format("{:x}", address),
                                         fmt::format("{}", address),
                                         fmt::format("{}", static_cast<std::int64_t>(address)),
                                         memory,
                                         fmt::format("{}", address & 0xFFFF'FFFFU),
                                         fmt::format("{:x}", address & 0xFFFF'FFFFU),
                                         memory.substr(0, 8)};
  for (const std::string& form : forms) {
    if (text.find(form) != std::string::npos) return true;
  }
  return false;
}

TEST(EventFields, of_a_hostile_format_never_show_an_address) {
  constexpr std::array<const char*, 18> kFields{"u64 x;offset:8;size:8;signed:0;",
                                                "dev_t x;offset:8;size:8;signed:0;",
                                                "long x;offset:8;size:8;signed:1;",
                                                "void * x;offset:8;size:8;signed:0;",
                                                "void * x;offset:8;size:8;signed:1;",
                                                "unsigned long x[2];offset:8;size:16;signed:0;",
                                                "long x[2];offset:8;size:16;signed:1;",
                                                "unsigned long x[];offset:8;size:0;signed:0;",
                                                "u32 x[4];offset:8;size:16;signed:0;",
                                                "u16 x[8];offset:8;size:16;signed:0;",
                                                "u8 x[16];offset:8;size:16;signed:0;",
                                                "u8 x[13];offset:8;size:13;signed:0;",
                                                "struct s x;offset:8;size:16;signed:0;",
                                                "char x[16];offset:8;size:16;signed:0;",
                                                "__data_loc u64[] x;offset:24;size:4;signed:0;",
                                                "__data_loc u8[] x;offset:24;size:4;signed:0;",
                                                "__rel_loc char[] x;offset:28;size:4;signed:0;",
                                                "char x[];offset:8;size:0;signed:0;"};
  constexpr std::array<const char*, 10> kPrints{
      "\"\"",
      "\"%d\", REC->x",
      "\"%llx\", REC->x",
      "\"%p\", REC->x",
      "\"%pS\", REC->x",
      "\"%pI6c\", REC->x",
      "\"%pU\", REC->x",
      "\"%s\", __print_flags(REC->x, \"|\", { 1, \"A\" })",
      "\"%s\", __print_symbolic(REC->x, { 1, \"A\" })",
      "\"%s\", __print_flags(REC->x & 0xffffffffffff, \"\", { 1, \"A\" })"};
  for (const std::uint64_t address : {kData, kCode, kModule, kFiveLevels}) {
    for (const std::string field : kFields) {
      // With five levels of page tables only the upper byte is certain, which in plain bytes does not
      // indicate an address.
      const bool in_bytes = field.find("u8") != std::string::npos ||
                            field.find("char") != std::string::npos ||
                            field.find("struct") != std::string::npos ||
                            field.find("u16") != std::string::npos || field.find("u32") != std::string::npos;
      if (address == kFiveLevels && in_bytes) continue;
      for (const char* print : kPrints) {
        const auto record = bytes_of(address, address, 0x0010'0008U, 0x0010'FFE8U & 0xFFFF'0000U);
        const EventField result = decoded(field, record, print, HiddenNames());
        EXPECT_FALSE(shows(everything(result), address))
            << field << " " << print << ": " << everything(result);
      }
    }
  }
}

TEST(EventFields, of_a_signed_number_are_an_address_only_where_code_lies) {
  constexpr const char* kField = "s64 x;offset:8;size:8;signed:1;";
  const auto number = static_cast<std::int64_t>(kCode) + 1;  // HiddenNames knows no code at this address
  EXPECT_EQ(std::get<std::int64_t>(decoded(kField, bytes_of(number), "\"\"", HiddenNames()).value), number);
  EXPECT_EQ(shown(decoded(kField, bytes_of(kCode), "\"\"", HiddenNames())), "symbol");
  EXPECT_EQ(shown(decoded(kField, bytes_of(kData), "\"\"", HiddenNames())), "token");
}

TEST(EventFields, of_records_with_any_byte_wrong_are_still_text) {
  const std::map<std::uint32_t, EventFormat> formats = test::recorded_formats();
  const RecordedRing ring = recorded_ring("traffic");
  std::map<std::uint16_t, int> seen;
  for (const auto subbuffer : ring.subbuffers(ring.cpus.begin()->first)) {
    SubbufferWalk walk(subbuffer, ring.layout);
    for (RawRecord record; walk.next(record);) {
      if (++seen[common_type(record.data)] > 2) continue;
      const EventFormat& format = formats.at(common_type(record.data));
      for (std::size_t i = 0; i < record.data.size(); ++i) {
        std::vector<std::byte> wrong(record.data.begin(), record.data.end());
        wrong[i] ^= std::byte{0xFF};
        for (const EventField& field : decode_fields(format, wrong, EchoedNames())) {
          EXPECT_THAT(shown(field), Not(HasSubstr("\n")));
        }
        wrong.resize(i);
        EXPECT_LE(decode_fields(format, wrong, EchoedNames()).size(), format.fields.size());
      }
    }
  }
  EXPECT_GT(seen.size(), 8U);
}

}  // namespace
}  // namespace netperfd::trace
