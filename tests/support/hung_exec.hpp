// SPDX-License-Identifier: GPL-2.0-or-later
// A process that stays inside exec(), where the kernel lets everybody wait who reads its /proc/PID/stat.
#pragma once

#include <sys/types.h>

#include <memory>

#include "daemon/base/fd.hpp"
#include "tests/unit/import/silent_file.hpp"

namespace netperfd::support {

// Any user can have one: exec() closes a file of a user-space file system, whose server does not answer.
class HungExec {
 public:
  // Otherwise there is nothing to test. If it is, then a test fails where there is no such process.
  [[nodiscard]] static bool is_possible() { return import::test::SilentFile::is_possible(); }
  // Null if there can be none.
  [[nodiscard]] static std::unique_ptr<HungExec> make();
  HungExec(const HungExec&) = delete;
  HungExec& operator=(const HungExec&) = delete;
  ~HungExec();

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  HungExec() = default;

  Fd stop_;  // the write end of a pipe: the process is let go when it is closed
  pid_t holder_ = -1;
  pid_t pid_ = -1;
};

}  // namespace netperfd::support
