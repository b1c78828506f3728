// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "client/flame/embedded.hpp"
#include "client/flame/picture.hpp"
#include "client/terminal/screen.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/xml.hpp"

namespace netperfctl::flame {
namespace {

// Pixels. The script has the same numbers, in the attributes of the root element.
constexpr double kWidth = 1200;  // a laptop's window shows all of it
constexpr double kMargin = 10;
constexpr double kRow = 18;
constexpr double kCharacter = 7.3;  // in a monospace font of 12 pixels
constexpr double kTextMargin = 3;
constexpr double kNarrowest = 0.05;       // 20 side by side are a pixel
constexpr double kNarrowestOnPage = 0.3;  // where a page has several graphs, and is to be sent by mail
constexpr double kTitleRow = 34;
constexpr double kControls = 42;  // the row of the search and of the figures
constexpr double kControlsGap = 8;
constexpr double kGap = 0.6;  // between neighbours, taken from a frame that is wide enough
constexpr double kWide = 2;
constexpr std::size_t kFewestCharacters = 3;

std::string with_number(const Box& box) {
  return box.number.empty() ? box.label : box.label + " " + box.number;
}

// The label with its number or, without it, as much as fits; nothing if that would tell nothing.
std::string fitting(const Box& box, double width) {
  const auto room = static_cast<std::size_t>(std::max(0.0, width - 2 * kTextMargin) / kCharacter);
  if (std::string whole = printable(with_number(box)); display_width(whole) <= room) return whole;
  std::string shown = printable(box.label);
  if (display_width(shown) <= room) return shown;
  if (room < kFewestCharacters) return {};
  Screen screen;
  screen.glyphs = true;
  return cut(screen, shown, room);
}

struct Canvas {
  double top = 0;  // of the highest row
  double scale = 0;
  std::uint32_t rows = 0;
};

std::string box_element(const Box& box, const Canvas& canvas) {
  const double left = kMargin + static_cast<double>(box.left) * canvas.scale;
  const double width = static_cast<double>(box.width) * canvas.scale;
  const double top = canvas.top + static_cast<double>(canvas.rows - 1 - box.depth) * kRow;
  std::string text = fmt::format(
      "<g class=\"frame{}\" data-left=\"{}\" data-width=\"{}\" data-depth=\"{}\" data-label=\"{}\"{}>"
      "<title>{}\n{}</title>"
      "<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"hsl({}, {}%, {}%)\"/>",
      box.mark == Mark::outlined ? " outlined" : "", box.left, box.width, box.depth, xml(box.label),
      box.number.empty() ? "" : fmt::format(" data-number=\"{}\"", xml(box.number)), xml(with_number(box)),
      xml(box.figures), left, top, width > kWide ? width - kGap : width, kRow - 1, box.colour.hue,
      box.colour.saturation, box.colour.lightness);
  text += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\">{}</text></g>\n", left + kTextMargin, top + kRow - 5,
                      xml(fitting(box, width)));
  return text;
}

std::vector<std::string> lines_of(const std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  for (const std::string& note : notes) {
    for (std::string& line :
         wrap(printable(note), static_cast<std::size_t>((kWidth - 2 * kMargin) / kCharacter)))
      lines.push_back(std::move(line));
  }
  return lines;
}

// The boxes that can be seen, and the notes with the number of the others.
struct Drawn {
  std::vector<const Box*> boxes;
  std::vector<std::string> notes;
  Canvas canvas;
};

Drawn drawn(const Picture& picture, double narrowest) {
  Drawn result;
  result.notes = picture.notes;
  result.canvas.scale = (kWidth - 2 * kMargin) / static_cast<double>(picture.width);
  std::size_t narrow = 0;
  for (const Box& box : picture.boxes) {
    if (box.width == 0) continue;
    if (static_cast<double>(box.width) * result.canvas.scale < narrowest) {
      ++narrow;
      continue;
    }
    result.boxes.push_back(&box);
    result.canvas.rows = std::max(result.canvas.rows, box.depth + 1);
  }
  for (const Legend& legend : picture.legends) {
    const auto count =
        std::ranges::count(result.boxes, legend.mark, [](const Box* box) { return box->mark; });
    if (count > 0 || !legend.if_any)
      result.notes.push_back(fmt::format("{}{}{}", legend.before, count, legend.after));
  }
  if (narrow > 0)
    result.notes.push_back(fmt::format("Not drawn: {} frames that are too narrow to be seen.", narrow));
  return result;
}

std::string opened(const Picture& picture, double height, double top) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" data-whole=\"{2}\" data-margin=\"{3:.0f}\" data-character=\"{4}\" "
      "data-gap=\"{5}\" data-wide=\"{6}\" data-text-margin=\"{7:.0f}\" data-controls=\"{8:.0f}\">\n"
      "<title>{9}</title>\n",
      kWidth, height, picture.width, kMargin, kCharacter, kGap, kWide, kTextMargin,
      top - kControls + kControlsGap, xml(picture.title));
}

constexpr std::string_view kPaper = "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";

std::string heading(const Picture& picture, const std::vector<std::string>& lines) {
  std::string text =
      fmt::format("<text class=\"heading\" x=\"{:.0f}\" y=\"24\">{}</text>\n", kMargin, xml(picture.title));
  double y = kTitleRow;
  for (const std::string& line : lines) {
    y += kRow - 2;
    text +=
        fmt::format("<text class=\"note\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kMargin, y - 4, xml(line));
  }
  return text;
}

std::string frames(const Drawn& drawn) {
  std::string text = "<g>\n";
  for (const Box* box : drawn.boxes) text += box_element(*box, drawn.canvas);
  return text + "</g>\n";
}

double height_of(const Canvas& canvas) {
  return canvas.top + canvas.rows * kRow + kMargin;
}

}  // namespace

std::string svg(const Picture& picture) {
  Drawn all = drawn(picture, kNarrowest);
  const std::vector<std::string> lines = lines_of(all.notes);
  all.canvas.top = kTitleRow + static_cast<double>(lines.size()) * (kRow - 2) + kControls;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}<style><![CDATA[\n{}]]></style>\n{}{}{}"
      "<script><![CDATA[\n{}]]></script>\n</svg>\n",
      opened(picture, height_of(all.canvas), all.canvas.top), embedded_style(), kPaper,
      heading(picture, lines), frames(all), embedded_script());
}

Fragment fragment(const Picture& picture) {
  Drawn all = drawn(picture, kNarrowestOnPage);
  all.canvas.top = kControls;
  return {fmt::format("{}{}{}</svg>\n", opened(picture, height_of(all.canvas), all.canvas.top), kPaper,
                      frames(all)),
          std::move(all.notes)};
}

}  // namespace netperfctl::flame
