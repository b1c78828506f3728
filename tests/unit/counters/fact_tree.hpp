// SPDX-License-Identifier: GPL-2.0-or-later
// Directories that stand in for /proc and /sys, created file by file.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "daemon/counters/fact_sheet.hpp"

namespace netperfd::counters {

class FactTree : public testing::Test {
 protected:
  FactTree() {
    std::string name = (std::filesystem::temp_directory_path() / "netperfd-facts-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder = name;
    roots = {.proc = (folder / "proc").string(), .sys = (folder / "sys").string()};
  }
  ~FactTree() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  // `path` begins with proc/ or sys/.
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder / path).parent_path());
    std::ofstream(folder / path, std::ios::binary) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_directories((folder / path).parent_path());
    std::filesystem::create_symlink(target, folder / path);
  }

  std::filesystem::path folder;
  SystemRoots roots;
  FactSheet sheet;
};

[[nodiscard]] inline std::optional<std::string> value_of(const Fingerprint& found, const std::string& group,
                                                         const std::string& key) {
  for (const Fact& fact : found.facts) {
    if (fact.group == group && fact.key == key) return fact.value;
  }
  return std::nullopt;
}

}  // namespace netperfd::counters
