// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/file_name.hpp"

#include "client/terminal/text.hpp"

namespace netperfctl {

std::string sent_file_name(std::string_view path) {
  constexpr std::string_view kCut = "...";
  std::string name = printable(path);
  if (name.size() <= kLongestFileName) return name;
  name = printable(path.substr(path.rfind('/') + 1));
  if (name.size() <= kLongestFileName) return name;
  std::size_t begin = name.size() - (kLongestFileName - kCut.size());
  const auto is_within = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
  while (begin < name.size() && is_within(name[begin])) ++begin;
  return std::string{kCut} + name.substr(begin);
}

}  // namespace netperfctl
