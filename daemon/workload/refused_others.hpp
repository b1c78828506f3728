// SPDX-License-Identifier: GPL-2.0-or-later
// Who else came to the server of a run, and was refused.
//
// Of a socket that its process has closed, the kernel has no user. So who connects and leaves at once may be
// a client that failed. It is told from others once the run is over: a client makes a known number of
// connections, and what it still lacked is what it left.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/workload/socket_owner.hpp"

namespace netperfd::workload {

class RefusedOthers {
 public:
  void note(const char* what, const SocketEnd& from, std::optional<uid_t> uid);
  // This one has left, and began as the run's client does. It is among the others only after settle().
  void note_left(const char* what, const SocketEnd& from);
  // The run is over. Its client lacked so many of `what`: the first ones that left were its own.
  void settle(std::string_view what, std::size_t lacked);
  // "2 connections of uid 65534 from 10.0.0.1"; empty: there was nobody.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;  // of what, from whom
  std::uint64_t unnamed_ = 0;
  std::vector<std::pair<const char*, SocketEnd>> left_;  // in the order in which they came
};

}  // namespace netperfd::workload
