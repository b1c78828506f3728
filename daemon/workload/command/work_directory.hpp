// SPDX-License-Identifier: GPL-2.0-or-later
// The directory in which the commands of one run work: empty at its begin, of their user alone, and removed
// with all that they leave in it. netperfd's unit has a file system of bounded size for it; without the unit,
// it is in /tmp.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::workload {

class WorkDirectory {
 public:
  WorkDirectory() = default;
  [[nodiscard]] static Result<WorkDirectory> make(uid_t uid, gid_t gid);
  WorkDirectory(WorkDirectory&& other) noexcept;
  WorkDirectory& operator=(WorkDirectory&& other) noexcept;
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has(const std::string& name) const;
  // Of a regular file, which is not opened through a link. not_found if there is none of this name.
  [[nodiscard]] Result<std::string> read(const std::string& name, std::size_t most_bytes) const;

 private:
  WorkDirectory(std::string path, uid_t uid, gid_t gid, Fd lock);
  void remove();

  std::string path_;  // empty: there is none
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  Fd lock_;  // of the directory: it says that the owner lives
};

// Removes those that a netperfd left which was killed. Returns their number.
std::size_t remove_left_directories(uid_t uid, gid_t gid);

}  // namespace netperfd::workload
