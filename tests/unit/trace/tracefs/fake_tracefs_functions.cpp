// SPDX-License-Identifier: GPL-2.0-or-later
// The fake's function lists and their modules.
#include <fmt/format.h>
#include <fnmatch.h>

#include <cerrno>
#include <optional>
#include <sstream>

#include "tests/unit/trace/tracefs/fake_tracefs_kernel.hpp"

namespace netperfd::trace {

int FakeTracefs::put_functions(const FakePlace& place, const std::string& text, bool truncate) {
  std::string& content = files_[below(place.directory, place.file)];
  if (truncate || content.starts_with("####")) content = "";
  int result = 0;
  const auto end = text.find_last_not_of(" \t\n");
  if (end != std::string::npos) {
    const std::string pattern = text.substr(0, end + 1);
    const auto lines = matching(pattern);
    // The function of a module that is not loaded is remembered until it is loaded. Any other unknown name is
    // an error. But the kernel reads a name only up to the white space after it: without any, it reads the
    // name when the file is closed, where nobody sees the error.
    const bool read = end + 1 < text.size();
    if (lines.empty() && read && pattern.find(":mod:") == std::string::npos) result = EINVAL;
    for (const auto& line : lines) {
      if (("\n" + content).find("\n" + line + "\n") == std::string::npos) content += line + "\n";
    }
  }
  if (content.empty()) content = nothing_in(place.file);
  return result;
}

std::vector<std::string> FakeTracefs::matching(std::string pattern) const {
  std::optional<std::string> only;
  if (const auto mod = pattern.find(":mod:"); mod != std::string::npos) {
    only = pattern.substr(mod + 5);
    pattern = mod == 0 ? "*" : pattern.substr(0, mod);
  }
  std::vector<std::string> lines;
  // A number is a line number in available_filter_functions.
  if (pattern.find_first_not_of("0123456789") == std::string::npos) {
    const auto all = matching("*");
    const std::size_t number = std::stoul(pattern);
    if (number >= 1 && number <= all.size()) lines.push_back(all[number - 1]);
    return lines;
  }
  for (const auto& [module, functions] : kernel_.functions) {
    if (only && *only != module) continue;
    for (const auto& function : functions) {
      if (::fnmatch(pattern.c_str(), function.c_str(), 0) != 0) continue;
      lines.push_back(module.empty() ? function : fmt::format("{} [{}]", function, module));
    }
  }
  return lines;
}

void FakeTracefs::refresh_functions() {
  if (!files_.contains("available_filter_functions")) return;
  std::string text;
  for (const auto& line : matching("*")) text += line + "\n";
  files_["available_filter_functions"] = text;
}

void FakeTracefs::load_module(const std::string& name, std::vector<std::string> functions) {
  kernel_.functions[name] = std::move(functions);
  refresh_functions();
}

void FakeTracefs::unload_module(const std::string& name) {
  kernel_.functions.erase(name);
  refresh_functions();
  for (auto& [path, text] : files_) {
    const std::string file = place(path).file;
    if (!is_function_list(file)) continue;
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (!line.ends_with(" [" + name + "]")) kept += line + "\n";
    }
    text = kept;
  }
}

}  // namespace netperfd::trace
