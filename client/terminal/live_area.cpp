// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/live_area.hpp"

#include <algorithm>
#include <utility>

#include "client/terminal/terminal.hpp"

namespace netperfctl {
namespace {

constexpr std::chrono::milliseconds kShortestPause{100};
constexpr std::chrono::milliseconds kTick{250};

}  // namespace

LiveArea::LiveArea(Loop& loop, std::FILE* stream, bool ticks, Render render)
    : loop_(loop),
      stream_(stream),
      ticks_(ticks),
      render_(std::move(render)),
      open_(screen_of(stream).live) {}

void LiveArea::changed() {
  if (!open_ || change_waits_) return;
  const auto since = std::chrono::steady_clock::now() - drawn_;
  if (since >= kShortestPause) {
    draw();
  } else {
    change_waits_ = true;
    draw_after(std::chrono::ceil<std::chrono::milliseconds>(kShortestPause - since));
  }
}

void LiveArea::print_above(std::FILE* stream, std::string_view text) {
  erase();
  put_text(stream, text);
  if (open_) draw();
}

void LiveArea::close() {
  erase();
  timer_.reset();
  open_ = false;
}

void LiveArea::erase() {
  if (lines_ == 0) return;
  std::string out = "\r";
  for (std::size_t i = 1; i < lines_; ++i) out += "\x1b[A";
  put_text(stream_, out + "\x1b[J");
  lines_ = 0;
}

void LiveArea::draw() {
  const std::string text = render_(screen_of(stream_));
  std::string out = lines_ > 0 ? "\r" : "";
  for (std::size_t i = 1; i < lines_; ++i) out += "\x1b[A";
  out += lines_ > 0 ? "\x1b[J" : "";
  put_text(stream_, out + text);
  lines_ = text.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  drawn_ = std::chrono::steady_clock::now();
  change_waits_ = false;
  timer_.reset();
  if (ticks_) draw_after(kTick);
}

void LiveArea::draw_after(std::chrono::milliseconds delay) {
  timer_ = loop_.after(delay, [this] { draw(); });
}

}  // namespace netperfctl
