// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/pager.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "client/terminal/terminal.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

bool& pager_is_off() {
  static bool off = false;
  return off;
}

std::optional<std::size_t> terminal_rows() {
  if (pager_is_off() || ::isatty(STDIN_FILENO) == 0 || !screen_of(stdout).live) return {};
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return {};
  return size.ws_row;
}

}  // namespace

std::string pager_for(std::string_view text, std::optional<std::size_t> rows,
                      std::optional<std::string_view> configured, bool has_less) {
  // One row stays for the shell's prompt.
  if (!rows || std::ranges::count(text, '\n') < static_cast<std::ptrdiff_t>(*rows)) return {};
  if (!configured) return has_less ? "less" : "";
  return *configured == "cat" ? std::string{} : std::string{*configured};
}

void never_page() {
  pager_is_off() = true;
}

void put_page(std::string_view page) {
  const std::string text = fitted(screen_of(stdout), page);
  // The client has one thread.
  const char* const variable = std::getenv("PAGER");  // NOLINT(concurrency-mt-unsafe)
  const auto configured = variable != nullptr ? std::optional<std::string_view>{variable} : std::nullopt;
  const bool has_less = ::access("/usr/bin/less", X_OK) == 0 || ::access("/bin/less", X_OK) == 0;
  const std::string command = pager_for(text, terminal_rows(), configured, has_less);
  if (command.empty()) return put_bytes(stdout, text);
  // Colours as they are, no screen of its own, and an end where all of it fits after all.
  (void)::setenv("LESS", "FRX", 0);  // NOLINT(concurrency-mt-unsafe)
  // Whoever leaves the pager early has seen enough: that is no error.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  (void)std::fflush(stdout);
  using Pipe = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  // A shell, since PAGER may have arguments.
  Pipe pipe{::popen(command.c_str(), "we"), &::pclose};  // NOLINT(cert-env33-c)
  if (pipe) {
    put_bytes(pipe.get(), text);
    pipe.reset();  // waits for its end
  } else {
    put_bytes(stdout, text);
  }
  (void)std::signal(SIGPIPE, before);
}

}  // namespace netperfctl
