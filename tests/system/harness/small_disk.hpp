// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace netperfd::system_test {

// A tmpfs of this size over an existing directory.
class SmallDisk {
 public:
  SmallDisk(std::string directory, std::uint32_t mebibytes);
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk();

  // Throws while a file of it is open for writing.
  void set_read_only(bool read_only) const;

 private:
  std::string directory_;
};

}  // namespace netperfd::system_test
