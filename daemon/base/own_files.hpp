// SPDX-License-Identifier: GPL-2.0-or-later
// The files that this process has locked. It gives up all its POSIX locks on a file when any of its threads
// closes any descriptor of that file, also one that a caller passed.
#pragma once

#include <sys/types.h>

#include <compare>
#include <optional>
#include <string>
#include <utility>

namespace netperfd {

struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  auto operator<=>(const FileId&) const = default;
};

// Absent if there is no such file.
[[nodiscard]] std::optional<FileId> file_id(const std::string& path);

// The file is this process's own for as long as this object lives.
class OwnFile {
 public:
  explicit OwnFile(FileId id);
  OwnFile(OwnFile&& other) noexcept : id_(std::exchange(other.id_, std::nullopt)) {}
  OwnFile& operator=(OwnFile&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile();

 private:
  std::optional<FileId> id_;
};

// Whether the descriptor is of such a file. Never waits for the file system of a caller. Any thread.
[[nodiscard]] bool is_own_file(int fd);

}  // namespace netperfd
