// SPDX-License-Identifier: GPL-2.0-or-later
// Designs whose sides cannot be switched to, or back from: whom that concerns, and the way out.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kIp = "/usr/sbin/ip";
constexpr const char* kSack = "/proc/sys/net/ipv4/tcp_sack";

class LeftSides : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
  void TearDown() override {
    std::filesystem::remove(gate);
    if (std::filesystem::exists("/run/netns/" + absent)) must_run({"ip", "netns", "delete", absent});
    SystemTest::TearDown();
  }

  // A job of one block, BAAB, between the namespaces of the lab; each side has the words of its `switch`.
  static void write_scenario(const std::string& name, const std::vector<std::string>& on,
                             const std::vector<std::string>& off) {
    const auto list = [](const std::vector<std::string>& words) {
      return fmt::format("['{}']", fmt::join(words, "', '"));
    };
    lab().directory().write(
        "scenarios.d/" + name + ".yaml",
        fmt::format("name: {}\nrepeat: 1\nworkload:\n  iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, "
                    "bytes: 100K}}\ndesign:\n  seed: 5489\n  a: {{name: gso-on, switch: {}}}\n"
                    "  b: {{name: gso-off, switch: {}}}\n",
                    name, lab().net().left(), lab().net().right(), NetnsPair::kRightAddress, list(on),
                    list(off)));
  }
  // Like the shipped veth-offload, but with the state of the lab as side A, and without checks.
  static std::vector<std::string> set_segments(const std::string& netns, const char* segments,
                                               const char* program = kIp) {
    return {program, "-n", netns, "link", "set", "dev", NetnsPair::kInterface, "gso_max_segs", segments};
  }
  static void write_offload(const std::string& name, const std::string& netns) {
    write_scenario(name, set_segments(netns, "65535"), set_segments(netns, "1"));
  }
  // Its side B can be left only once the gate is gone.
  void write_gated() const {
    const auto in_left = [](const std::string& script) {
      return std::vector<std::string>{kIp, "netns", "exec", lab().net().left(), "/bin/sh", "-c", script};
    };
    write_scenario("gated", in_left(fmt::format("test ! -e {} && echo 1 >{}", gate, kSack)),
                   in_left(fmt::format("touch {} && echo 0 >{}", gate, kSack)));
  }
  static Outcome start(const std::string& scenario, const User& user) {
    return lab().ctl({"start", scenario, "--force"}, user);
  }
  static std::string sack() {
    return run({.argv = {"/bin/cat", kSack},
                .environment = {},
                .user = {},
                .netns = lab().net().left(),
                .stderr_file = {}})
        .out;
  }
  static std::string doctor() { return lab().ctl({"doctor"}).out; }
  static std::string newest_job() { return lab().database().value("SELECT max(id) FROM jobs"); }

  const User member = lab().users().member, other = lab().users().other_member;
  const std::string gate = lab().directory().path("gate");
  // A lab that somebody forgot to set up; the next test removes what a killed one left, by this name.
  const std::string absent = fmt::format("netperfd-test-{}-absent", ::getpid());
};

TEST_F(LeftSides, of_an_absent_namespace_keep_nobody_from_measuring) {
  write_offload("forgotten", absent);
  write_offload("another", lab().net().left());
  const Outcome failed = start("forgotten", member);
  EXPECT_EQ(failed.code, kRunFailed) << failed.err;
  EXPECT_THAT(failed.out, AllOf(HasSubstr("its switch failed"), HasSubstr(absent),
                                Not(HasSubstr("could not be brought back"))));
  EXPECT_THAT(doctor(), HasSubstr("no ended job left anything changed on the machine"));

  const Outcome measured = start("another", other);
  EXPECT_EQ(measured.code, 0) << measured.out << measured.err;

  must_run({"ip", "netns", "add", absent});
  must_run({"ip", "-n", absent, "link", "add", NetnsPair::kInterface, "type", "veth", "peer", "name", "far"});
  const Outcome again = start("forgotten", member);
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST_F(LeftSides, of_an_absent_device_are_as_those_of_an_absent_namespace) {
  must_run({"ip", "netns", "add", absent});
  write_offload("forgotten", absent);
  EXPECT_EQ(start("forgotten", member).code, kRunFailed);
  EXPECT_THAT(doctor(), HasSubstr("no ended job left anything changed on the machine"));
  must_run({"ip", "-n", absent, "link", "add", NetnsPair::kInterface, "type", "veth", "peer", "name", "far"});
  const Outcome again = start("forgotten", member);
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

// With the typo on the side to go back to, the other side would have no way back.
TEST_F(LeftSides, of_a_program_that_is_absent_are_not_begun_and_run_once_it_is_mended) {
  const std::string left = lab().net().left();
  write_scenario("typo", set_segments(left, "65535", "/usr/sbinn/ip"), set_segments(left, "1"));
  const Outcome failed = start("typo", member);
  EXPECT_EQ(failed.code, kRunFailed) << failed.err;
  EXPECT_THAT(failed.out, HasSubstr("the way back could not be run: there is no program /usr/sbinn/ip"));
  write_scenario("typo", set_segments(left, "65535"), set_segments(left, "1", "/usr/sbinn/ip"));
  const Outcome other_side = start("typo", member);
  EXPECT_EQ(other_side.code, kRunFailed) << other_side.err;
  EXPECT_THAT(other_side.out, Not(HasSubstr("could not be brought back")));
  write_offload("typo", left);
  const Outcome mended = start("typo", member);
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
}

TEST_F(LeftSides, that_cannot_be_brought_back_keep_only_designs_of_the_same_namespace_from_switching) {
  write_gated();
  write_offload("same", lab().net().left());
  write_offload("elsewhere", lab().net().right());
  const Outcome stuck = start("gated", member);
  ASSERT_EQ(stuck.code, kRunFailed) << stuck.err;
  const std::string job = newest_job();
  EXPECT_THAT(stuck.out, AllOf(HasSubstr("could not be brought back"), HasSubstr("`netperfctl undo " + job)));
  EXPECT_EQ(sack(), "0\n");
  const std::string left = fmt::format("job {} left the machine off side gso-on", job);

  const Outcome blocked = start("same", other);
  EXPECT_EQ(blocked.code, kRunFailed);
  EXPECT_THAT(blocked.out, HasSubstr("not applied, since " + left));
  const Outcome elsewhere = start("elsewhere", other);
  EXPECT_EQ(elsewhere.code, 0) << elsewhere.out << elsewhere.err;
  EXPECT_EQ(lab().ctl({"start", "quick"}, other).code, 0) << "it has no design";
  EXPECT_THAT(doctor(), AllOf(HasSubstr(left), HasSubstr("`netperfctl undo " + job)));

  // The next job tries again by itself.
  std::filesystem::remove(gate);
  const Outcome free = start("same", other);
  EXPECT_EQ(free.code, 0) << free.out << free.err;
  EXPECT_EQ(sack(), "1\n");
  EXPECT_THAT(doctor(), Not(HasSubstr(left)));
}

TEST_F(LeftSides, are_brought_back_when_their_owner_asks) {
  write_gated();
  ASSERT_EQ(start("gated", member).code, kRunFailed);
  const std::string job = newest_job();
  const Outcome still = lab().ctl({"undo", job});
  EXPECT_EQ(still.code, kOther);
  EXPECT_THAT(still.err, AllOf(HasSubstr("could not be brought back: exit code 1"), HasSubstr(gate)));
  const std::string file = lab().directory().path("backup.db");
  ASSERT_EQ(lab().ctl({"db", "backup", file}, User{}).code, 0);
  const Outcome refused = lab().ctl({"db", "restore", file}, User{});
  EXPECT_EQ(refused.code, kOther) << "in another store the job's number is another's";
  EXPECT_THAT(refused.err, HasSubstr("`netperfctl undo " + job));
  std::filesystem::remove(gate);
  EXPECT_EQ(lab().ctl({"undo", job}, other).code, kDenied);
  EXPECT_EQ(sack(), "0\n");
  const Outcome undone = lab().ctl({"undo", job});
  EXPECT_EQ(undone.code, 0) << undone.err;
  EXPECT_EQ(undone.out, fmt::format("job {} had left the machine off side gso-on: brought back.\n", job));
  EXPECT_EQ(sack(), "1\n");
  EXPECT_EQ(lab().ctl({"undo", job}).code, kNotFound) << "nothing is left";
  EXPECT_EQ(lab().ctl({"db", "restore", file}, User{}).code, 0);
}

}  // namespace
}  // namespace netperfd::system_test
