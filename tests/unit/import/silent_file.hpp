// SPDX-License-Identifier: GPL-2.0-or-later
// A file on a user-space file system that does not answer.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd::import::test {

// The file can be opened and examined. Reading or closing it blocks, and no signal ends that, until let_go(),
// destruction or kTestPatience: a test that waits for it fails instead of hanging. The server is a process of
// its own, which ends by itself: if the test is killed while it holds the file, it cannot wait for itself for
// ever.
class SilentFile {
 public:
  static constexpr std::uint64_t kSize = 4096;

  // Otherwise there is nothing to test. If it is, then a test fails where there is no file.
  [[nodiscard]] static bool is_possible();
  // Null if no such file system can be mounted.
  [[nodiscard]] static std::unique_ptr<SilentFile> make();
  SilentFile(const SilentFile&) = delete;
  SilentFile& operator=(const SilentFile&) = delete;
  ~SilentFile();

  [[nodiscard]] Fd take() { return std::move(file_); }
  void let_go();
  // Waits until somebody closes it; false if nobody does.
  [[nodiscard]] bool wait_for_close() const;

 private:
  SilentFile() = default;
  void serve();
  void answer();

  Fd device_, stop_, closing_, file_;
  pid_t server_ = -1;
};

}  // namespace netperfd::import::test
