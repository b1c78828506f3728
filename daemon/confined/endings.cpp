// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/confined/endings.hpp"

#include <utility>

namespace netperfd::confined {

void Endings::take(Process process) {
  process.kill();
  if (process.reap().ended) return;
  const auto ending = endings_.insert(endings_.end(), {std::move(process), {}});
  auto exit = loop_.on_readable(ending->process.pidfd().get(), [this, ending] {
    if (!ending->process.reap().ended) return;
    endings_.erase(ending);
    if (ended_) ended_();
  });
  if (exit) ending->exit = std::move(*exit);  // else count() looks after it
}

std::size_t Endings::count() {
  // The loop looks after the others, and tells of them.
  std::erase_if(endings_, [](Ending& ending) { return !ending.exit && ending.process.reap().ended; });
  return endings_.size();
}

}  // namespace netperfd::confined
