// SPDX-License-Identifier: GPL-2.0-or-later
// The format files of the fake's events.
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "tests/unit/trace/tracefs/fake_tracefs_kernel.hpp"

namespace netperfd::trace {

std::string format_of(const std::string& name, const std::vector<std::string>& fields) {
  constexpr std::array<std::string_view, 2> kPointers{"skbaddr", "location"};
  std::string text = fmt::format("name: {}\nID: 7\nformat:\n", name.substr(name.find(':') + 1));
  text += "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n";
  text += "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n";
  text += "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n";
  text += "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
  std::size_t offset = 8;
  std::string print;
  std::string values;
  for (const auto& field : fields) {
    if (field.starts_with("common_")) continue;
    const bool pointer = field == kPointers[0] || field == kPointers[1];
    text += fmt::format("\tfield:{} {};\toffset:{};\tsize:{};\tsigned:0;\n",
                        pointer ? "void *" : "unsigned int", field, offset, pointer ? 8 : 4);
    offset += 8;
    print += fmt::format("{}{}={}", print.empty() ? "" : " ", field, pointer ? "%p" : "%u");
    values += fmt::format(", REC->{}", field);
  }
  return text + fmt::format("\nprint fmt: \"{}\"{}\n", print, values);
}

}  // namespace netperfd::trace
