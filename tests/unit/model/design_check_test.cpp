// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/design_check.hpp"
#include "daemon/workload/job/traits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace netperfd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

// Side A by list, side B by hash, plain and traced.
JobSpec a_job() {
  JobSpec job;
  job.workload = workload::traits_of("iperf3");
  job.name = "hsr";
  job.test.path.server = "10.0.0.2";
  job.test.traffic.duration = 10s;
  job.limits.timeout = 30s;
  job.trace.emplace().function_graph.emplace().module = "hsr";
  job.design = Design{
      .a =
          Variant{
              .name = "list", .apply = {"/usr/libexec/use", "list"}, .verify = {"/bin/true"}, .builds = {}},
      .b =
          Variant{
              .name = "hash", .apply = {"/usr/libexec/use", "hash"}, .verify = {"/bin/true"}, .builds = {}},
      .plain = true,
      .changed = {"module:hsr"},
      .seed = {}};
  return job;
}

using Change = std::function<void(JobSpec&)>;

std::vector<JobProblem> problems_of(const Change& change) {
  JobSpec job = a_job();
  change(job);
  return check(job);
}

std::vector<std::string> wrong(const Change& change) {
  std::vector<std::string> keys;
  for (auto& problem : problems_of(change)) keys.push_back(problem.key);
  return keys;
}

TEST(DesignCheck, finds_nothing_in_a_right_design) {
  EXPECT_THAT(check(a_job()), IsEmpty());
  EXPECT_THAT(wrong([](JobSpec& j) { j.design.reset(); }), IsEmpty());
}

TEST(DesignCheck, allows_an_a_a_without_commands) {
  EXPECT_THAT(wrong([](JobSpec& j) {
                j.trace.reset();
                j.design = Design{.a = Variant{.name = "A", .apply = {}, .verify = {}, .builds = {}},
                                  .b = Variant{.name = "B", .apply = {}, .verify = {}, .builds = {}},
                                  .plain = false,
                                  .changed = {},
                                  .seed = {}};
              }),
              IsEmpty());
}

TEST(DesignCheck, allows_plain_against_traced) {
  EXPECT_THAT(
      wrong([](JobSpec& j) { j.design = Design{.a = {}, .b = {}, .plain = true, .changed = {}, .seed = 7}; }),
      IsEmpty());
}

TEST(DesignCheck, refuses_a_design_of_nothing) {
  const auto nothing = [](JobSpec& j) { j.design = Design{}; };
  EXPECT_THAT(wrong(nothing), ElementsAre("design"));
  EXPECT_THAT(problems_of(nothing)[0].message, HasSubstr("compares nothing"));
  EXPECT_THAT(wrong([](JobSpec& j) {
                j.trace.reset();
                j.design = Design{.a = {}, .b = {}, .plain = true, .changed = {}, .seed = {}};
              }),
              ElementsAre("design"));
}

TEST(DesignCheck, wants_both_variants_or_none) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a.reset(); }), ElementsAre("design.a"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b.reset(); }), ElementsAre("design.b"));
}

TEST(DesignCheck, wants_a_trace_for_traced_runs) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.trace.reset(); }), ElementsAre("design.arms"));
}

TEST(DesignCheck, wants_runs_that_end_by_themselves) {
  EXPECT_THAT(wrong([](JobSpec& j) {
                j.workload = workload::traits_of("none");
                j.limits.timeout = 1h;
              }),
              ElementsAre("design"));
}

TEST(DesignCheck, wants_names_that_are_words) {
  for (const char* name : {"", "a b", "-x", ".x", "a,b", "\"", "ä", "a\n", "x/y", "a:b"}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.design->a->name = name; }), ElementsAre("design.a.name")) << name;
  }
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b->name = std::string(33, 'x'); }),
              ElementsAre("design.b.name"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b->name = std::string(32, 'x'); }), IsEmpty());
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b->name = "6.18-rc1_x"; }), IsEmpty());
}

TEST(DesignCheck, wants_names_that_tell_the_sides_apart) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b->name = "list"; }), ElementsAre("design.b.name"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->name = "B"; }), ElementsAre("design.a.name"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b->name = "A"; }), ElementsAre("design.b.name"));
}

TEST(DesignCheck, wants_the_absolute_path_of_a_program) {
  for (const char* program : {"true", "./true", "../bin/true", "", "/", "/bin/", "~/x"}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.design->a->apply = {program, "x"}; }),
                ElementsAre("design.a.switch[0]"))
        << program;
    EXPECT_THAT(wrong([&](JobSpec& j) { j.design->b->verify = {program}; }), ElementsAre("design.b.check[0]"))
        << program;
  }
}

TEST(DesignCheck, wants_words_of_one_line) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->apply = {"/bin/x", "two\nlines"}; }),
              ElementsAre("design.a.switch[1]"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->verify = {"/bin/x", std::string("a\0b", 3)}; }),
              ElementsAre("design.a.check[1]"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->apply = {"/bin/\x1b[2J", "\xff"}; }),
              ElementsAre("design.a.switch[0]", "design.a.switch[1]"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->apply = {"/bin/x", std::string(4096, 'x')}; }),
              ElementsAre("design.a.switch[1]"));
  EXPECT_THAT(
      wrong([](JobSpec& j) { j.design->a->apply = {"/bin/x", "", std::string(4095, 'x'), "$HOME; `x` %n"}; }),
      IsEmpty());
}

TEST(DesignCheck, bounds_the_words_of_a_command) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->apply = Words(65, "/x"); }),
              ElementsAre("design.a.switch"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->apply = Words(64, "/x"); }), IsEmpty());
}

TEST(DesignCheck, wants_as_many_builds_of_both_sides_each_with_a_name) {
  const auto with = [](const Words& a, const Words& b) {
    return wrong([&](JobSpec& j) {
      j.repeat = 100;
      j.design->a->builds = a;
      j.design->b->builds = b;
    });
  };
  const Words six{"1", "2", "3", "4", "5", "6"};
  EXPECT_THAT(with(six, six), IsEmpty()) << "the sides have words of their own";
  EXPECT_THAT(with(six, {}), ElementsAre("design.b.builds"));
  EXPECT_THAT(with(six, {"1", "2", "3", "4", "5", "6", "7"}), ElementsAre("design.b.builds"));
  EXPECT_THAT(with(Words(5, "x"), Words(5, "x")), ElementsAre("design.a.builds", "design.b.builds"));
  EXPECT_THAT(with(Words(65, "x"), Words(65, "x")), ElementsAre("design.a.builds", "design.b.builds"));
  EXPECT_THAT(with({"1", "2", "1", "4", "5", "6"}, six), ElementsAre("design.a.builds[2]"));
  EXPECT_THAT(with({"1", "", "3", "4", "5", "6"}, {"1", "2\n", "3", "4", "5", "6"}),
              ElementsAre("design.a.builds[1]", "design.b.builds[1]"));
  EXPECT_THAT(wrong([&](JobSpec& j) {
                j.repeat = 6;
                for (auto* side : {&*j.design->a, &*j.design->b}) {
                  side->apply.clear();
                  side->builds = six;
                }
              }),
              ElementsAre("design.a.builds", "design.b.builds"));
  EXPECT_THAT(wrong([&](JobSpec& j) {
                j.repeat = 5;
                j.design->a->builds = j.design->b->builds = six;
              }),
              ElementsAre("repeat"))
      << "a block for each";
}

TEST(DesignCheck, wants_a_way_back_from_each_switch) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->a->apply.clear(); }), ElementsAre("design.a.switch"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->b->apply.clear(); }), ElementsAre("design.b.switch"));
  EXPECT_THAT(wrong([](JobSpec& j) {
                j.design->a->apply.clear();
                j.design->b->apply.clear();
                j.design->a->verify.clear();
              }),
              IsEmpty());
}

TEST(DesignCheck, wants_groups_of_facts_that_there_are) {
  EXPECT_THAT(
      wrong([](JobSpec& j) {
        j.design->changed = {"kernel", "colour", "module:", "sysctl", "kernel:x", "sysctl:net.ipv4.tcp_rmem"};
      }),
      ElementsAre("design.changed[1]", "design.changed[2]", "design.changed[3]", "design.changed[4]"));
  EXPECT_THAT(problems_of([](JobSpec& j) { j.design->changed = {"kernal"}; })[0].message,
              HasSubstr("\"kernal\" is no group of facts that can change"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->changed = {"module:" + std::string(250, 'x')}; }),
              ElementsAre("design.changed[0]"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.design->changed = Words(65, "nic"); }), ElementsAre("design.changed"));
}

TEST(DesignCheck, refuses_a_declared_change_of_plain_and_traced_runs) {
  EXPECT_THAT(wrong([](JobSpec& j) {
                j.design->a.reset();
                j.design->b.reset();
              }),
              ElementsAre("design.changed"));
}

// Applies `change` to a right design that reboots the machine.
std::vector<std::string> wrong_of_boots(const std::function<void(Design&, Reboots&)>& change) {
  return wrong([&](JobSpec& j) {
    j.design->reboots.emplace();
    change(*j.design, *j.design->reboots);
  });
}

TEST(DesignOfBootsCheck, finds_nothing_wrong_up_to_the_limits) {
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots&) {}), IsEmpty());
  EXPECT_THAT(
      wrong_of_boots([](Design&, Reboots& r) {
        r = {.runs = 1, .notice = 0ms, .settle = 0ms, .prepare = {"/x/prepare"}, .most = 1, .within = 1ms};
      }),
      IsEmpty());
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) {
                r = {.runs = 100, .notice = 1h, .settle = 1h, .prepare = {}, .most = 1'000, .within = 1'000h};
              }),
              IsEmpty());
}

TEST(DesignOfBootsCheck, wants_both_commands_of_both_sides) {
  EXPECT_THAT(wrong_of_boots([](Design& d, Reboots&) { d.b->verify.clear(); }),
              ElementsAre("design.b.check"));
  EXPECT_THAT(wrong_of_boots([](Design& d, Reboots&) {
                d.a->apply.clear();
                d.b->apply.clear();
              }),
              ElementsAre("design.a.switch", "design.b.switch"));
}

TEST(DesignOfBootsCheck, wants_two_sides) {
  EXPECT_THAT(wrong_of_boots([](Design& d, Reboots&) {
                d.a.reset();
                d.b.reset();
                d.changed.clear();
              }),
              ElementsAre("design.level"));
}

TEST(DesignOfBootsCheck, has_no_builds_by_turns) {
  EXPECT_THAT(wrong([](JobSpec& j) {
                j.repeat = 6;
                j.design->reboots.emplace();
                j.design->a->builds = j.design->b->builds = {"1", "2", "3", "4", "5", "6"};
              }),
              ElementsAre("design.a.builds", "design.b.builds"));
}

TEST(DesignOfBootsCheck, has_no_more_blocks_than_a_job_has_boots_for) {
  const auto of_blocks = [](std::uint32_t blocks) {
    return wrong([=](JobSpec& j) {
      j.design->reboots.emplace();
      j.repeat = blocks;
    });
  };
  EXPECT_THAT(of_blocks(250), IsEmpty());
  EXPECT_THAT(of_blocks(251), ElementsAre("repeat"));
}

TEST(DesignOfBootsCheck, limits_each_value) {
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.runs = 0; }), ElementsAre("design.reboots.runs"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.runs = 101; }), ElementsAre("design.reboots.runs"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.notice = 1h + 1ms; }),
              ElementsAre("design.reboots.notice"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.settle = 1h + 1ms; }),
              ElementsAre("design.reboots.settle"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.most = 1'001; }),
              ElementsAre("design.reboots.most"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.within = 0ms; }),
              ElementsAre("design.reboots.within"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.within = 1'000h + 1ms; }),
              ElementsAre("design.reboots.within"));
  EXPECT_THAT(wrong_of_boots([](Design&, Reboots& r) { r.prepare = {"prepare"}; }),
              ElementsAre("design.reboots.prepare[0]"));
}

}  // namespace
}  // namespace netperfd
