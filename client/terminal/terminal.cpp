// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <type_traits>

#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

constexpr std::size_t kNarrowest = 40;

std::string_view environment(const char* name) {
  // The client has one thread and never changes its environment.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? value : "";
}

// If no locale is set, assume UTF-8: the client probably runs in a cron job or a service, not on an old
// terminal.
bool locale_is_utf8() {
  const auto unset = [](const char* name) { return environment(name).empty(); };
  if (unset("LC_ALL") && unset("LC_CTYPE") && unset("LANG")) return true;
  using Locale = std::unique_ptr<std::remove_pointer_t<locale_t>, decltype(&::freelocale)>;
  const Locale locale{::newlocale(LC_CTYPE_MASK, "", nullptr), &::freelocale};
  return locale && std::string_view{::nl_langinfo_l(CODESET, locale.get())} == "UTF-8";
}

// COLUMNS is a shell's own variable: whoever exports it means it.
std::optional<std::size_t> asked_width() {
  const std::string_view columns = environment("COLUMNS");
  std::size_t width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return width > 0 ? std::optional{std::max(kNarrowest, width)} : std::nullopt;
}

void measure_terminal(int fd, Screen& screen) {
  constexpr std::size_t kUnknown = 80;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0;
  screen.width = known && size.ws_col > 0 ? std::max<std::size_t>(kNarrowest, size.ws_col)
                                          : asked_width().value_or(kUnknown);
  if (known && size.ws_row > 0) screen.height = size.ws_row;
}

}  // namespace

Screen screen_of(std::FILE* stream) {
  const int fd = ::fileno(stream);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Screen screen;
  screen.now_us =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  screen.glyphs = locale_is_utf8();
  if (::isatty(fd) == 0) {
    screen.width = asked_width();
    return screen;
  }
  const bool dumb = environment("TERM").empty() || environment("TERM") == "dumb";
  measure_terminal(fd, screen);
  screen.colour = !dumb && environment("NO_COLOR").empty();
  screen.glyphs = screen.glyphs && !dumb;
  screen.live = !dumb;
  return screen;
}

void put_text(std::FILE* stream, std::string_view text) {
  put_bytes(stream, fitted(screen_of(stream), text));
}

void put_bytes(std::FILE* stream, std::string_view text) {
  // flush_output() detects failed writes to stdout; a failed write to stderr cannot be reported.
  (void)std::fwrite(text.data(), 1, text.size(), stream);
  (void)std::fflush(stream);
}

void put(std::string_view text) {
  if (::isatty(STDOUT_FILENO) == 0) {
    put_bytes(stdout, text);
    return;
  }
  std::string lines{text};
  for (auto at = lines.find("\r\n"); at != std::string::npos; at = lines.find("\r\n", at)) lines.erase(at, 1);
  put_bytes(stdout, printable(lines, "\n\t"));
}

void put_lines(std::FILE* stream, std::string_view text) {
  const std::size_t width = screen_of(stream).width.value_or(std::string::npos);
  put_text(stream, fmt::format("{}\n", fmt::join(wrap(text, width), "\n")));
}

void complain(std::string_view message) {
  put_lines(stderr, fmt::format("netperfctl: {}", printable(message, "\n")));
}

Outcome<void> flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
  return fail(Exit::other, "stdout cannot be written: " + std::generic_category().message(errno));
}

}  // namespace netperfctl
