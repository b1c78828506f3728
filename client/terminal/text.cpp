// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>

#include "dbus/rows/hidden_characters.hpp"

namespace netperfctl {
namespace {

constexpr std::array<const char*, 8> kSparks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// The code point at the start of `text`; nothing where that is not UTF-8 (too short, overlong, a surrogate,
// too large).
std::optional<CodePoint> decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return CodePoint{lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  constexpr std::array<char32_t, 5> kLowest{0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t value = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  if (value < kLowest.at(bytes) || (value >= 0xD800 && value <= 0xDFFF) || value > 0x10FFFF) return {};
  return CodePoint{value, bytes};
}

// What takes columns of a line, or a sequence that colours what follows and takes none.
struct Glyph {
  std::string_view bytes;
  std::size_t columns = 0;
};

std::vector<Glyph> glyphs_of(std::string_view line) {
  std::vector<Glyph> glyphs;
  while (!line.empty()) {
    const std::size_t end = line.starts_with("\x1b[") ? line.find('m') : std::string_view::npos;
    const auto point = decode(line);
    const std::size_t bytes = end != std::string_view::npos ? end + 1 : point ? point->bytes : 1;
    const std::string_view head = line.substr(0, bytes);
    glyphs.push_back({head, end != std::string_view::npos ? 0 : display_width(head)});
    line.remove_prefix(bytes);
  }
  return glyphs;
}

// `line` in lines of at most `width` columns, broken at spaces, or within a word that is longer. Those after
// the first begin in the column where it does.
std::string broken(std::string_view line, std::size_t width) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::string margin(std::min(begin, width / 2), ' ');
  std::string out;
  std::string word;    // after the last space, or all that stands behind the margin
  std::string spaces;  // before it
  std::size_t placed = margin.size();
  std::size_t pending = 0;  // columns of `word`
  out = margin;
  const auto place = [&] {
    const bool first = placed == margin.size();
    if (!first && placed + spaces.size() + pending > width) {
      out += "\n" + margin;
      placed = margin.size();
      spaces.clear();
    }
    placed += spaces.size() + pending;
    out += spaces + word;
    word.clear();
    spaces.clear();
    pending = 0;
  };
  for (const Glyph& glyph : glyphs_of(line.substr(begin))) {
    if (glyph.bytes == " ") {
      if (!word.empty()) place();
      spaces += ' ';
      continue;
    }
    if (margin.size() + pending + glyph.columns > width) place();
    word += glyph.bytes;
    pending += glyph.columns;
  }
  place();
  return out;
}

// Its words, still quoted.
std::vector<std::string> shell_words_of(std::string_view command) {
  std::vector<std::string> words{""};
  bool quoted = false;
  bool escaped = false;
  for (const char c : command) {
    if (c == ' ' && !quoted && !escaped) {
      words.emplace_back();
      continue;
    }
    if (c == '\'' && !escaped) quoted = !quoted;
    escaped = c == '\\' && !quoted && !escaped;
    if (c == ' ') {
      words.back() += kNoBreak;
    } else {
      words.back() += c;
    }
  }
  return words;
}

// An option and the word behind it are one, so that no line is broken between them.
std::vector<std::string> with_their_values(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  for (const std::string& word : words) {
    const bool value = !joined.empty() && joined.back().starts_with('-') && !joined.back().contains(kNoBreak);
    if (value && !word.starts_with('-')) {
      joined.back().append(kNoBreak).append(word);
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

bool misleads(char32_t c) {
  return c <= 0x1F || (c >= 0x7F && c <= 0x9F) || netperfd::rows::is_hidden_character(c);
}

}  // namespace

std::string printable(std::string_view text, std::string_view keep) {
  std::string out;
  while (!text.empty()) {
    const auto point = decode(text);
    const std::size_t bytes = point ? point->bytes : 1;
    if (!point) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (!misleads(point->value) || (bytes == 1 && keep.contains(text.front()))) {
      out += text.substr(0, bytes);
    } else if (point->value < 0x100) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point->value));
    } else if (point->value < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point->value));
    } else {
      out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(point->value));
    }
    text.remove_prefix(bytes);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto point = decode(text);
    if (!point) return false;
    text.remove_prefix(point->bytes);
  }
  return true;
}

std::size_t display_width(std::string_view text) {
  // fmt knows which characters are two columns wide, but tells only by how much it pads; no text is wider
  // than its bytes are many.
  const std::size_t padded = fmt::format("{:<{}}", text, text.size()).size();
  return text.size() - (padded - text.size());
}

std::string cut(const Screen& screen, std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string{text};
  const std::string_view mark = screen.glyphs ? "…" : "...";
  const std::size_t room = width - std::min(width, display_width(mark));
  std::size_t taken = 0;
  std::size_t columns = 0;
  while (taken < text.size()) {
    const auto point = decode(text.substr(taken));
    const std::size_t bytes = point ? point->bytes : 1;
    columns += display_width(text.substr(taken, bytes));
    if (columns > room) break;
    taken += bytes;
  }
  return std::string{text.substr(0, taken)}.append(width >= display_width(mark) ? mark : std::string_view{});
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  bool goes_on = false;  // on the last line
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    if (goes_on && display_width(lines.back()) + 1 + display_width(word) <= width) {
      lines.back().append(" ").append(word);
    } else if (!goes_on || !word.empty()) {  // spaces at a break are left out
      if (goes_on) lines.back().erase(lines.back().find_last_not_of(' ') + 1);
      lines.emplace_back(word);
    }
    goes_on = end != std::string_view::npos && text[end] == ' ';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string in_shell_lines(std::string_view command, std::size_t width) {
  constexpr std::size_t kEnd = 2;  // " \"
  const std::vector<std::string> words = with_their_values(shell_words_of(command));
  std::string text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t columns = display_width(words[i]);
    const std::size_t end = i + 1 < words.size() ? kEnd : 0;
    if (used > 0 && used + 1 + columns + end > width) {
      text.append(kNoBreak).append("\\\n").append(kNoBreak).append(kNoBreak);
      used = kIndent;
    } else if (used > 0) {
      text.append(kNoBreak);
      ++used;
    }
    text += words[i];
    used += columns;
  }
  return text;
}

std::size_t shown_width(std::string_view line) {
  std::size_t columns = 0;
  for (const Glyph& glyph : glyphs_of(line)) columns += glyph.columns;
  return columns;
}

std::string clipped(std::string_view line, std::size_t width) {
  std::string out;
  std::size_t columns = 0;
  for (const Glyph& glyph : glyphs_of(line)) {
    columns += glyph.columns;
    if (columns <= width) out += glyph.bytes;  // what colours ends all the same
  }
  return out;
}

std::string fitted(const Screen& screen, std::string_view text) {
  if (!screen.width) return std::string{text};
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += shown_width(line) > *screen.width ? broken(line, *screen.width) : std::string{line};
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string indented(std::string_view text, std::size_t columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (text.front() != '\n') out.append(columns, ' ');
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
  return out;
}

Screen narrower(Screen screen, std::size_t columns) {
  if (screen.width) screen.width = *screen.width - std::min(*screen.width, columns);
  screen.prose -= std::min(screen.prose, columns);
  return screen;
}

std::string spark(double level) {
  return kSparks.at(static_cast<std::size_t>(std::clamp(level * 8, 0.0, 7.0)));
}

std::string sparkline(const Screen& screen, std::span<const double> values, std::size_t cells) {
  if (!screen.glyphs || values.empty() || cells == 0) return {};
  std::vector<double> means;
  const std::size_t count = std::min(cells, values.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * values.size() / count;
    const auto part = values.subspan(first, ((i + 1) * values.size() / count) - first);
    means.push_back(std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(part.size()));
  }
  const double highest = *std::ranges::max_element(means);
  std::string line;
  for (const double mean : means) line += spark(highest > 0 ? mean / highest : 0);
  return line;
}

std::string solid_bar(const Screen& screen, double fraction, std::size_t cells) {
  if (!screen.glyphs) return {};
  const double share = std::clamp(std::isfinite(fraction) ? fraction : 0, 0.0, 1.0);
  const auto eighths = static_cast<std::size_t>(std::lround(share * static_cast<double>(cells) * 8));
  std::string line;
  for (std::size_t i = 0; i < eighths / 8; ++i) line += "█";
  return line + kEighths.at(eighths % 8);
}

std::string bar(const Screen& screen, double fraction, std::size_t cells) {
  if (!screen.glyphs) return {};
  const std::string filled = solid_bar(screen, fraction, cells);
  return "▕" + filled + std::string(cells - display_width(filled), ' ') + "▏";
}

}  // namespace netperfctl
