// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/qdisc_options.hpp"

#include <gmock/gmock.h>
#include <libmnl/libmnl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace netperfd::counters {
namespace {

// An attribute as the kernel puts it into an answer.
class Options {
 public:
  explicit Options(const std::function<void(nlmsghdr*)>& put) {
    nlmsghdr* message = mnl_nlmsg_put_header(bytes_.data());
    nlattr* nest = mnl_attr_nest_start(message, kOptions);
    put(message);
    mnl_attr_nest_end(message, nest);
    options_ = nest;
  }
  explicit Options(std::string_view plain) {
    nlmsghdr* message = mnl_nlmsg_put_header(bytes_.data());
    options_ = static_cast<nlattr*>(mnl_nlmsg_get_payload_tail(message));
    mnl_attr_put(message, kOptions, plain.size(), plain.data());
  }
  [[nodiscard]] std::string words(std::string_view kind) const { return qdisc_option_words(kind, options_); }

 private:
  static constexpr std::uint16_t kOptions = 2;  // TCA_OPTIONS
  alignas(8) std::array<char, 4096> bytes_{};
  const nlattr* options_ = nullptr;
};

TEST(QdiscOptions, of_a_list_have_names_and_units) {
  const Options fq_codel{[](nlmsghdr* message) {
    mnl_attr_put_u32(message, 1, 4999);
    mnl_attr_put_u32(message, 2, 10240);
    mnl_attr_put_u32(message, 4, 1);
  }};
  EXPECT_EQ(fq_codel.words("fq_codel"), " target 4999us limit 10240p ecn 1");
  EXPECT_EQ(fq_codel.words("codel"), " target 4999us limit 10240p ecn 1");
  EXPECT_EQ(Options{[](nlmsghdr* message) { mnl_attr_put_u64(message, 14, 10); }}.words("fq"),
            " horizon 10us");
}

TEST(QdiscOptions, that_nobody_knows_are_shown_as_they_are_up_to_a_limit) {
  const std::string much(1000, 'x');
  const Options newer{[&](nlmsghdr* message) {
    mnl_attr_put_u8(message, 90, 3);
    mnl_attr_put(message, 91, 3, "abc");
    mnl_attr_put(message, 92, much.size(), much.data());
  }};
  const std::string words = newer.words("fq");
  EXPECT_THAT(words,
              testing::StartsWith(" option-90 3 option-91 0x616263 option-92 1000 bytes with digest "));
  EXPECT_LT(words.size(), 100U);
}

TEST(QdiscOptions, of_a_struct_that_is_too_short_are_none) {
  EXPECT_EQ(Options{std::string_view("\x09\0\0\0", 4)}.words("pfifo"), " limit 9p");
  EXPECT_EQ(Options{std::string_view("\x09\0\0\0", 4)}.words("bfifo"), " limit 9B");
  for (const char* kind : {"pfifo", "bfifo", "prio", "pfifo_fast", "netem", "tbf"})
    EXPECT_EQ(Options{std::string_view("\x09\0", 2)}.words(kind), "") << kind;
  EXPECT_EQ(Options{std::string_view{}}.words("pfifo"), "");
}

// They may be counters, or drawn at random.
TEST(QdiscOptions, of_other_kinds_are_no_facts) {
  EXPECT_EQ(Options{[](nlmsghdr* message) { mnl_attr_put_u32(message, 1, 7); }}.words("cake"), "");
}

}  // namespace
}  // namespace netperfd::counters
