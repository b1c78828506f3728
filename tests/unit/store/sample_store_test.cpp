// SPDX-License-Identifier: GPL-2.0-or-later
// Sample profiles are stored and read back.
#include <gmock/gmock.h>

#include <limits>

#include "daemon/model/sample_codec.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::HasSubstr;

class SampleStore : public StoreTest {
 protected:
  SampleStore() { open(); }
  RunId store_samples(const std::optional<SampleProfile>& samples) {
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run, 1, 2);
    record.samples = samples;
    must(store->finish(record));
    return run;
  }
};

TEST_F(SampleStore, gives_back_what_was_sampled) {
  SampleProfile other = the_samples();
  other.nodes.pop_back();
  const RunId first = store_samples(other);
  const RunId second = store_samples(the_samples());
  EXPECT_EQ(must(store->samples(second)), the_samples());
  EXPECT_EQ(must(store->samples(first)), other);
}

TEST_F(SampleStore, has_the_figures_in_the_columns_of_their_names) {
  store_samples(the_samples());
  EXPECT_EQ(
      ask(path(),
          "SELECT rate || ' ' || event || ' ' || sees_interrupts_off || ' ' || cpus || ' ' || duration_ns || "
          "' ' || samples || ' ' || idle || ' ' || lost || ' ' || throttled || ' ' || unknown || ' ' || cut "
          "|| ' ' || damaged || ' ' || skipped FROM cpu_samples"),
      "199 cycles 1 4 5000000000 3980 1204 7 3 11 13 2 no skip");
}

TEST_F(SampleStore, tells_of_a_run_that_was_not_sampled_and_of_one_that_is_not_there) {
  const auto none = store->samples(store_samples({}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_THAT(none.error().message, HasSubstr("not sampled"));
  EXPECT_THAT(store->samples(99).error().message, HasSubstr("no such run"));
}

TEST_F(SampleStore, keeps_the_reason_why_nothing_was_sampled) {
  SampleProfile skipped;
  skipped.rate = 199;
  skipped.skipped = "the kernel refuses";
  EXPECT_EQ(must(store->samples(store_samples(skipped))), skipped);
}

TEST_F(SampleStore, cuts_a_number_of_the_kernel_that_it_cannot_hold) {
  SampleProfile samples = the_samples();
  samples.lost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(must(store->samples(store_samples(samples))).lost,
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

TEST_F(SampleStore, refuses_a_stack_that_leads_nowhere) {
  for (const SampleNode& wrong : {SampleNode{.parent = std::nullopt, .frame = 99, .samples = 1},
                                  SampleNode{.parent = 7, .frame = 0, .samples = 1}}) {
    SampleProfile samples = the_samples();
    samples.nodes[1] = wrong;
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run, 1, 2);
    record.samples = samples;
    EXPECT_EQ(store->finish(record).error().kind, ErrorKind::invalid_argument);
  }
}

TEST_F(SampleStore, forgets_samples_with_their_run) {
  must(store->remove(store_samples(the_samples())));
  close();
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM cpu_samples"), "0");
}

TEST(SampleCodec, refuses_bytes_that_were_cut_off_or_changed) {
  const std::string bytes = must(encode_stacks(the_samples()));
  SampleProfile whole;
  ASSERT_TRUE(decode_stacks(bytes, whole));
  EXPECT_EQ(whole.nodes, the_samples().nodes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    SampleProfile profile;
    EXPECT_FALSE(decode_stacks(std::string_view(bytes).substr(0, size), profile)) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char value : {'\0', '\x7F', '\xFF'}) {
      std::string changed = bytes;
      changed[at] = value;
      SampleProfile profile;
      if (!decode_stacks(changed, profile)) continue;
      for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        EXPECT_LT(profile.nodes[i].frame, profile.frames.size());
        EXPECT_LT(profile.nodes[i].parent.value_or(0), i + 1);
      }
    }
  }
  SampleProfile profile;
  EXPECT_FALSE(decode_stacks(bytes + '\0', profile));
}

}  // namespace
}  // namespace netperfd::store
