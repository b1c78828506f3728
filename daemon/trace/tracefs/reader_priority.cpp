// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/reader_priority.hpp"

#include <sys/resource.h>

#include <cerrno>

namespace netperfd::trace {

int take_reader_priority() {
  // For Linux, 0 means the calling thread, not its process.
  return ::setpriority(PRIO_PROCESS, 0, kReaderNice) == 0 ? 0 : errno;
}

}  // namespace netperfd::trace
