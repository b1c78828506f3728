// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/scratch_dir.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace netperfd::system_test {

// In /tmp, ignoring TMPDIR: a socket's path has at most 107 characters.
ScratchDir::ScratchDir() : directory_("/tmp/netperfd-test-XXXXXX") {
  if (::mkdtemp(directory_.data()) == nullptr || ::chmod(directory_.c_str(), 0755) != 0) {
    throw std::system_error(errno, std::generic_category(), directory_);
  }
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;  // a leftover in /tmp does not affect the results
  std::filesystem::remove_all(directory_, ignored);
}

std::string ScratchDir::path(std::string_view name) const {
  return fmt::format("{}/{}", directory_, name);
}

std::string ScratchDir::write(std::string_view name, std::string_view content) const {
  const std::filesystem::path file = path(name);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << content;
  stream.close();
  if (!stream) throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
  std::filesystem::permissions(file, std::filesystem::perms{0644});
  return file;
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(fmt::format("{}: cannot be read", path));
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace netperfd::system_test
