// SPDX-License-Identifier: GPL-2.0-or-later
// Files that real processes read, as the test's own reader does (tests/unit/reading/support.hpp).
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/import/child_import.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::import {

class ChildImportTest : public testing::Test {
 protected:
  static constexpr uid_t kOwner = 1000, kOther = 1001;

  ChildImportTest() { import_.emplace(loop_, settings_); }
  // Reaps children that the importer leaves running until the daemon ends.
  ~ChildImportTest() override {
    import_.reset();
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
  void use(const ImportSettings& settings) { import_.emplace(loop_, settings); }

  // Reads a file with this text to its end.
  Result<ImportedFile> read(std::string_view text) { return read(reading::test::file_of(text), text.size()); }
  Result<ImportedFile> read(Fd file, std::uint64_t size) {
    std::optional<Result<ImportedFile>> result;
    const auto handle = begin(std::move(file), size, [&](auto record) { result = std::move(record); });
    if (!handle) return std::unexpected(handle.error());
    if (!reading::test::turn_until(loop_, [&] { return result.has_value(); }))
      return fail(ErrorKind::internal, "no answer");
    return *std::move(result);
  }
  Result<std::shared_ptr<void>> begin(Fd file, std::uint64_t size, ChildImport::Done done) {
    return import_->read(kOwner, std::move(file), size, std::move(done));
  }
  Result<std::shared_ptr<void>> begin(std::string_view text, ChildImport::Done done) {
    return begin(reading::test::file_of(text), text.size(), std::move(done));
  }
  Result<Fd> text_of(const char* recording, core::TextReader reader = core::TextReader::root,
                     uid_t owner = kOwner) {
    return import_->text(
        owner,
        [this, recording] {
          ++recordings_;
          return Result<std::string>(recording);
        },
        reader, [this] { ++texts_ended_; });
  }
  // Waits, since killed children take some time to end.
  bool come_down_to(std::size_t count) {
    return reading::test::turn_until(loop_, [&] { return reading::test::children().size() == count; });
  }
  std::string error_of(std::string_view text) { return error_of(reading::test::file_of(text), text.size()); }
  std::string error_of(Fd file, std::uint64_t size) {
    const auto record = read(std::move(file), size);
    if (record) return "no error";
    EXPECT_EQ(record.error().kind, ErrorKind::invalid_argument);
    return record.error().message;
  }

  EventLoop loop_ = reading::test::make_loop();
  ImportSettings settings_{.reader = reading::test::settings()};
  std::size_t recordings_ = 0, texts_ended_ = 0;  // for text_of()
  std::optional<ChildImport> import_;
};

}  // namespace netperfd::import
