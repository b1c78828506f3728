// SPDX-License-Identifier: GPL-2.0-or-later
// The clients of docs/clients, as a member of the group would run them.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class Clients : public SystemTest, public testing::WithParamInterface<std::vector<std::string>> {
 protected:
  static void SetUpTestSuite() { set_up({}); }
  static Outcome measure(const std::string& scenario, const User& user) {
    std::vector<std::string> argv = GetParam();
    argv.push_back(scenario);
    return run({.argv = argv,
                .environment = {lab().bus().environment()},
                .user = user,
                .netns = {},
                .stderr_file = {}});
  }
};

TEST_P(Clients, measure_and_print_the_throughput_of_the_stored_run) {
  const Outcome measured = measure("quick", lab().users().member);
  ASSERT_EQ(measured.code, 0) << measured.err;
  const Database database = lab().database();
  EXPECT_EQ(database.value("SELECT state FROM runs ORDER BY id DESC LIMIT 1"), "finished");
  const std::string run = database.value("SELECT max(id) FROM runs");
  EXPECT_THAT(measured.out, testing::StartsWith("run " + run + " "));
  EXPECT_THAT(measured.out, testing::ContainsRegex("[1-9][0-9]* Mbit/s"));
}

TEST_P(Clients, say_what_netperfd_refused) {
  const Outcome refused = measure("quick", lab().users().outsider);
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.err, AnyOf(HasSubstr("group"), HasSubstr("Access denied"))) << "busctl says the latter";
}

INSTANTIATE_TEST_SUITE_P(OfDocs, Clients,
                         testing::Values(std::vector<std::string>{NETPERFD_CLIENTS "/measure.py"},
                                         std::vector<std::string>{NETPERFD_CLIENTS "/measure.sh"},
                                         std::vector<std::string>{NETPERFD_CPP_CLIENT}));

}  // namespace
}  // namespace netperfd::system_test
