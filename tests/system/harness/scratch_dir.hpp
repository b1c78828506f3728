// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace netperfd::system_test {

// A directory of this test alone, which every user may enter; removed with its contents.
class ScratchDir {
 public:
  ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  ~ScratchDir();

  // The path of `name` inside it.
  [[nodiscard]] std::string path(std::string_view name) const;
  // Creates or replaces the file `name`, readable by all, and its parent directories; returns its path.
  std::string write(std::string_view name, std::string_view content) const;

 private:
  std::string directory_;
};

[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace netperfd::system_test
