// SPDX-License-Identifier: GPL-2.0-or-later
// The table of methods says what docs/access.md and the bus policy say.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "daemon/bus/call/method.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

using ByMethod = std::map<std::string, std::set<std::string>>;

std::string text_of(const std::string& path) {
  std::ifstream file{std::string{NETPERFD_TEST_DATA "/../../"} + path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// `Name`, but not `Name(argument)`.
std::set<std::string> methods_in(const std::string& text) {
  static const std::regex kMethod{"`([A-Z][A-Za-z]+)`"};
  std::set<std::string> found;
  for (auto each = std::sregex_iterator{text.begin(), text.end(), kMethod}; each != std::sregex_iterator{};
       ++each)
    found.insert((*each)[1]);
  return found;
}

ByMethod documented() {
  const std::string text = text_of("docs/access.md");
  ByMethod found;
  static const std::regex kAction{R"(\n\| `([a-z-]+)` \| ([^|]*) \|)"};
  for (auto row = std::sregex_iterator{text.begin(), text.end(), kAction}; row != std::sregex_iterator{};
       ++row) {
    for (const std::string& method : methods_in((*row)[2])) found[method].insert((*row)[1]);
  }
  static const std::regex kMembers{R"([^.]*are for root and members of the group)"};
  std::smatch members;
  if (std::regex_search(text, members, kMembers)) {
    for (const std::string& method : methods_in(members.str())) found[method].insert("member");
  }
  return found;
}

std::string word_of(const Access& access) {
  switch (access.who) {
    case Who::everybody:
    case Who::identified:
      return "";
    case Who::member:
      return "member";
    case Who::action:
      return std::string{to_string(access.action)};
    case Who::live_job_owner:
    case Who::job_owner:
    case Who::run_owner:
      return "manage-own";
    case Who::raw_data_reader:
      return "read-raw-data";
  }
  return "";
}

TEST(MethodTable, is_what_docs_access_says) {
  ByMethod in_table;
  for (const Method& method : method_table()) {
    if (const std::string word = word_of(method.access); !word.empty()) in_table[method.name].insert(word);
  }
  EXPECT_GT(in_table.size(), 15U);
  EXPECT_EQ(in_table, documented());
}

// "6 MiB + 64 KiB"
std::uint32_t bytes_of(const std::string& words) {
  static const std::regex kPart{R"((\d+) ([KM])iB)"};
  std::uint32_t bytes = 0;
  for (auto part = std::sregex_iterator{words.begin(), words.end(), kPart}; part != std::sregex_iterator{};
       ++part)
    bytes += static_cast<std::uint32_t>(std::stoul((*part)[1])) << ((*part)[2] == "M" ? 20U : 10U);
  return bytes;
}

std::uint32_t number_of(std::string words) {
  std::erase(words, ',');
  return static_cast<std::uint32_t>(std::stoul(words));
}

TEST(MethodTable, limits_messages_as_docs_access_says) {
  const std::string text = text_of("docs/access.md");
  static const std::regex kRow{R"(\n\| ([^|]*) \| ([^|]*iB) \| ([\d,]+) \|)"};
  using Sizes = std::pair<std::uint32_t, std::uint32_t>;
  std::map<std::string, Sizes> sizes;
  Sizes others{};
  for (auto row = std::sregex_iterator{text.begin(), text.end(), kRow}; row != std::sregex_iterator{};
       ++row) {
    const Sizes of_row{bytes_of((*row)[2]), number_of((*row)[3])};
    if ((*row)[1] == "any other call") others = of_row;
    for (const std::string& method : methods_in((*row)[1])) sizes[method] = of_row;
  }
  EXPECT_GT(sizes.size(), 10U);
  for (const Method& method : method_table()) {
    const auto found = sizes.extract(method.name);
    EXPECT_EQ((Sizes{method.limits.bytes, method.limits.entries}), found ? found.mapped() : others)
        << method.name;
  }
  EXPECT_TRUE(sizes.empty()) << sizes.begin()->first;
}

TEST(MethodTable, takes_descriptors_where_the_bus_policy_lets_them_pass) {
  const std::string policy = text_of("dbus/org.netperfd1.conf");
  static const std::regex kPasses{R"re(send_member="([A-Za-z]+)" max_fds="(\d+)")re"};
  std::map<std::string, unsigned long> passed, taken;
  for (auto each = std::sregex_iterator{policy.begin(), policy.end(), kPasses};
       each != std::sregex_iterator{}; ++each)
    passed[(*each)[1]] = std::stoul((*each)[2]);
  for (const Method& method : method_table()) {
    if (method.limits.descriptors > 0) taken[method.name] = method.limits.descriptors;
    EXPECT_EQ(method.limits.descriptors > 0, method.takes.find('h') != std::string::npos) << method.name;
  }
  EXPECT_EQ(taken, passed);
}

TEST(MethodTable, records_what_changes_something_or_reads_raw_data) {
  for (const Method& method : method_table()) {
    const bool needs_permission = !word_of(method.access).empty() && method.access.who != Who::member;
    EXPECT_EQ(needs_permission, *method.audit.word != '\0') << method.name;
  }
}

// GCC 12 destroys an aggregate that is made within a co_await twice.
TEST(MethodTable, has_no_work_that_awaits_a_call_with_braces) {
  static const std::regex kWords{R"re("(\\.|[^"\\\n])*"|//[^\n]*)re"},
      kBraces{R"(co_await[^;]*([({,]\s*|\b[A-Z]\w*)\{)"};
  int sources = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator{NETPERFD_TEST_DATA "/../../daemon"}) {
    if (each.path().extension() != ".cpp") continue;
    const std::string text = text_of(std::filesystem::relative(each.path(), NETPERFD_TEST_DATA "/../../"));
    EXPECT_FALSE(std::regex_search(std::regex_replace(text, kWords, ""), kBraces)) << each.path();
    sources += text.find("co_await") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(sources, 3);
}

TEST(MethodTable, finds_a_method_by_its_interface) {
  ASSERT_NE(find_method(dbus::kManagerInterface, "Mark"), nullptr);
  EXPECT_EQ(find_method(dbus::kManagerInterface, "Mark")->takes, "ts");
  EXPECT_EQ(find_method(dbus::kJobInterface, "Mark")->takes, "s");
  EXPECT_EQ(find_method(dbus::kJobInterface, "GetRun"), nullptr);
  EXPECT_NE(find_method("", "GetRun"), nullptr);
  EXPECT_EQ(find_method("", "getRun"), nullptr);
}

}  // namespace
}  // namespace netperfd::bus
