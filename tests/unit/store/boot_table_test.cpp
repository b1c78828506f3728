// SPDX-License-Identifier: GPL-2.0-or-later
// The boots of designs that reboot the machine.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/store/design_fixture.hpp"

namespace netperfd::store {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class Boots : public Designs {
 protected:
  JobId a_stored_job(const std::string& name = "hsr") {
    const JobSpec spec = a_design(name);
    return must(store->add_job(spec, draw_slots(spec, 42), 0, kMorning)).id;
  }
  static BootRecord asked(std::uint32_t number, seconds after = seconds{0}) {
    return {.number = number,
            .block = 3,
            .letter = 2,
            .side = 'B',
            .variant = "hash",
            .asked = kMorning + after,
            .settled = {},
            .boot_id = {},
            .kernel = {},
            .failure = {}};
  }
  static BootArrival settled(seconds after) {
    return {.settled = kMorning + after, .boot_id = "b-1", .kernel = "6.12.9", .failure = {}};
  }
};

TEST_F(Boots, are_stored_when_asked_and_completed_after) {
  const JobId job = a_stored_job();
  must(store->add_boot(job, asked(1)));
  EXPECT_THAT(must(store->boots_of_job(job)), ElementsAre(asked(1)));
  must(store->end_boot(job, 1, settled(seconds{90})));
  const BootRecord boot = must(store->boots_of_job(job)).at(0);
  EXPECT_EQ(boot.settled, kMorning + seconds{90});
  EXPECT_EQ(boot.boot_id, "b-1");
  EXPECT_EQ(boot.kernel, "6.12.9");
  EXPECT_EQ(boot.block, 3U);
  EXPECT_EQ(boot.letter, 2U);
  EXPECT_EQ(boot.side, 'B');
}

TEST_F(Boots, keep_the_first_time_that_they_were_ready) {
  const JobId job = a_stored_job();
  must(store->add_boot(job, asked(1)));
  must(store->end_boot(job, 1, settled(seconds{90})));
  must(store->end_boot(job, 1, settled(seconds{4000})));
  EXPECT_EQ(must(store->boots_of_job(job)).at(0).settled, kMorning + seconds{90});
}

TEST_F(Boots, back_to_the_original_side_belong_to_no_letter) {
  const JobId job = a_stored_job();
  BootRecord back = asked(5);
  back.block = back.letter = 0;
  back.failure = "exit code 1";
  must(store->add_boot(job, back));
  EXPECT_THAT(must(store->boots_of_job(job)), ElementsAre(back));
  close();
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM boots WHERE block IS NULL AND letter IS NULL"), "1");
}

TEST_F(Boots, of_a_job_that_is_gone_are_gone) {
  const JobSpec spec = a_design();
  const core::NewJob job = must(store->add_job(spec, draw_slots(spec, 42), 0, kMorning));
  must(store->add_boot(job.id, asked(1)));
  must(store->cancel_pending(job.id, "stopped"));
  for (const RunId run : job.runs) must(store->remove(run));
  EXPECT_THAT(must(store->boots_of_job(job.id)), IsEmpty());
}

TEST_F(Boots, take_the_median_time_of_their_scenario) {
  EXPECT_EQ(must(store->boot_time("hsr")), std::nullopt);
  const JobId job = a_stored_job();
  const JobId other = a_stored_job("other");
  std::uint32_t number = 0;
  for (const int time : {90, 900, 100}) {
    must(store->add_boot(job, asked(++number)));
    must(store->end_boot(job, number, settled(seconds{time})));
  }
  must(store->add_boot(job, asked(4)));
  must(store->add_boot(other, asked(1)));
  must(store->end_boot(other, 1, settled(seconds{7})));
  EXPECT_EQ(must(store->boot_time("hsr")), seconds{100});
}

TEST_F(Boots, stay_held_over_a_restart_of_the_daemon) {
  const JobId job = a_stored_job();
  a_stored_job();
  must(store->set_held(job, true));
  close();
  open();
  const auto unfinished = must(store->unfinished_jobs());
  ASSERT_EQ(unfinished.size(), 2U);
  EXPECT_TRUE(unfinished[0].held);
  EXPECT_FALSE(unfinished[1].held);
  must(store->set_held(job, false));
  EXPECT_FALSE(must(store->unfinished_jobs()).at(0).held);
}

}  // namespace
}  // namespace netperfd::store
