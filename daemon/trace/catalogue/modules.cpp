// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/modules.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>
#include <system_error>

#include "daemon/base/fd.hpp"

namespace netperfd::trace {
namespace {

// modules.dep of a distribution's kernel is smaller than 1 MiB.
constexpr std::size_t kListLimit = std::size_t{64} << 20;

std::string text_of(const std::string& path) {
  return read_file(path, kListLimit).value_or("");
}

// "kernel/net/hsr/hsr.ko.xz" -> "hsr".
std::string name_of_file(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return kernel_module_name(file.substr(0, file.find(".ko")));
}

}  // namespace

std::string kernel_module_name(std::string_view name) {
  std::string result{name};
  bool in_brackets = false;
  for (char& letter : result) {
    if (letter == '[') in_brackets = true;
    if (letter == ']') in_brackets = false;
    if (letter == '-' && !in_brackets) letter = '_';
  }
  return result;
}

Modules read_modules(const CatalogueSettings& settings) {
  Modules modules;
  std::string line;
  std::istringstream dependencies(text_of(settings.modules_root + "/modules.dep"));
  while (std::getline(dependencies, line)) {
    const auto colon = line.find(':');
    if (colon != std::string::npos)
      modules.try_emplace(name_of_file(std::string_view{line}.substr(0, colon)));
  }
  std::istringstream built_in(text_of(settings.modules_root + "/modules.builtin"));
  while (std::getline(built_in, line)) {
    if (!line.empty()) modules[name_of_file(line)].built_in = true;
  }
  // Without modules.builtin, the kernel still shows those built-in modules that have parameters or a version;
  // only a loaded module has an initstate.
  std::error_code error;
  for (std::filesystem::directory_iterator entry(settings.sys + "/module", error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = kernel_module_name(entry->path().filename().string());
    std::error_code ignored;
    const bool loadable = std::filesystem::exists(entry->path() / "initstate", ignored);
    if (!loadable) modules[name].built_in = true;
  }
  std::istringstream loaded(text_of(settings.proc + "/modules"));
  while (std::getline(loaded, line)) {
    const std::string name = line.substr(0, line.find(' '));
    if (!name.empty()) modules[name] = {.loaded = true, .built_in = false};
  }
  return modules;
}

std::string loaded_modules_key(const std::string& proc, const std::string& sys) {
  std::string key;
  std::istringstream lines(text_of(proc + "/modules"));
  for (std::string line; std::getline(lines, line);) {
    // hsr 65536 0 - Live 0xffffffffc0a00000
    std::istringstream words(line);
    std::string name, size, references, users, state, address;
    words >> name >> size >> references >> users >> state >> address;
    const std::string directory = sys + "/module/" + name;
    struct stat loading{};
    if (::stat(directory.c_str(), &loading) != 0) loading.st_ino = 0;
    key += fmt::format("{} {} {} {} {} {}\n", name, size, state, address, loading.st_ino,
                       text_of(directory + "/notes/.note.gnu.build-id"));
  }
  return key;
}

}  // namespace netperfd::trace
