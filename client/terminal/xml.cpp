// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/xml.hpp"

#include <cstddef>
#include <utility>

#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

// XML 1.0 has no U+FFFE and no U+FFFF, and most control characters are missing too; printable() escapes
// those.
std::string with_xml_characters(std::string text) {
  for (const auto& [character, escape] : {std::pair{"\uFFFE", "\\ufffe"}, std::pair{"\uFFFF", "\\uffff"}}) {
    for (std::size_t at = text.find(character); at != std::string::npos; at = text.find(character, at))
      text.replace(at, std::string_view{character}.size(), escape);
  }
  return text;
}

}  // namespace

std::string xml(std::string_view text) {
  std::string out;
  for (const char each : with_xml_characters(printable(text, "\n"))) {
    switch (each) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += each;
    }
  }
  return out;
}

}  // namespace netperfctl
