// SPDX-License-Identifier: GPL-2.0-or-later
#include "manual/roff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace netperfd::manual {
namespace {

// `literal`: as somebody types it, so that a hyphen is a minus.
std::string escaped(std::string_view text, bool literal) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += literal ? "\\-" : "-";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += literal ? "\\(aq" : "'";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// A line that begins like a request is none.
std::string line(const std::string& text) {
  return (text.starts_with('.') || text.starts_with('\'') ? "\\&" : "") + text + "\n";
}

std::string bold(std::string_view text) {
  return "\\fB" + escaped(text, true) + "\\fP";
}

// Of "[text](page.md)" the text.
std::string without_links(std::string_view words) {
  std::string out;
  while (!words.empty()) {
    const auto open = words.find('[');
    const auto middle = open == std::string_view::npos ? open : words.find("](", open);
    const auto close = middle == std::string_view::npos ? middle : words.find(')', middle);
    // "[tcp_sendmsg, 'ip_*']" is none.
    const bool link = close != std::string_view::npos &&
                      words.substr(middle, close - middle).find(".md") != std::string_view::npos;
    if (!link) return out.append(words);
    out.append(words.substr(0, open)).append(words.substr(open + 1, middle - open - 1));
    words.remove_prefix(close + 1);
  }
  return out;
}

std::string inline_text(std::string_view words) {
  const std::string plain = without_links(words);
  std::string_view rest = plain;
  std::string out;
  for (bool literal = false;; literal = !literal) {
    const auto mark = rest.find('`');
    const std::string_view part = rest.substr(0, mark);
    out += literal ? bold(part) : escaped(part, false);
    if (mark == std::string_view::npos) return out;
    rest.remove_prefix(mark + 1);
  }
}

std::string joined(std::string_view paragraph) {
  std::string out;
  for (const char c : paragraph) {
    const bool space = c == ' ' || c == '\n';
    if (!space) out += c;
    if (space && !out.empty() && !out.ends_with(' ')) out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

std::vector<std::string> paragraphs(std::string_view words) {
  std::vector<std::string> found;
  while (!words.empty()) {
    const auto end = words.find("\n\n");
    if (std::string paragraph = joined(words.substr(0, end)); !paragraph.empty())
      found.push_back(std::move(paragraph));
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 2);
  }
  return found;
}

}  // namespace

Page::Page(std::string name, int section_number, std::string_view about)
    : file_name_(fmt::format("{}.{}", name, section_number)) {
  std::string title = name;
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  roff_ = fmt::format(".TH {} {} \"{}\" \"netperfd {}\" \"netperfd\"\n", escaped(title, true), section_number,
                      NETPERFD_DATE, NETPERFD_VERSION);
  section("NAME");
  roff_ += line(escaped(name, true) + " \\- " + inline_text(about));
}

void Page::section(std::string_view heading) {
  roff_ += fmt::format(".SH {}\n", escaped(heading, false));
}

void Page::subsection(std::string_view heading) {
  roff_ += fmt::format(".SS {}\n", escaped(heading, true));
}

bool Page::below_heading() const {
  return roff_.rfind("\n.S") == roff_.rfind('\n', roff_.size() - 2);
}

void Page::text(std::string_view words) {
  bool separate = !below_heading();
  for (const std::string& paragraph : paragraphs(words)) {
    if (separate) roff_ += ".PP\n";
    roff_ += line(inline_text(paragraph));
    separate = true;
  }
}

void Page::term(std::string_view term, std::string_view words) {
  roff_ += ".TP\n" + line(bold(term));
  const auto all = paragraphs(words);
  for (auto paragraph = all.begin(); paragraph != all.end(); ++paragraph) {
    if (paragraph != all.begin()) roff_ += ".IP\n";
    roff_ += line(inline_text(*paragraph));
  }
  if (all.empty()) roff_ += "\\&\n";
}

void Page::verbatim(std::span<const std::string> lines) {
  roff_ += below_heading() ? ".nf\n.RS 4\n" : ".PP\n.nf\n.RS 4\n";
  for (const std::string& one : lines) roff_ += one.empty() ? "\\&\n" : line(escaped(one, true));
  roff_ += ".RE\n.fi\n";
}

void Page::see_also(std::span<const std::string> pages) {
  section("SEE ALSO");
  std::vector<std::string> references;
  for (const std::string& page : pages) {
    const auto open = page.find('(');
    references.push_back(bold(page.substr(0, open)) + page.substr(open));
  }
  roff_ += line(fmt::format("{}", fmt::join(references, ", ")));
}

}  // namespace netperfd::manual
