// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/own_instance.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <utility>

namespace netperfd::trace {

std::string name_of_own_instance() {
  return fmt::format("netperfd-{}-{:08x}", ::getpid(), std::random_device{}());
}

Result<std::unique_ptr<TracefsFile>> make_instance(Tracefs& tracefs, const std::string& directory) {
  constexpr int kTurns = 100;
  for (int turn = 1;; ++turn) {
    if (Status made = tracefs.make_directory(directory); !made)
      return std::unexpected(std::move(made.error()));
    auto mark = tracefs.open(directory + "/buffer_size_kb", OpenMode::read);
    if (mark) return mark;
    // Not found: a netperfd that started in this moment has removed it.
    if (mark.error().kind == ErrorKind::not_found && turn < kTurns) continue;
    (void)tracefs.remove_directory(directory);
    return mark;
  }
}

}  // namespace netperfd::trace
