// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers shared by the tests of the trace session.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"

namespace netperfd::trace {

// A temporary directory, removed with its contents.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();
  [[nodiscard]] std::string path(const std::string& file) const { return path_ + "/" + file; }
  void write(const std::string& file, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& file) const;
  [[nodiscard]] bool has(const std::string& file) const;

 private:
  std::string path_;
};

// Creates a process below `scratch`/proc, with links to its open files.
void add_process(const ScratchDirectory& scratch, long pid, const std::string& command,
                 const std::vector<std::string>& open_files);

// For the fake: the instance netperfd-4711, and no processes in /proc.
[[nodiscard]] SessionSettings fake_settings(const ScratchDirectory& scratch);
// For the kernel: an instance of this process.
[[nodiscard]] SessionSettings kernel_settings(const ScratchDirectory& scratch);

// Everything that a job can ask for, in the fake's kernel.
[[nodiscard]] TraceSpec whole_spec();
// Everything that a kernel without function tracing can do.
[[nodiscard]] TraceSpec event_spec();

// A kernel with function_graph only in the top instance, as on a used machine: with settings other than the
// defaults.
[[nodiscard]] FakeKernel kernel_of_old();
void use_settings(FakeTracefs& tracefs);

// The settings of the kernel's top instance that a session could change, and the instances of this process
// and `child`.
[[nodiscard]] std::string kernel_snapshot(Tracefs& tracefs, pid_t child = 0);

}  // namespace netperfd::trace
