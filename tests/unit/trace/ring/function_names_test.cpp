// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/function_names.hpp"

#include <gmock/gmock.h>

#include "daemon/trace/traced_functions.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

constexpr const char* kKallsyms =
    "ffffffff81000100 t twin\n"
    "ffffffff81000200 T lone\n"
    "ffffffff81000300 t twin\n"
    "ffffffffc0000000 t twin\t[hsr]\n"
    "ffffffffc0000100 t hsr_get_node\t[hsr]\n";

TEST(FunctionNames, tells_functions_of_one_name_apart_by_their_order_in_memory) {
  const auto symbols = Symbols::parse(kKallsyms, 1);
  const FunctionNames names(symbols);
  EXPECT_EQ(names.name_of(0xffffffff81000104), (analysis::FunctionName{"twin", "", 1}));
  EXPECT_EQ(names.name_of(0xffffffff81000304), (analysis::FunctionName{"twin", "", 2}));
}

TEST(FunctionNames, counts_no_function_of_another_module_as_a_duplicate) {
  const auto symbols = Symbols::parse(kKallsyms, 1);
  const FunctionNames names(symbols);
  EXPECT_EQ(names.name_of(0xffffffffc0000004), (analysis::FunctionName{"twin", "hsr", 0}));
  EXPECT_EQ(names.name_of(0xffffffff81000200), (analysis::FunctionName{"lone", "", 0}));
}

TEST(FunctionNames, shows_a_token_where_no_symbol_is) {
  const auto symbols = Symbols::parse(kKallsyms, 1);
  const FunctionNames names(symbols);
  EXPECT_THAT(names.name_of(0x1000).name, testing::StartsWith("p:"));
}

class TracedFunctionsTest : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("proc/kallsyms", kKallsyms);
    scratch_.write("proc/modules", "hsr 45056 0 - Live 0xffffffffc0000000\nveth 1 0 - Live 0x1\n");
    scratch_.write("proc/sys/kernel/osrelease", "6.12.1-test\n");
    scratch_.write("sys/kernel/notes", note("Linux", 257, "xx") + note("GNU", 3, "\x1a\x2b\x3c\x4d"));
    scratch_.write("sys/module/hsr/notes/.note.gnu.build-id", note("GNU", 3, "\x3f\x9c\x21\xd0"));
    scratch_.write("sys/module/veth/srcversion", "ABCDEF\n");
  }
  // As in include/uapi/linux/elf.h: three words, then name and description padded to four bytes.
  static std::string note(const std::string& name, std::uint32_t type, const std::string& description) {
    const auto word = [](std::size_t value) {
      const auto number = static_cast<std::uint32_t>(value);
      return std::string(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const auto padded = [](std::string text) {
      text.resize((text.size() + 3) / 4 * 4);
      return text;
    };
    return word(name.size() + 1) + word(description.size()) + word(type) + padded(name + '\0') +
           padded(description);
  }
  ScratchDirectory scratch_;
};

TEST_F(TracedFunctionsTest, keeps_the_builds_of_the_kernel_and_of_the_modules_in_the_profile) {
  const auto functions = TracedFunctions::read(scratch_.path("proc"), scratch_.path("sys"), 1);
  ASSERT_TRUE(functions) << functions.error().message;
  FunctionProfile profile;
  profile.functions.resize(1);
  profile.functions[0].module = "hsr";
  const auto builds = (*functions)->builds_of(profile);
  ASSERT_EQ(builds.size(), 2U);
  EXPECT_EQ(builds[0].release, "6.12.1-test");
  EXPECT_EQ(builds[0].build_id, "1a2b3c4d");
  EXPECT_EQ(builds[1].module, "hsr");
  EXPECT_EQ(builds[1].build_id, "3f9c21d0");
}

TEST_F(TracedFunctionsTest, reads_a_srcversion_where_there_is_one) {
  const auto builds = read_builds(scratch_.path("proc"), scratch_.path("sys"));
  ASSERT_EQ(builds.size(), 3U);
  EXPECT_EQ(builds[2].module, "veth");
  EXPECT_EQ(builds[2].srcversion, "ABCDEF");
  EXPECT_EQ(builds[2].build_id, "");
}

TEST_F(TracedFunctionsTest, names_functions_of_a_module_that_is_gone_meanwhile) {
  const auto functions = TracedFunctions::read(scratch_.path("proc"), scratch_.path("sys"), 1);
  ASSERT_TRUE(functions);
  EXPECT_TRUE((*functions)->still_current());
  scratch_.write("proc/modules", "veth 1 0 - Live 0x1\n");
  scratch_.write("proc/kallsyms", "");
  EXPECT_FALSE((*functions)->still_current());
  EXPECT_EQ((*functions)->name_of(0xffffffffc0000104).name, "hsr_get_node");
}

TEST_F(TracedFunctionsTest, takes_damaged_notes_for_no_build_id) {
  scratch_.write("sys/kernel/notes", note("GNU", 3, "\x1a\x2b\x3c\x4d").substr(0, 14));
  EXPECT_EQ(read_builds(scratch_.path("proc"), scratch_.path("sys")).front().build_id, "");
}

}  // namespace
}  // namespace netperfd::trace
