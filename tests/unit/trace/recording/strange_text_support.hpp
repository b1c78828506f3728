// SPDX-License-Identifier: GPL-2.0-or-later
// What an import of a text tells, in few words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/trace/recording/graph_text_support.hpp"

namespace netperfd::trace::test {

inline std::string data(const std::string& name) {
  std::ifstream file(NETPERFD_TEST_DATA "/trace-text/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("open " + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string ns(std::optional<std::uint64_t> value) {
  return value ? std::to_string(*value) : "?";
}

// "ip_rcv 1 3000 2000": name, hits, total and self time; "!" before a function that only interrupts called.
inline std::vector<std::string> told(const FunctionProfile& profile) {
  std::vector<std::string> lines;
  for (const FunctionStats& one : profile.functions) {
    lines.push_back((one.interrupt_roots == one.hits && one.hits > 0 ? "!" : "") + one.name + " " +
                    std::to_string(one.hits) + " " + ns(one.total_ns) + " " + ns(one.self_ns));
  }
  return lines;
}

inline std::vector<std::string> told(const std::string& text) {
  const auto file = read(text);
  if (!file) return {file.error().message};
  if (!file->trace->profile) return {"no profile"};
  return told(*file->trace->profile);
}

inline std::vector<std::string> codes(const std::string& text) {
  std::vector<std::string> found;
  const auto file = read(text);
  if (!file) return {file.error().message};
  for (const QualityFlag& flag : file->flags) found.push_back(flag.code);
  return found;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

inline std::string with_crlf(const std::string& text) {
  return replaced(text, "\n", "\r\n");
}

}  // namespace netperfd::trace::test
