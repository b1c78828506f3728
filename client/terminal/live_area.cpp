// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/live_area.hpp"

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
  put_bytes(stream_, lines_.erase());
}

void LiveArea::draw() {
  const Screen screen = screen_of(stream_);
  put_bytes(stream_, lines_.draw(screen, render_(screen)));
  drawn_ = std::chrono::steady_clock::now();
  change_waits_ = false;
  timer_.reset();
  if (ticks_) draw_after(kTick);
}

void LiveArea::draw_after(std::chrono::milliseconds delay) {
  timer_ = loop_.after(delay, [this] { draw(); });
}

}  // namespace netperfctl
