// SPDX-License-Identifier: GPL-2.0-or-later
// Writes manual pages in the man(7) language.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::manual {

class Page {
 public:
  // "netperfctl-start", 1, "Start a measurement"
  Page(std::string name, int section, std::string_view about);

  void section(std::string_view heading);
  void subsection(std::string_view heading);
  // Words in ` are bold, and of a link [text](page.md) the text remains. An empty line ends a paragraph.
  void text(std::string_view words);
  // A term, in bold, and its text below, indented.
  void term(std::string_view term, std::string_view words);
  // Lines that stay as they are.
  void verbatim(std::span<const std::string> lines);
  void see_also(std::span<const std::string> pages);

  [[nodiscard]] const std::string& file_name() const { return file_name_; }
  [[nodiscard]] const std::string& roff() const { return roff_; }

 private:
  [[nodiscard]] bool below_heading() const;

  std::string file_name_;  // "netperfctl-start.1"
  std::string roff_;
};

}  // namespace netperfd::manual
