// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs whose sides set something on the machine: what the switch program is told, and the way back.
#include <gmock/gmock.h>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

JobSpec a_machine_design() {
  JobSpec spec = a_design();
  spec.design->a = Variant{.name = "small", .apply = {}, .verify = {}, .builds = {}};
  spec.design->b = Variant{.name = "large", .apply = {}, .verify = {}, .builds = {}};
  spec.design->b->settings = {{"mtu.eth1", "9000"}};
  spec.design->seed = 5489;  // BAAB
  return spec;
}

constexpr const char* kToB = "/x/switch to /x/note mtu.eth1=9000 --other";
constexpr const char* kToA = "/x/switch to /x/note --other mtu.eth1=9000";
constexpr const char* kIsB = "/x/switch check /x/note mtu.eth1=9000";
constexpr const char* kUndo = "/x/switch undo /x/note";

class MachineSwitch : public DesignRuns {
 protected:
  void end_letter() {
    while (commands_.is_running()) end_command();
    end_run();
  }
};

TEST_F(MachineSwitch, sets_each_letter_and_undoes_all_at_the_end) {
  submit(a_machine_design());
  EXPECT_EQ(command(), kToB) << "nothing is asked of the machine before";
  end_command();
  EXPECT_EQ(command(), kIsB);
  ASSERT_TRUE(sides_.kept);
  EXPECT_EQ(sides_.kept->side, "");
  EXPECT_THAT(sides_.kept->apply, ElementsAre("/x/switch", "undo", "/x/note"));
  end_command();
  end_run();
  for (const char* expected : {kToA, kToA, kToB}) {
    EXPECT_EQ(command(), expected);
    end_letter();
  }
  EXPECT_EQ(command(), kUndo);
  end_command();
  EXPECT_FALSE(commands_.is_running());
  EXPECT_FALSE(sides_.kept);
  EXPECT_THAT(states(), Each(RunState::finished));
}

TEST_F(MachineSwitch, undoes_what_a_failed_switch_has_begun) {
  submit(a_machine_design());
  end_command("exit code 1: mtu.eth1: could not be set");
  EXPECT_EQ(command(), kUndo);
  end_command();
  EXPECT_FALSE(sides_.kept);
  EXPECT_THAT(error_of(store_.runs.begin()->first), HasSubstr("mtu.eth1: could not be set"));
}

TEST_F(MachineSwitch, keeps_the_note_if_the_way_back_fails) {
  submit(a_machine_design());
  end_command("exit code 1");
  end_command("exit code 1: could not bring back mtu.eth1");
  ASSERT_TRUE(sides_.kept) << "it is tried again";
  EXPECT_THAT(sides_.kept->apply, ElementsAre("/x/switch", "undo", "/x/note"));
}

TEST_F(MachineSwitch, sets_nothing_that_it_could_not_note) {
  sides_.refusal = Error{ErrorKind::no_space, "disk full"};
  submit(a_machine_design());
  EXPECT_THAT(commands_.said, ElementsAre());
  EXPECT_THAT(error_of(store_.runs.begin()->first), HasSubstr("the way back could not be noted: disk full"));
}

TEST_F(MachineSwitch, loads_a_module_of_each_side_and_makes_anew_what_went_with_it) {
  JobSpec spec = a_machine_design();
  spec.design->a->settings = {{"module.hsr", "installed"}};
  spec.design->b->settings = {{"module.hsr", "/m/b.ko"}};
  spec.design->prepare = {"/x/lab", "up"};
  submit(spec);
  EXPECT_EQ(command(),
            "/x/switch to /x/note module.hsr=/m/b.ko --other module.hsr=installed --prepare /x/lab up");
  end_command("exit code 1");
  EXPECT_EQ(command(), "/x/switch undo /x/note --prepare /x/lab up");
}

}  // namespace
}  // namespace netperfd::core
