// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/symbols.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/trace/ring/keyed_hash.hpp"

namespace netperfd::trace {
namespace {

using testing::MatchesRegex;

constexpr std::string_view kKallsymsText =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T _stext\n"
    "ffffffff81000000 T _text\n"
    "ffffffff810000f0 t __pfx_ip_rcv\n"
    "ffffffff81000100 T ip_rcv\n"
    "ffffffff81000200 W weak_one\n"
    "ffffffff81000300 w weaker_one\n"
    "ffffffff81000400 T _etext\n"
    "ffffffff81000800 R some_table\n"
    "ffffffff83000000 T _sinittext\n"
    "ffffffffc0a01000 t hsr_xmit\t[hsr]\n"
    "ffffffffc0a01800 d hsr_data\t[hsr]\n"
    "ffffffffc0a00000 t br_forward\t[bridge]\n";

TEST(Symbols, an_address_becomes_the_nearest_function_below_it) {
  const auto symbols = Symbols::parse(kKallsymsText, 1);
  EXPECT_EQ(symbols.code(0xffffffff81000100), "ip_rcv+0x0");
  EXPECT_EQ(symbols.code(0xffffffff8100011c), "ip_rcv+0x1c");
  EXPECT_EQ(symbols.code(0xffffffff810001ff), "ip_rcv+0xff");
  EXPECT_EQ(symbols.code(0xffffffff81000204), "weak_one+0x4");
  EXPECT_EQ(symbols.code(0xffffffff81000304), "weaker_one+0x4");
  EXPECT_EQ(symbols.function(0xffffffff8100011c), "ip_rcv");
}

TEST(Symbols, a_function_of_a_module_has_its_name_behind_it) {
  const auto symbols = Symbols::parse(kKallsymsText, 1);
  EXPECT_EQ(symbols.code(0xffffffffc0a01008), "hsr_xmit+0x8 [hsr]");
  EXPECT_EQ(symbols.code(0xffffffffc0a00008), "br_forward+0x8 [bridge]");
  EXPECT_EQ(symbols.function(0xffffffffc0a01008), "hsr_xmit");
}

TEST(Symbols, of_several_names_of_one_address_the_first_is_taken) {
  EXPECT_EQ(Symbols::parse(kKallsymsText, 1).function(0xffffffff81000010), "_stext");
}

TEST(Symbols, the_padding_before_a_function_belongs_to_the_one_below) {
  EXPECT_EQ(Symbols::parse(kKallsymsText, 1).code(0xffffffff810000f4), "_stext+0xf4");
}

TEST(Symbols, what_lies_in_no_known_code_is_a_token) {
  const auto symbols = Symbols::parse(kKallsymsText, 1);
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{0xffffffff80ffffff}, std::uint64_t{0xffffffff81000400},
        std::uint64_t{0xffffffff81000801}, std::uint64_t{0xffffffff83100000},
        std::uint64_t{0xffffffffc0a01801}, std::uint64_t{0xffff888012345678}, ~std::uint64_t{0}}) {
    EXPECT_THAT(symbols.code(address), MatchesRegex("p:[0-9a-f]{8}")) << fmt::format("{:x}", address);
    EXPECT_EQ(symbols.code(address), symbols.token(address));
    EXPECT_EQ(symbols.function(address), "");
  }
  EXPECT_EQ(symbols.code(0xffffffff830fffff), "_sinittext+0xfffff");
}

TEST(Symbols, data_between_functions_ends_the_code_wherever_it_stands_in_the_text) {
  const auto symbols =
      Symbols::parse("1000 d data_low\n5000 d data_high\n3000 t function\n6000 t another\n", 1);
  EXPECT_EQ(symbols.code(0x3010), "function+0x10");
  EXPECT_EQ(symbols.code(0x5010), symbols.token(0x5010));
  EXPECT_EQ(symbols.code(0x1010), symbols.token(0x1010));
  EXPECT_EQ(symbols.size(), 2U);
}

TEST(Symbols, addresses_that_a_reader_may_not_see_give_no_symbols) {
  const auto symbols = Symbols::parse("0000000000000000 T _text\n0000000000000000 T ip_rcv\n", 1);
  EXPECT_EQ(symbols.size(), 0U);
  EXPECT_EQ(symbols.code(0xffffffff81000100), symbols.token(0xffffffff81000100));
}

TEST(Symbols, lines_that_are_none_are_passed_over) {
  const auto symbols = Symbols::parse(
      "\n\nxyz T a\n1000\n1000 \n1000 T\n1000 T \n1000Tb\n12345678123456781 T too_long\n2000 T good\n3000 T "
      "last",
      1);
  EXPECT_EQ(symbols.size(), 2U);
  EXPECT_EQ(symbols.code(0x2001), "good+0x1");
  EXPECT_EQ(symbols.code(0x3001), "last+0x1");
  EXPECT_EQ(Symbols::parse("", 1).size(), 0U);
  EXPECT_EQ(Symbols::parse("4000 t open\t[hsr", 1).code(0x4000), "open+0x0");
}

// Profiles, stacks and texts contain these names, so each must be printable.
TEST(Symbols, with_names_that_are_not_printable_have_question_marks) {
  using namespace std::string_literals;
  const auto symbols = Symbols::parse("1000 t a\x1b]\0b\xff\t[m\x9b]\n2000 t c\t[m\x9b]\n"s, 1);
  EXPECT_EQ(symbols.code(0x1000), "a?]?b?+0x0 [m?]");
  EXPECT_EQ(symbols.code(0x2000), "c+0x0 [m?]");
  EXPECT_EQ(symbols.function(0x1000), "a?]?b?");
  EXPECT_EQ(Symbols::parse("1000 t gr\xc3\xb6\xc3\x9f"
                           "e\n",
                           1)
                .function(0x1000),
            "gr\xc3\xb6\xc3\x9f"
            "e");
}

TEST(Symbols, a_token_is_the_same_for_one_key_and_another_for_another) {
  const auto symbols = Symbols::parse("", 17);
  const auto others = Symbols::parse("", 18);
  EXPECT_EQ(symbols.token(0xffff888012345678), Symbols::parse(kKallsymsText, 17).token(0xffff888012345678));
  EXPECT_NE(symbols.token(0xffff888012345678), others.token(0xffff888012345678));
  EXPECT_NE(symbols.token(0xffff888012345678), symbols.token(0xffff888012345679));
}

// The test vector for eight bytes of input in the paper's reference: key 00..0f, input 00..07.
TEST(KeyedHash, is_siphash_2_4) {
  EXPECT_EQ(keyed_hash(0x0706050403020100, {0x0706050403020100, 0x0f0e0d0c0b0a0908}), 0x93f5f5799a932462);
}

TEST(Symbols, the_running_kernel_is_found_in_any_order) {
  const auto text = read_file("/proc/kallsyms", 64 << 20);
  if (!text) {
    FAIL() << text.error().message;
  }
  const auto symbols = Symbols::load("/proc/kallsyms", 1);
  if (!symbols) {
    FAIL() << symbols.error().message;
  }
  EXPECT_GT(symbols->size(), 10'000U) << "run this test as root";
  std::string even;
  std::string odd;
  std::vector<std::uint64_t> addresses;
  std::istringstream lines(*text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    (number % 2 == 0 ? even : odd) += line + "\n";
    if (number % 97 == 0) addresses.push_back(std::stoull(line, nullptr, 16) + 5);
  }
  const auto shuffled = Symbols::parse(odd + even, 1);
  ASSERT_EQ(shuffled.size(), symbols->size());
  std::size_t known = 0;
  for (const auto address : addresses) {
    // The order of two names of one address may vary, but not whether it is code.
    EXPECT_EQ(shuffled.function(address).empty(), symbols->function(address).empty());
    known += symbols->function(address).empty() ? 0 : 1;
  }
  EXPECT_GT(known, addresses.size() / 4);
}

TEST(Symbols, a_file_is_read_across_the_ends_of_pieces) {
  const Fd file(::memfd_create("kallsyms", MFD_CLOEXEC));
  ASSERT_TRUE(file);
  std::string text;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    text +=
        fmt::format("{:016x} t function_number_{}\t[module_{}]\n", 0xffffffffc0000000 + 16 * i, i, i / 1000);
  }
  ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  const auto symbols = Symbols::load(fmt::format("/proc/self/fd/{}", file.get()), 1);
  if (!symbols) {
    FAIL() << symbols.error().message;
  }
  ASSERT_EQ(symbols->size(), 200'000U);
  for (std::uint64_t i = 0; i < 200'000; i += 501) {
    EXPECT_EQ(symbols->code(0xffffffffc0000003 + 16 * i),
              fmt::format("function_number_{}+0x3 [module_{}]", i, i / 1000));
  }
}

TEST(Symbols, a_file_that_cannot_be_read_is_an_error) {
  const auto missing = Symbols::load("/proc/no/such/file", 1);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("/proc/no/such/file"));
  EXPECT_FALSE(Symbols::load("/dev/zero", 1)) << "a line without an end";
}

}  // namespace
}  // namespace netperfd::trace
