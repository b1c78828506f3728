// SPDX-License-Identifier: GPL-2.0-or-later
// The store as a whole, over the bus: who may do what with it, and what the daemon makes of the answers.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreOverBus : public ClientTest {
 protected:
  static core::StoredJob old_job(JobId id, uid_t owner) {
    return {.id = id,
            .scenario = "veth-tcp",
            .label = "try",
            .runs = 2,
            .stored_bytes = 4096,
            .newest = WallTime{std::chrono::seconds{1000}},
            .open = false,
            .owner = owner};
  }
  // The numbers of the jobs that a user's rule finds.
  std::string old_jobs_of(const User& user, const dbus::Row& rule) {
    return as(user, [rule](sdbus::IProxy& manager) {
      dbus::Rows jobs;
      std::string next;
      manager.callMethod("ListOldJobs")
          .onInterface(dbus::kManagerInterface)
          .withArguments(rule, std::string{}, std::uint32_t{0})
          .storeResultsTo(jobs, next);
      std::string numbers;
      for (const dbus::Row& job : jobs) numbers += std::to_string(job.at("job").get<std::uint64_t>()) + " ";
      return numbers + next;
    });
  }
  static std::string error_of(sdbus::IProxy& manager, const char* method) {
    return outcome_of([&] { manager.callMethod(method).onInterface(dbus::kManagerInterface); });
  }
};

TEST_F(StoreOverBus, is_checked_for_members_with_the_space_of_its_disk) {
  queries.stored_check = {.problems = {"row 7 is missing"},
                          .version = 20,
                          .newest_version = 21,
                          .jobs = 3,
                          .runs = 14,
                          .bytes = 40'960,
                          .free_bytes = 4096};
  const auto checked = client->call<dbus::Row>("CheckStore");
  ASSERT_EQ(checked.error, "") << checked.text;
  const dbus::Row& store_row = std::get<0>(checked.values);
  const auto number = [&store_row](const char* key) { return store_row.at(key).get<std::uint64_t>(); };
  EXPECT_EQ(number("version"), 20U);
  EXPECT_EQ(number("newest_version"), 21U);
  EXPECT_EQ(number("jobs"), 3U);
  EXPECT_EQ(number("runs"), 14U);
  EXPECT_EQ(number("bytes"), 40'960U);
  EXPECT_EQ(number("unused_bytes"), 4096U);
  EXPECT_EQ(number("disk_free_bytes"), 77U);
  EXPECT_THAT(store_row.at("problems").get<std::vector<std::string>>(), ElementsAre("row 7 is missing"));
  EXPECT_GT(query_runner->callers.back().deadline, std::chrono::minutes{10}) << "it may be a large one";
  const std::string refused = as({}, [](sdbus::IProxy& manager) { return error_of(manager, "CheckStore"); });
  EXPECT_EQ(refused, dbus::error::kAccessDenied);
}

TEST_F(StoreOverBus, is_copied_for_those_who_may_read_all_raw_data) {
  const std::string refused =
      as({.groups = {kGroup}}, [](sdbus::IProxy& manager) { return error_of(manager, "OpenBackup"); });
  EXPECT_EQ(refused, dbus::error::kAccessDenied);
  const auto opened = client->call<sdbus::UnixFd>("OpenBackup");
  ASSERT_EQ(opened.error, "") << opened.text;
  std::array<char, 64> bytes{};
  const ssize_t got = ::read(std::get<0>(opened.values).get(), bytes.data(), bytes.size());
  EXPECT_EQ(std::string(bytes.data(), static_cast<std::size_t>(got)), "the store");
  EXPECT_EQ(audit_store.entries.back().action, "backup");
}

TEST_F(StoreOverBus, is_not_restored_by_members_or_while_a_job_waits_or_runs) {
  const Fd file{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  const auto restore = [&file, this] {
    return client->call<dbus::Row>("RestoreStore", sdbus::UnixFd{file.get()});
  };
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  const auto refused = restore();
  EXPECT_EQ(refused.error, dbus::error::kBusy);
  EXPECT_THAT(refused.text, HasSubstr("job 1 ("));
  EXPECT_EQ(store_keeper.replaced, 0);
  const std::string denied = as({.groups = {kGroup}}, [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      dbus::Row restored;
      manager.callMethod("RestoreStore")
          .onInterface(dbus::kManagerInterface)
          .withArguments(sdbus::UnixFd{0})
          .storeResultsTo(restored);
    });
  });
  EXPECT_EQ(denied, dbus::error::kAccessDenied);
  EXPECT_EQ(store_keeper.replaced, 0);
}

TEST_F(StoreOverBus, is_restored_by_the_checked_file_and_by_no_other) {
  const Fd file{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  const auto restore = [&file, this] {
    return client->call<dbus::Row>("RestoreStore", sdbus::UnixFd{file.get()});
  };
  query_runner->instead = fail(ErrorKind::unsupported, "its schema has version 21");
  const auto refused = restore();
  EXPECT_EQ(refused.error, dbus::error::kUnsupported);
  EXPECT_EQ(refused.text, "its schema has version 21");
  EXPECT_EQ(store_keeper.replaced, 0);
  EXPECT_EQ(store_keeper.dropped, 1) << "nothing is left";
  query_runner->instead = answer_candidate(queries, 19);
  const auto restored = restore();
  ASSERT_EQ(restored.error, "") << restored.text;
  const dbus::Row& row = std::get<0>(restored.values);
  EXPECT_EQ(row.at("from_version").get<std::uint64_t>(), 19U);
  EXPECT_EQ(row.at("kept").get<std::string>(), "/var/lib/netperfd/netperfd.db.before-restore-7");
  EXPECT_EQ(store_keeper.replaced, 1);
  EXPECT_EQ(query_runner->candidate_bytes, 70U) << "the rest is kept free";
  queries.stored_check.problems = {"row 7 is missing"};
  EXPECT_THAT(answer_candidate(queries, 19).error().message,
              HasSubstr("it is damaged, or no store of netperfd's: row 7 is missing"));
}

TEST_F(StoreOverBus, has_old_jobs_by_a_rule_for_root_those_of_all_users) {
  queries.stored_whole_jobs = {old_job(9, 1000), old_job(8, 65534), old_job(7, 1000), old_job(6, 65534)};
  const dbus::Row two_runs{{"count", sdbus::Variant{std::uint64_t{2}}}};
  EXPECT_EQ(old_jobs_of({}, two_runs), "6 ") << "only the own ones count";
  if (::geteuid() == 0) {
    const auto listed =
        client->call<dbus::Rows, std::string>("ListOldJobs", two_runs, std::string{}, std::uint32_t{1});
    ASSERT_EQ(listed.error, "") << listed.text;
    const auto& [jobs, next] = listed.values;
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].at("job").get<std::uint64_t>(), 7U) << "those of each user count apart";
    EXPECT_EQ(jobs[0].at("user").get<std::uint32_t>(), 1000U);
    EXPECT_EQ(jobs[0].at("why").get<std::string>(), "beyond the newest 2 runs");
    const auto rest = client->call<dbus::Rows, std::string>("ListOldJobs", two_runs, next, std::uint32_t{2});
    ASSERT_EQ(std::get<0>(rest.values).size(), 1U);
    EXPECT_EQ(std::get<0>(rest.values)[0].at("job").get<std::uint64_t>(), 6U);
    EXPECT_EQ(std::get<0>(rest.values)[0].at("user").get<std::uint32_t>(), 65534U);
    EXPECT_EQ(std::get<1>(rest.values), "");
  }
  const auto unbounded =
      client->call<dbus::Rows, std::string>("ListOldJobs", dbus::Row{}, std::string{}, std::uint32_t{0});
  EXPECT_EQ(unbounded.error, dbus::error::kInvalidArgument);
}

}  // namespace
}  // namespace netperfd::bus
