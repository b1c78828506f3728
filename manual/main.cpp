// SPDX-License-Identifier: GPL-2.0-or-later
// Writes all manual pages into a directory: manual_pages DIRECTORY CONFIGURATION XML...
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "manual/pages.hpp"

namespace netperfd::manual {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file{path};
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>{file}, {}};
}

void write(const std::filesystem::path& directory, const Page& page) {
  std::ofstream file{directory / page.file_name()};
  file << page.roff() << std::flush;
  if (!file) throw std::runtime_error((directory / page.file_name()).string() + " cannot be written");
}

void write_all(std::span<const std::string> arguments) {
  const std::filesystem::path directory = arguments[0];
  std::filesystem::create_directories(directory);
  for (const Page& page : client_pages()) write(directory, page);
  for (const Page& page : daemon_pages(contents(arguments[1]))) write(directory, page);
  write(directory, echo_page());
  std::vector<std::string> interfaces;
  for (const std::string& path : arguments.subspan(2)) interfaces.push_back(contents(path));
  write(directory, bus_page(interfaces));
}

}  // namespace
}  // namespace netperfd::manual

int main(int argc, char** argv) {
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  if (arguments.size() < 3) {
    fmt::print(stderr, "usage: manual_pages DIRECTORY CONFIGURATION XML...\n");
    return 2;
  }
  try {
    netperfd::manual::write_all(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "manual_pages: {}\n", error.what());
    return 1;
  }
  return 0;
}
