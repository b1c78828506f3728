// SPDX-License-Identifier: GPL-2.0-or-later
// The only access to tracefs. Everything in daemon/trace uses it, so that a test can make any single
// operation fail.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

// An open file; the destructor closes it.
class TracefsFile {
 public:
  virtual ~TracefsFile() = default;
  // For a per_cpu/cpuN/trace_pipe_raw: reads one sub-buffer without ever blocking; 0 if there is none.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
  // For a trace_marker: one write(2).
  [[nodiscard]] virtual Status write(const std::string& text) = 0;
  // For poll(2); negative if there is none, as in a fake.
  [[nodiscard]] virtual int descriptor() const { return -1; }
};

enum class OpenMode { read, write };

// Paths are relative to the mount point: "instances/netperfd-7/tracing_on". An error's kind follows its
// errno: not_found for ENOENT and ENODEV, access_denied for EPERM and EACCES, busy for EBUSY,
// invalid_argument for EINVAL, io for the rest. Its text has the path, the value if one was written, and the
// errno's words.
class Tracefs {
 public:
  virtual ~Tracefs() = default;
  [[nodiscard]] virtual Result<std::string> read(const std::string& path) = 0;
  // Opens with O_TRUNC, which empties filters and lists before `text` is written in one write(2).
  [[nodiscard]] virtual Status write(const std::string& path, const std::string& text) = 0;
  // Without O_TRUNC, to add to a filter or a list.
  [[nodiscard]] virtual Status append(const std::string& path, const std::string& text) = 0;
  [[nodiscard]] virtual Status make_directory(const std::string& path) = 0;
  [[nodiscard]] virtual Status remove_directory(const std::string& path) = 0;
  [[nodiscard]] virtual Result<std::vector<std::string>> list(const std::string& path) = 0;  // sorted names
  [[nodiscard]] virtual bool exists(const std::string& path) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<TracefsFile>> open(const std::string& path, OpenMode mode) = 0;
};

// The kernel's tracefs, mounted at `root`.
[[nodiscard]] std::unique_ptr<Tracefs> make_real_tracefs(std::string root);

// The mount point of tracefs, from /proc/self/mountinfo; unsupported, with what to do, if it is not mounted.
[[nodiscard]] Result<std::string> find_tracefs();

}  // namespace netperfd::trace
