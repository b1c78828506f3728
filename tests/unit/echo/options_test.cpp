// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace netperfd::echo {
namespace {

using Words = std::vector<std::string_view>;

std::string refusal(const Words& words) {
  const auto options = parse_options(words);
  return options ? "accepted" : options.error().message;
}

TEST(EchoOptions, without_a_word_it_serves_on_the_default_port) {
  for (const Words& words : {Words{}, Words{"serve"}}) {
    const auto options = parse_options(words);
    ASSERT_TRUE(options);
    const auto* const serve = std::get_if<ServeOptions>(&*options);
    ASSERT_NE(serve, nullptr);
    EXPECT_EQ(serve->port, 5202);
    EXPECT_EQ(serve->bind, "");
  }
}

TEST(EchoOptions, a_probe_has_defaults) {
  const auto options = parse_options(Words{"probe", "--to", "10.0.0.2"});
  ASSERT_TRUE(options);
  const auto& probe = std::get<ProbeOptions>(*options);
  EXPECT_EQ(probe.limits.timeout, 2 * kSecond);
  EXPECT_EQ(probe.limits.interval, kSecond);
  EXPECT_FALSE(probe.duration);
  EXPECT_THAT(probe.probes, testing::ElementsAre(ProbeSpec{}));
}

TEST(EchoOptions, all_can_be_given_in_both_forms) {
  const auto options =
      parse_options(Words{"probe", "--to=fe80::1%eth0", "--port", "7", "--bind=::1", "--family", "6",
                          "--timeout=1.5s", "--interval", "250ms", "--duration=1.5h", "--probe",
                          "protocol=tcp,rate=0.5,length=1400", "--probe=dscp=46,protocol=icmp"});
  ASSERT_TRUE(options) << options.error().message;
  const auto& probe = std::get<ProbeOptions>(*options);
  EXPECT_EQ(probe.to, "fe80::1%eth0");
  EXPECT_EQ(probe.port, 7);
  EXPECT_EQ(probe.bind, "::1");
  EXPECT_EQ(probe.family, 6);
  EXPECT_EQ(probe.limits.timeout, 1500 * kMillisecond);
  EXPECT_EQ(probe.limits.interval, 250 * kMillisecond);
  EXPECT_EQ(probe.duration, 5400 * kSecond);
  EXPECT_THAT(probe.probes, testing::ElementsAre(
                                ProbeSpec{.protocol = Protocol::tcp, .rate = 0.5, .length = 1400, .dscp = {}},
                                ProbeSpec{.protocol = Protocol::icmp, .rate = 10, .length = 64, .dscp = 46}));
}

TEST(EchoOptions, help_and_version_win) {
  EXPECT_TRUE(std::holds_alternative<Help>(*parse_options(Words{"probe", "--help"})));
  EXPECT_TRUE(std::holds_alternative<Version>(*parse_options(Words{"--version"})));
  EXPECT_THAT(usage(), testing::AllOf(testing::HasSubstr("--to HOST"), testing::HasSubstr("--port PORT")));
}

TEST(EchoOptions, what_is_wrong_is_named_with_what_was_expected) {
  EXPECT_EQ(refusal({"probe"}), "probe needs --to HOST");
  EXPECT_EQ(refusal({"ping"}), "unexpected argument \"ping\"");
  EXPECT_EQ(refusal({"serve", "--to", "x"}), "unknown option --to; see --help");
  EXPECT_EQ(refusal({"serve", "--port"}), "--port needs a value");
  EXPECT_EQ(refusal({"probe", "--to", "x", "--port", "0"}), "--port 0: expected 1 to 65535");
  EXPECT_EQ(refusal({"serve", "--port=0"}), "accepted");
  for (const std::string_view timeout : {"0s", "9ms", "61s", "-1s", "nans", "infs", "1e9s"})
    EXPECT_NE(refusal({"probe", "--to", "x", "--timeout", timeout}), "accepted") << timeout;
  EXPECT_EQ(refusal({"probe", "--to", "x", "--timeout", "61s"}),
            "--timeout 61s: it must be from 10 ms to 60 s");
  EXPECT_EQ(refusal({"probe", "--to", "x", "--timeout", "2"}),
            "--timeout 2: expected a time such as 500ms or 2s");
  EXPECT_EQ(refusal({"probe", "--to", "x", "--family", "5"}), "--family 5: expected 4 or 6");
}

TEST(EchoOptions, a_probe_outside_its_limits_is_refused) {
  for (const std::string_view spec :
       {"rate=0.09", "rate=10001", "rate=nan", "rate=-1", "rate=", "rate=1x", "length=31", "length=1401",
        "length=-1", "dscp=64", "dscp=-1", "protocol=sctp", "protocol", "port=1", "rate=1,,length=64"})
    EXPECT_NE(refusal({"probe", "--to", "x", "--probe", spec}), "accepted") << spec;
  for (const std::string_view spec :
       {"rate=0.1", "rate=10000", "length=32", "length=1400", "dscp=0", "dscp=63", ""})
    EXPECT_EQ(refusal({"probe", "--to", "x", "--probe", spec}), "accepted") << spec;
  EXPECT_EQ(refusal({"probe", "--to", "x", "--probe", "rate=0"}),
            "--probe rate=0: expected 0.1 to 10000 requests per second");
  Words many{"probe", "--to", "x"};
  for (int i = 0; i < 9; ++i) many.insert(many.end(), {"--probe", "rate=1"});
  EXPECT_EQ(refusal(many), "--probe: at most 8");
}

}  // namespace
}  // namespace netperfd::echo
