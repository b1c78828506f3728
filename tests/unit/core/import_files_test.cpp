// SPDX-License-Identifier: GPL-2.0-or-later
// What a run keeps of the files that it was imported from.
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/core/importer_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ImportFiles : public ImporterTest {
 protected:
  ~ImportFiles() override { std::filesystem::remove(path_); }

  // A file that was last written at that time.
  Fd file_of(std::int64_t second, long nanosecond = 0) {
    std::ofstream(path_) << "12345";
    const struct timespec times[] = {{second, nanosecond}, {second, nanosecond}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
    return open_file(path_.c_str(), O_RDONLY);
  }
  const RunRecord& imported(Fd file, ImportedFile content, std::string name = "file", uid_t owner = 0) {
    held.clear();
    const auto begun =
        begin(one(std::move(file), std::move(name)), {.name = "import", .label = "", .owner = owner});
    if (!begun) throw std::runtime_error(begun.error().message);
    files.last().end(std::move(content));
    return record_of(results.back());
  }
  const RunRecord& imported(ImportedFile content, std::string name = "file", uid_t owner = 0) {
    return imported(open_file(kAnyFile, O_RDONLY), std::move(content), std::move(name), owner);
  }
  static ImportedFile with_digest(ImportedFile file, char digit) {
    file.sha256 = std::string(64, digit);
    return file;
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("netperfd-import-{}", ::getpid());
};

TEST_F(ImportFiles, are_kept_by_name_size_time_and_digest) {
  const RunRecord& record =
      imported(file_of(1'700'000'001, 5'000), with_digest(a_document(), 'a'), "/lab/2026/client.json");
  EXPECT_THAT(record.files,
              ElementsAre(SourceFile{.name = "client.json",
                                     .size = 5,
                                     .modified = WallTime{std::chrono::microseconds{1'700'000'001'000'005}},
                                     .sha256 = std::string(64, 'a')}));
}

TEST_F(ImportFiles, of_a_pair_are_kept_in_their_order) {
  ASSERT_TRUE(begin_pair());
  files.last().end(with_digest(a_document(), 'a'));
  files.last().end(with_digest(a_trace(), 'b'));
  const auto& kept = record_of(results.at(0)).files;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].name, "client.json");
  EXPECT_EQ(kept[0].sha256, std::string(64, 'a'));
  EXPECT_EQ(kept[1].name, "trace.dat");
  EXPECT_EQ(kept[1].sha256, std::string(64, 'b'));
}

TEST_F(ImportFiles, date_the_run_by_the_document_before_the_file) {
  (void)imported(file_of(1'600'000'000), a_document());
  ASSERT_TRUE(results.back()->date);
  EXPECT_EQ(results.back()->date->measured, WallTime{std::chrono::seconds{1'795'263'401}});
  EXPECT_EQ(results.back()->date->source, DateSource::document);
}

TEST_F(ImportFiles, date_the_run_of_a_trace_by_the_time_of_the_file) {
  (void)imported(file_of(1'600'000'000), a_trace());
  ASSERT_TRUE(results.back()->date);
  EXPECT_EQ(results.back()->date->measured, WallTime{std::chrono::seconds{1'600'000'000}});
  EXPECT_EQ(results.back()->date->source, DateSource::file);
}

TEST_F(ImportFiles, without_a_name_in_a_file_system_have_no_time) {
  Fd memory{::memfd_create("standard input", MFD_CLOEXEC)};
  EXPECT_FALSE(imported(std::move(memory), a_trace(), "standard input").files.at(0).modified);
  EXPECT_FALSE(results.back()->date);
}

TEST_F(ImportFiles, with_a_time_that_cannot_be_have_none) {
  EXPECT_FALSE(imported(file_of(-5), a_trace()).files.at(0).modified);
}

TEST_F(ImportFiles, that_were_imported_before_are_flagged_with_the_run) {
  EXPECT_THAT(codes_of(imported(with_digest(a_document(), 'a'), "one.json", 7)),
              Not(Contains("imported-before")));
  const RunId first = results.back()->run;
  const RunRecord& again = imported(with_digest(a_document(), 'a'), "two.json", 7);
  EXPECT_THAT(codes_of(again), ElementsAre("imported", "too-short", "imported-before"));
  const std::string clause = fmt::format("two.json was imported before: run {} has the same file", first);
  EXPECT_EQ(again.flags.at(2).message, clause + "; both are one measurement");
  EXPECT_THAT(results.back()->repeated, ElementsAre(clause));
  EXPECT_THAT(codes_of(imported(with_digest(a_document(), 'b'), "two.json", 7)),
              Not(Contains("imported-before")))
      << "the name does not matter";
}

TEST_F(ImportFiles, of_other_users_are_not_told_of) {
  (void)imported(with_digest(a_document(), 'a'), "one.json", 7);
  EXPECT_THAT(codes_of(imported(with_digest(a_document(), 'a'), "one.json", 8)),
              Not(Contains("imported-before")));
  EXPECT_THAT(results.back()->repeated, IsEmpty());
}

TEST_F(ImportFiles, of_unknown_digests_are_not_the_same) {
  (void)imported(a_document());
  EXPECT_THAT(codes_of(imported(a_document())), Not(Contains("imported-before")));
}

TEST_F(ImportFiles, of_a_pair_are_recognized_each_for_itself) {
  (void)imported(with_digest(a_trace(), 'b'), "old.dat");
  held.clear();
  ASSERT_TRUE(begin_pair());
  files.last().end(with_digest(a_document(), 'a'));
  files.last().end(with_digest(a_trace(), 'b'));
  ASSERT_EQ(results.back()->repeated.size(), 1U);
  EXPECT_THAT(results.back()->repeated.front(), HasSubstr("trace.dat was imported before: run "));
}

TEST_F(ImportFiles, with_names_that_are_none_are_refused) {
  for (const std::string& name : {std::string("lab/"), std::string("/"), std::string("a\x1b[2J"),
                                  std::string("a\xff"), std::string("a\u202eb"), std::string(10'240, 'x')}) {
    const auto begun = begin(one(open_file(kAnyFile, O_RDONLY), name));
    ASSERT_FALSE(begun) << name;
    EXPECT_EQ(begun.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(begun.error().message, HasSubstr("a file's name is one printable line of 1 to 255 bytes"));
    EXPECT_LT(begun.error().message.size(), 300U);
  }
  EXPECT_THAT(files.readings, IsEmpty());
}

TEST_F(ImportFiles, with_names_that_lead_elsewhere_keep_only_the_last_part) {
  EXPECT_EQ(imported(a_trace(), "../../etc/passwd").files.at(0).name, "passwd");
}

}  // namespace
}  // namespace netperfd::core
