// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/job_reader.hpp"
#include "daemon/core/queue/feasibility.hpp"
#include "tests/unit/config/support.hpp"

namespace netperfd::config {
namespace {

// The jobs of a page: indented texts that begin with a name.
std::vector<std::string> jobs_of(const std::string& page) {
  constexpr std::string_view kIndent = "    ";
  std::vector<std::string> jobs;
  std::istringstream lines(contents(source_root() / page));
  bool in_job = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("    name: ")) jobs.emplace_back();
    in_job = line.starts_with("    name: ") || (in_job && line.starts_with(kIndent));
    if (in_job) jobs.back() += line.substr(kIndent.size()) + '\n';
  }
  return jobs;
}

// Of the jobs of a page, all of which netperfd takes.
std::vector<std::string> names_of(const std::string& page) {
  std::vector<std::string> names;
  for (const std::string& text : jobs_of(page)) {
    JobText job;
    job.text = text;
    job.origin = page;
    job.commands_refused.clear();
    const auto spec = read_job(job, {}, {});
    EXPECT_TRUE(spec) << spec.error().message << '\n' << text;
    if (!spec) continue;
    names.push_back(spec->name);
    EXPECT_THAT(core::why_no_answer(*spec), testing::IsEmpty()) << text;
  }
  return names;
}

TEST(Cookbook, has_jobs_that_netperfd_takes) {
  EXPECT_THAT(names_of("docs/cookbook.md"),
              testing::ElementsAre("two-ends", "to-far", "netdev-budget", "watch"));
}

TEST(PageOfScenarios, has_jobs_that_netperfd_takes) {
  EXPECT_THAT(names_of("docs/scenarios.md"),
              testing::ElementsAre("veth-tcp", "rr", "wrk", "veth-drops", "watch-drops"));
}

TEST(PageOfDesigns, has_jobs_that_netperfd_takes) {
  EXPECT_THAT(names_of("docs/designs.md"), testing::ElementsAre("hsr-lookup", "kernels"));
}

}  // namespace
}  // namespace netperfd::config
