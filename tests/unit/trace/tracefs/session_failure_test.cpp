// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever fails, tracefs is restored: every operation of a session is refused in turn, and the session dies
// at every moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::HasSubstr;

struct Kernel {
  const char* name;
  FakeKernel kernel;
};

class SessionFailureTest : public ::testing::TestWithParam<Kernel> {
 protected:
  SessionFailureTest() {
    use_settings(tracefs_);
    before_ = tracefs_.snapshot();
  }

  [[nodiscard]] Result<std::unique_ptr<TraceSession>> open() {
    return TraceSession::open(tracefs_, fake_settings(scratch_), whole_spec());
  }

  // Number of operations until open, start, stop and restore had returned.
  struct Life {
    std::size_t opened = 0;
    std::size_t started = 0;
    std::size_t stopped = 0;
    std::size_t restored = 0;
  };
  [[nodiscard]] Life whole_life() {
    tracefs_.forget_operations();
    Life life;
    auto session = open();
    EXPECT_TRUE(session) << session.error().message;
    if (!session) return life;
    life.opened = tracefs_.operations().size();
    EXPECT_TRUE((*session)->start({42, 43}));
    life.started = tracefs_.operations().size();
    EXPECT_TRUE((*session)->stop());
    life.stopped = tracefs_.operations().size();
    const auto restored = (*session)->restore();
    EXPECT_TRUE(restored) << restored.error().message;
    life.restored = tracefs_.operations().size();
    EXPECT_EQ(tracefs_.snapshot(), before_);
    return life;
  }

  ScratchDirectory scratch_;
  FakeTracefs tracefs_{GetParam().kernel};
  std::string before_;
};

TEST_P(SessionFailureTest, a_refusal_of_any_operation_of_open_leaves_tracefs_as_it_was) {
  const std::size_t count = whole_life().opened;
  ASSERT_GT(count, 15U);
  for (const int error_number : {EIO, EPERM, EBUSY, ENOMEM, EINVAL}) {
    for (std::size_t n = 1; n <= count; ++n) {
      tracefs_.forget_operations();
      tracefs_.fail_at(n, error_number);
      auto session = open();
      const std::string failed = describe(tracefs_.operations()[n - 1]);
      // A name that matches no function does not stop a session; nor does an instance that refuses
      // function_graph, nor a watermark that cannot be set.
      const bool no_watermark = error_number == EPERM && failed.find("buffer_percent") != std::string::npos;
      EXPECT_TRUE(!session || error_number == EINVAL || no_watermark) << failed;
      session = fail(ErrorKind::internal, "");
      tracefs_.fail_at(0, 0);
      EXPECT_EQ(tracefs_.snapshot(), before_) << failed << " with errno " << error_number;
      EXPECT_FALSE(scratch_.has("journal")) << failed;
    }
  }
}

TEST_P(SessionFailureTest, a_refusal_of_any_operation_of_start_and_stop_leaves_tracefs_as_it_was) {
  const Life life = whole_life();
  ASSERT_GE(life.stopped - life.opened, 4U);
  for (std::size_t n = 1; n <= life.stopped - life.opened; ++n) {
    auto session = open();
    ASSERT_TRUE(session);
    tracefs_.forget_operations();
    tracefs_.fail_at(n, EIO);
    const bool started = (*session)->start({42, 43}).has_value();
    EXPECT_EQ(started, n > life.started - life.opened);
    if (started) {
      EXPECT_FALSE((*session)->stop());
    }
    const std::string failed = describe(tracefs_.operations()[n - 1]);
    tracefs_.fail_at(0, 0);
    EXPECT_TRUE((*session)->restore()) << failed;
    EXPECT_EQ(tracefs_.snapshot(), before_) << failed;
  }
}

TEST_P(SessionFailureTest, a_refusal_of_any_operation_of_restore_is_named_and_a_clean_up_finishes) {
  const Life life = whole_life();
  for (std::size_t n = 1; n <= life.restored - life.stopped; ++n) {
    auto session = open();
    ASSERT_TRUE(session && (*session)->start({42, 43}) && (*session)->stop());
    tracefs_.forget_operations();
    tracefs_.fail_at(n, EIO);
    const auto restored = (*session)->restore();
    ASSERT_FALSE(restored) << n;
    const auto failed = tracefs_.operations()[n - 1];
    EXPECT_THAT(restored.error().message, HasSubstr(describe(failed)));
    // It continued: everything not affected by this one operation is restored.
    EXPECT_GE(tracefs_.operations().size(), life.restored - life.stopped);
    const bool whole = tracefs_.snapshot() == before_;
    EXPECT_EQ(scratch_.has("journal"), !whole) << describe(failed);
    session->reset();
    const auto cleaned = clean_up(tracefs_, fake_settings(scratch_));
    ASSERT_TRUE(cleaned) << cleaned.error().message;
    EXPECT_EQ(tracefs_.snapshot(), before_) << describe(failed);
    EXPECT_FALSE(scratch_.has("journal"));
  }
}

TEST_P(SessionFailureTest, a_death_at_any_moment_leaves_enough_to_put_everything_back) {
  // The state left by a killed session: the tree and the journal at that moment.
  struct Moment {
    std::string name;
    std::unique_ptr<FakeTracefs> tree;
    std::string journal;
  };
  std::vector<Moment> moments;
  const auto keep = [&](const char* when, const std::string& what) {
    if (scratch_.has("journal")) moments.push_back({when + what, tracefs_.clone(), scratch_.read("journal")});
  };
  tracefs_.before_each([&](const auto& operation) { keep("before ", describe(operation)); });
  tracefs_.after_each([&](const auto& operation) { keep("after ", describe(operation)); });
  const Life life = whole_life();
  // The last operation's effect is undone before the journal is removed.
  ASSERT_EQ(moments.size(), 2 * life.restored);

  for (const Moment& moment : moments) {
    ScratchDirectory scratch;
    scratch.write("journal", moment.journal);
    const auto cleaned = clean_up(*moment.tree, fake_settings(scratch));
    ASSERT_TRUE(cleaned) << moment.name << ": " << cleaned.error().message;
    EXPECT_EQ(moment.tree->snapshot(), before_) << moment.name;
    EXPECT_FALSE(scratch.has("journal"));
    moment.tree->forget_operations();
    const auto again = clean_up(*moment.tree, fake_settings(scratch));
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->empty());
    EXPECT_TRUE(moment.tree->operations().empty()) << moment.name;
  }
}

TEST_P(SessionFailureTest, a_new_session_first_undoes_what_a_dead_one_left) {
  std::unique_ptr<FakeTracefs> tree;
  std::string journal;
  {
    auto session = open();
    ASSERT_TRUE(session && (*session)->start({42}));
    tree = tracefs_.clone();
    journal = scratch_.read("journal");
  }
  ScratchDirectory scratch;
  scratch.write("journal", journal);
  // The dead session's tracer does not count as foreign.
  auto session = TraceSession::open(*tree, fake_settings(scratch), whole_spec());
  ASSERT_TRUE(session) << session.error().message;
  session->reset();
  EXPECT_EQ(tree->snapshot(), before_);
}

INSTANTIATE_TEST_SUITE_P(Kernels, SessionFailureTest,
                         ::testing::Values(Kernel{"instance", FakeKernel{}}, Kernel{"top", kernel_of_old()}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace netperfd::trace
