// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/traced_functions.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/trace/catalogue/modules.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

std::string first_line(const std::string& path) {
  const auto text = read_file(path, kMostBytes);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// ELF notes: the lengths of name and description, a type, then both, each padded to four bytes.
std::string build_id_in(std::string_view notes) {
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  Elf64_Nhdr head{};
  while (notes.size() >= sizeof head) {
    std::memcpy(&head, notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    const std::size_t name_size = padded(head.n_namesz);
    if (name_size > notes.size() || head.n_descsz > notes.size() - name_size) return {};
    const auto name = notes.substr(0, std::min<std::size_t>(head.n_namesz, name_size));
    const auto description = notes.substr(name_size, head.n_descsz);
    if (head.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU\0", 4)) {
      std::string hexadecimal;
      for (const char byte : description)
        hexadecimal += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      return hexadecimal;
    }
    notes.remove_prefix(std::min(name_size + padded(head.n_descsz), notes.size()));
  }
  return {};
}

std::string build_id_of(const std::string& path) {
  const auto notes = read_file(path, kMostBytes);
  return notes ? build_id_in(*notes) : std::string();
}

}  // namespace

std::vector<Build> read_builds(const std::string& proc, const std::string& sys) {
  std::vector<Build> builds{{.module = "",
                             .release = first_line(proc + "/sys/kernel/osrelease"),
                             .build_id = build_id_of(sys + "/kernel/notes"),
                             .srcversion = ""}};
  std::istringstream modules(read_file(proc + "/modules", kMostBytes).value_or(""));
  for (std::string line; std::getline(modules, line);) {
    const std::string module = line.substr(0, line.find(' '));
    const std::string directory = fmt::format("{}/module/{}", sys, module);
    builds.push_back({.module = module,
                      .release = "",
                      .build_id = build_id_of(directory + "/notes/.note.gnu.build-id"),
                      .srcversion = first_line(directory + "/srcversion")});
  }
  return builds;
}

Result<std::unique_ptr<TracedFunctions>> TracedFunctions::read(const std::string& proc,
                                                               const std::string& sys, std::uint64_t key) {
  constexpr int kReadings = 10;
  for (int left = kReadings;; --left) {
    std::string modules = loaded_modules_key(proc, sys);
    auto symbols = Symbols::load(proc + "/kallsyms", key);
    if (!symbols) return std::unexpected(std::move(symbols.error()));
    std::unique_ptr<TracedFunctions> functions{
        new TracedFunctions(std::move(*symbols), proc, sys, std::move(modules))};
    // A module that is replaced meanwhile would lend its names to the next one.
    if (functions->still_current() || left == 0) return functions;
  }
}

TracedFunctions::TracedFunctions(Symbols symbols, std::string proc, std::string sys, std::string modules)
    : proc_(std::move(proc)),
      sys_(std::move(sys)),
      modules_(std::move(modules)),
      symbols_(std::move(symbols)),
      names_(symbols_),
      builds_(read_builds(proc_, sys_)) {}

bool TracedFunctions::still_current() const {
  return loaded_modules_key(proc_, sys_) == modules_;
}

std::vector<Build> TracedFunctions::builds_of(const FunctionProfile& profile) const {
  std::set<std::string_view> modules{""};
  for (const FunctionStats& function : profile.functions) modules.insert(function.module);
  return builds_of(modules);
}

std::vector<Build> TracedFunctions::builds_of(const std::set<std::string_view>& modules) const {
  std::vector<Build> builds;
  std::ranges::copy_if(builds_, std::back_inserter(builds),
                       [&](const Build& build) { return modules.contains(build.module); });
  return builds;
}

}  // namespace netperfd::trace
