// SPDX-License-Identifier: GPL-2.0-or-later
// Two netperfds on one machine, as in containers: in PID namespaces of their own, so that neither sees the
// processes of the other, but with one cgroup and one tracefs.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class Neighbours : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }
};

// A netperfd in a PID namespace of its own, with its own bus and store.
class Neighbour {
 public:
  explicit Neighbour(const Lab& lab)
      : bus_(directory_),
        configuration_(
            directory_.write("neighbour.yaml", lab.configuration_text(lab.scenarios_dir(), lab.users().group,
                                                                      directory_.path("neighbour.db")))) {}

  void start() {
    netperfd_ = std::make_unique<NetperfdProcess>(directory_, bus_, configuration_, "neighbour",
                                                  std::vector<std::string>{}, in_namespace());
    netperfd_->wait_until_ready();
  }
  // The signal is for netperfd itself, whose end unshare(1) waits for.
  void end_by(int signal_number) {
    const auto all = all_processes();
    const auto found = std::ranges::find(all, netperfd_->process().pid(), &SeenProcess::parent);
    ASSERT_NE(found, all.end());
    ASSERT_EQ(::kill(found->pid, signal_number), 0);
    (void)netperfd_->process().wait();
  }
  [[nodiscard]] Outcome clean_up() const {
    std::vector<std::string> argv = in_namespace();
    argv.insert(argv.end(), {NETPERFD_PROGRAM, "--config", configuration_, "--cleanup"});
    return run({.argv = std::move(argv), .environment = {}, .user = {}, .netns = {}, .stderr_file = {}});
  }
  [[nodiscard]] std::string log() const { return netperfd_->log(); }

 private:
  static std::vector<std::string> in_namespace() {
    return {"unshare", "--pid", "--fork", "--mount-proc", "--kill-child"};
  }
  ScratchDir directory_;
  PrivateBus bus_;
  std::string configuration_;
  std::unique_ptr<NetperfdProcess> netperfd_;
};

TEST_F(Neighbours, that_start_end_and_clean_up_do_not_disturb_a_run_that_is_traced) {
  Neighbour neighbour{lab()};
  JobWatch watch{lab().bus().address()};
  const std::string file = lab().directory().write(
      "traced.yaml",
      fmt::format(
          "name: traced\nworkload: {{iperf3: {{netns: {}, local: {{netns: {}, bind: {}}}, duration: 3s}}}}\n"
          "trace: {{events: [{{name: 'skb:kfree_skb'}}]}}\n",
          lab().net().left(), lab().net().right(), NetnsPair::kRightAddress));
  const StartedJob job = lab().start(file);
  watch.wait_for_run_state(job.id, "running");
  neighbour.start();
  neighbour.end_by(SIGKILL);
  const Outcome cleaned = neighbour.clean_up();
  EXPECT_EQ(cleaned.code, 0) << cleaned.err;
  EXPECT_THAT(cleaned.out, Not(HasSubstr("cgroups")));
  neighbour.start();
  neighbour.end_by(SIGTERM);
  EXPECT_THAT(neighbour.log(), Not(HasSubstr("of a netperfd that died")));
  const auto ends = watch.wait_for_runs(job.id, 1);
  EXPECT_EQ(ends.front().state, "finished") << ends.front().error;
}

}  // namespace
}  // namespace netperfd::system_test
