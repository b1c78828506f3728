// SPDX-License-Identifier: GPL-2.0-or-later
// The prober's output is read in a process without privileges, whose answer the daemon does not trust.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <memory>
#include <optional>
#include <string>

#include "daemon/reading/child_reports.hpp"
#include "tests/unit/golden_latency.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::reading {
namespace {

using testing::HasSubstr;

class ChildLatency : public testing::Test {
 protected:
  // Reaps children that are left running until the daemon ends.
  ~ChildLatency() override {
    reports_.reset();
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
  Result<ParsedLatency> read(const std::string& prober_stdout) {
    std::optional<Result<ParsedLatency>> result;
    const auto handle =
        reports_->read_latency(prober_stdout, {.probes = {"voice", "b"}, .phases = {"idle", "load"}},
                               [&](auto latency) { result = std::move(latency); });
    if (!handle) return std::unexpected(handle.error());
    if (!test::turn_until(loop_, [&] { return result.has_value(); }))
      return fail(ErrorKind::internal, "no answer");
    return *std::move(result);
  }
  std::string error_of(const std::string& prober_stdout) {
    const auto latency = read(prober_stdout);
    return latency ? "no error" : latency.error().message;
  }

  EventLoop loop_ = test::make_loop();
  std::optional<ChildReports> reports_{std::in_place, loop_, test::settings()};
};

TEST_F(ChildLatency, comes_back_with_every_figure_and_the_child_knows_what_was_asked) {
  const auto parsed = read("some lines");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->report, golden_latency());
  EXPECT_EQ(parsed->error, "some lines: voice,b; idle,load");
  ASSERT_EQ(parsed->flags.size(), 1U);
  EXPECT_EQ(parsed->flags[0].message, "message");
}

TEST_F(ChildLatency, is_refused_if_the_child_was_taken_over) {
  EXPECT_THAT(error_of("nonsense"), HasSubstr("answer of the reading process is damaged"));
  EXPECT_THAT(error_of("unchecked"), HasSubstr("a phase's name"));
}

TEST_F(ChildLatency, is_refused_if_it_contradicts_itself) {
  EXPECT_THAT(error_of("twice"), HasSubstr("a span is there twice"));
  EXPECT_THAT(error_of("bucket"), HasSubstr("a histogram's bucket"));
  EXPECT_THAT(error_of("protocol"), HasSubstr("a probe's protocol"));
}

}  // namespace
}  // namespace netperfd::reading
