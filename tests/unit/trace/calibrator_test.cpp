// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the tracer's own cost on the fake tracefs, whose rings are filled as a kernel with known costs
// would fill them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/trace/calibration.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/ring/subbuffer_maker.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kParent = "ksys_lseek";
constexpr const char* kEmpty = "null_lseek";
constexpr const char* kOther = "fdget_pos";

FakeKernel with_lseek(FakeKernel kernel) {
  for (const char* function : {kParent, kEmpty, kOther}) kernel.functions[""].emplace_back(function);
  return kernel;
}

// The formats that a calibration reads, as in Linux 6.12, and the layout of its sub-buffers.
void add_formats(FakeTracefs& tracefs) {
  const auto recorded = std::filesystem::path(NETPERFD_TEST_DATA) / "trace-functions" / "6.12";
  const auto contents = [&](const std::string& file) {
    std::ifstream stream(recorded / file, std::ios::binary);
    if (!stream) throw std::runtime_error("no file " + file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  tracefs.set("events/header_page", contents("header_page"));
  for (const std::string event : {"funcgraph_entry", "funcgraph_exit", "print"}) {
    tracefs.set("events/ftrace/" + event + "/format", contents("formats/ftrace/" + event));
  }
  tracefs.set("events/sched/sched_switch/format", contents("formats/sched/sched_switch"));
  for (const auto& [name, id] : {std::pair{"kernel_stack", 4}, {"user_stack", 13}}) {
    tracefs.set(std::string("events/ftrace/") + name + "/format",
                "name: " + std::string(name) + "\nID: " + std::to_string(id) +
                    "\nformat:\n"
                    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                    "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
                    "print fmt: \"%ps\", (void *)REC->caller[0]\n");
  }
}

// The ring contents of a kernel with known times and costs, for calls of kParent.
class Ring {
 public:
  static constexpr std::uint64_t kParentNs = 300, kEmptyNs = 1, kOtherNs = 40;
  static constexpr std::uint64_t kEntryNs = 90, kCalleeNs = 60;

  explicit Ring(std::int32_t pid, std::uint64_t extra_ns = 0) : pid_(pid), extra_ns_(extra_ns) {}

  // From now on everything takes so many times as long as at first.
  void slow_down(std::uint64_t times) { times_ = times; }

  void call(const std::set<std::string>& traced) {
    const std::uint64_t begin = now_;
    std::uint64_t duration = kParentNs + kEmptyNs + kOtherNs + kEntryNs + extra_ns_;
    enter(0xffffffff81001000, 0);
    for (const auto& [function, address, time] :
         {std::tuple{kOther, 0xffffffff81002000, kOtherNs}, {kEmpty, 0xffffffff81003000, kEmptyNs}}) {
      if (!traced.contains(function)) continue;
      const std::uint64_t inner = now_;
      enter(address, 1);
      leave(address, 1, inner, times_ * (time + kEntryNs));
      duration += kEntryNs + kCalleeNs;
    }
    leave(0xffffffff81001000, 0, begin, times_ * duration);
    now_ += 10'000;
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> take() {
    whole_.push_back(maker_.finish());
    maker_ = test::SubbufferMaker(now_);
    return std::exchange(whole_, {});
  }

 private:
  void add(const test::Bytes& record) {
    now_ += 10;
    if (maker_.add(now_, record)) return;
    whole_.push_back(maker_.finish());
    maker_ = test::SubbufferMaker(now_);
    if (!maker_.add(now_, record)) throw std::logic_error("a record larger than a sub-buffer");
  }
  void enter(std::uint64_t function, std::int32_t depth) {
    add(test::RecordMaker(11, pid_).put(8, function).put(16, depth));
  }
  void leave(std::uint64_t function, std::int32_t depth, std::uint64_t begin, std::uint64_t duration) {
    add(test::RecordMaker(10, pid_)
            .put(8, function)
            .put(16, depth)
            .put(20, std::uint32_t{0})
            .put(24, begin)
            .put(32, begin + duration));
  }

  std::int32_t pid_;
  std::uint64_t extra_ns_;
  std::uint64_t times_ = 1;
  std::uint64_t now_ = 1'000'000;
  test::SubbufferMaker maker_{now_};
  std::vector<std::vector<std::byte>> whole_;
};

struct TracedKernel {
  const char* name;
  const char* directory;  // of the session
  FakeKernel kernel;
};

class CalibratorTest : public testing::TestWithParam<TracedKernel> {
 protected:
  CalibratorTest() {
    use_settings(tracefs_);
    add_formats(tracefs_);
    before_ = tracefs_.snapshot();
  }

  [[nodiscard]] std::string path(const std::string& file) const {
    const std::string directory = GetParam().directory;
    return directory.empty() ? file : directory + "/" + file;
  }

  // From now on, whenever the session stops, its rings contain calls of the functions in its filter: `calls`
  // on the second CPU, and a tenth of that on the first, made by another process. Before that, it calls
  // `prepare`.
  void make_calls(int calls, const std::function<void()>& prepare = [] {}) {
    tracefs_.after_each([this, calls, prepare](const FakeTracefs::Operation& operation) {
      if (operation.refused || operation.path != path("tracing_on")) return;
      if (operation.text != "0") {
        ++starts_;
        return;
      }
      if (starts_ == stops_) return;  // the session is applied but not started yet
      ++stops_;
      prepare();
      std::set<std::string> traced;
      std::istringstream filter(tracefs_.get(path("set_ftrace_filter")));
      for (std::string line; std::getline(filter, line);) traced.insert(line);
      if (!traced.contains(kParent)) return;
      for (int i = 0; i < calls; ++i) own_.call(traced);
      for (int i = 0; i < calls / 10; ++i) others_.call(traced);
      tracefs_.feed(path("per_cpu/cpu1/trace_pipe_raw"), own_.take());
      tracefs_.feed(path("per_cpu/cpu0/trace_pipe_raw"), others_.take());
    });
  }

  void expect_known_costs(const Result<Calibration>& found) {
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_NEAR(found->entry_ns, Ring::kEntryNs + Ring::kEmptyNs, 0.01);
    EXPECT_NEAR(found->callee_ns, Ring::kCalleeNs - Ring::kEmptyNs, 0.01);
  }

  // The number of operations of a calibration, in total and until it begins to restore tracefs.
  struct Life {
    std::size_t measured = 0;
    std::size_t restored = 0;
  };
  [[nodiscard]] Life whole_life() {
    tracefs_.forget_operations();
    (void)Calibrator(tracefs_, fake_settings(scratch_)).calibration();
    EXPECT_EQ(tracefs_.snapshot(), before_);
    const auto& operations = tracefs_.operations();
    Life life;
    life.restored = operations.size();
    for (std::size_t i = 0; i < operations.size(); ++i) {
      if (operations[i].path == path("tracing_on") && operations[i].text == "0") life.measured = i + 1;
    }
    return life;
  }

  ScratchDirectory scratch_;
  FakeTracefs tracefs_{with_lseek(GetParam().kernel)};
  std::string before_;
  Ring own_{77};
  Ring others_{9, 50'000};
  std::size_t starts_ = 0;
  std::size_t stops_ = 0;
};

TEST_P(CalibratorTest, finds_the_costs_of_the_kernel_and_gives_tracefs_back) {
  make_calls(200);
  Calibrator calibrator(tracefs_, fake_settings(scratch_));
  const auto found = calibrator.calibration();
  expect_known_costs(found);
  EXPECT_EQ(found->calls, (stops_ - 2) * 200U) << "those of somebody else, and of the first round, are not "
                                                  "counted";
  EXPECT_EQ(tracefs_.snapshot(), before_);
  EXPECT_EQ(tracefs_.open_files(), 0U);
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_P(CalibratorTest, measures_each_time) {
  make_calls(200);
  Calibrator calibrator(tracefs_, fake_settings(scratch_));
  expect_known_costs(calibrator.calibration());
  own_.slow_down(2);
  const auto found = calibrator.calibration();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->entry_ns, 2 * (Ring::kEntryNs + Ring::kEmptyNs), 0.01);
  EXPECT_NEAR(found->callee_ns, 2 * (Ring::kCalleeNs - Ring::kEmptyNs), 0.01);
}

// As if the CPU were slow in every second round of the first try: with 4, there is no cost at all.
TEST_P(CalibratorTest, tries_again_where_rounds_disagree) {
  for (const std::uint64_t times : {std::uint64_t{2}, std::uint64_t{4}}) {
    stops_ = starts_ = 0;
    make_calls(200, [this, times] { own_.slow_down(stops_ <= 18 && (stops_ - 1) / 2 % 2 == 1 ? times : 1); });
    expect_known_costs(Calibrator(tracefs_, fake_settings(scratch_)).calibration());
    EXPECT_EQ(stops_, 2U * 2 * 9);
  }
}

TEST_P(CalibratorTest, takes_the_most_precise_try_where_all_disagree) {
  // One slow round in four makes a smaller error than one in two.
  make_calls(200, [this] {
    const std::size_t round = (stops_ - 1) / 2, every = round / 9 == 1 ? 4 : 2;
    own_.slow_down(round % every == 1 ? 2 : 1);
  });
  const auto found = Calibrator(tracefs_, fake_settings(scratch_)).calibration();
  expect_known_costs(found);
  EXPECT_EQ(stops_, 2U * 3 * 9);
}

// For each name the kernel would compare the names of all its functions.
TEST_P(CalibratorTest, names_no_function_in_its_rounds) {
  make_calls(200);
  Calibrator calibrator(tracefs_, fake_settings(scratch_));
  tracefs_.forget_operations();
  expect_known_costs(calibrator.calibration());
  std::size_t names = 0;
  std::size_t numbers = 0;
  for (const auto& operation : tracefs_.operations()) {
    if (operation.path != path("set_ftrace_filter") || operation.text.empty()) continue;
    ++(operation.text.find_first_not_of("0123456789\n") == std::string::npos ? numbers : names);
  }
  const std::size_t put_back = std::string(GetParam().directory).empty() ? 2 : 0;
  EXPECT_EQ(names, put_back);
  EXPECT_EQ(numbers, 3 + 5U * 1 + 5U * 3) << "those of the session, and of each change between both kinds";
}

TEST_P(CalibratorTest, measures_no_other_functions_where_their_numbers_have_changed) {
  bool changed = false;
  const auto change_once = [&](const FakeTracefs::Operation& operation) {
    if (changed || operation.path != path("set_ftrace_filter")) return;
    changed = true;
    auto functions = with_lseek(GetParam().kernel).functions[""];
    functions.insert(functions.begin(), "another_function");
    tracefs_.load_module("", functions);
  };
  tracefs_.after_each(change_once);
  Calibrator calibrator(tracefs_, fake_settings(scratch_));
  const auto found = calibrator.calibration();
  ASSERT_TRUE(changed);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::io);
  EXPECT_THAT(found.error().message, HasSubstr(" instead of "));
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_P(CalibratorTest, gives_tracefs_back_where_nothing_was_recorded_and_tries_again) {
  Calibrator calibrator(tracefs_, fake_settings(scratch_));
  const auto found = calibrator.calibration();
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("too few calls"));
  EXPECT_EQ(tracefs_.snapshot(), before_);
  make_calls(200);
  expect_known_costs(calibrator.calibration());
}

TEST_P(CalibratorTest, a_refusal_of_any_operation_leaves_tracefs_as_it_was_or_a_journal_that_says_how) {
  const Life life = whole_life();
  ASSERT_GT(life.measured, 50U);
  ASSERT_GT(life.restored, life.measured);
  for (const int error_number : {EIO, EBUSY, EPERM}) {
    for (std::size_t n = 1; n <= life.restored; ++n) {
      tracefs_.forget_operations();
      tracefs_.fail_at(n, error_number);
      EXPECT_FALSE(Calibrator(tracefs_, fake_settings(scratch_)).calibration());
      ASSERT_GE(tracefs_.operations().size(), n);
      const std::string failed = describe(tracefs_.operations()[n - 1]);
      tracefs_.fail_at(0, 0);
      EXPECT_EQ(tracefs_.open_files(), 0U) << failed;
      if (n > life.measured) {
        // If something could not be restored, it is left to the next session or a clean-up.
        EXPECT_TRUE(scratch_.has("journal") || tracefs_.snapshot() == before_) << failed;
        ASSERT_TRUE(clean_up(tracefs_, fake_settings(scratch_))) << failed;
      }
      EXPECT_EQ(tracefs_.snapshot(), before_) << failed << " with errno " << error_number;
      EXPECT_FALSE(scratch_.has("journal")) << failed;
    }
  }
}

TEST_P(CalibratorTest, measures_anew_after_a_refusal) {
  make_calls(110);
  const std::size_t count = whole_life().restored;
  // The number of operations in a round is not a multiple of five, so each operation gets its turn.
  for (std::size_t n = 1; n <= count; n += 5) {
    Calibrator calibrator(tracefs_, fake_settings(scratch_));
    tracefs_.forget_operations();
    tracefs_.fail_at(n, EIO);
    (void)calibrator.calibration();
    tracefs_.fail_at(0, 0);
    const std::string failed = describe(tracefs_.operations()[n - 1]);
    const auto found = calibrator.calibration();
    ASSERT_TRUE(found) << failed << ": " << found.error().message;
    (void)clean_up(tracefs_, fake_settings(scratch_));
    EXPECT_EQ(tracefs_.snapshot(), before_) << failed;
  }
}

TEST_P(CalibratorTest, refuses_beside_another_tracer_and_measures_when_it_is_gone) {
  make_calls(200);
  tracefs_.set("current_tracer", "function\n");
  const std::string beside = tracefs_.snapshot();
  Calibrator calibrator(tracefs_, fake_settings(scratch_));
  for (int i = 0; i < 2; ++i) {
    const auto found = calibrator.calibration();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, ErrorKind::busy);
    EXPECT_EQ(tracefs_.snapshot(), beside);
    EXPECT_THAT(tracefs_.operations(), IsEmpty());
  }
  tracefs_.set("current_tracer", "nop\n");
  expect_known_costs(calibrator.calibration());
}

INSTANTIATE_TEST_SUITE_P(Kernels, CalibratorTest,
                         testing::Values(TracedKernel{"instance", "instances/netperfd-4711", FakeKernel{}},
                                         TracedKernel{"top", "", kernel_of_old()}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// A kernel that lacks one of the functions is tried only once.
class CalibratorRefusalTest : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(CalibratorRefusalTest, is_of_the_kernel_and_not_asked_for_again) {
  FakeKernel kernel;
  for (const auto& function : GetParam()) kernel.functions[""].push_back(function);
  FakeTracefs tracefs(kernel);
  add_formats(tracefs);
  const ScratchDirectory scratch;
  const std::string before = tracefs.snapshot();
  Calibrator calibrator(tracefs, fake_settings(scratch));
  const auto found = calibrator.calibration();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::unsupported) << found.error().message;
  EXPECT_EQ(tracefs.snapshot(), before);
  EXPECT_FALSE(scratch.has("journal"));
  tracefs.forget_operations();
  const auto again = calibrator.calibration();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, found.error().message);
  EXPECT_THAT(tracefs.operations(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Functions, CalibratorRefusalTest,
                         testing::Values(std::vector<std::string>{}, std::vector<std::string>{kParent},
                                         std::vector<std::string>{kParent, kOther},
                                         std::vector<std::string>{kEmpty, kOther}),
                         [](const auto& tested) {
                           std::string name = "with";
                           for (const auto& function : tested.param) name += "_" + function;
                           return name + (tested.param.empty() ? "_none" : "");
                         });

}  // namespace
}  // namespace netperfd::trace
