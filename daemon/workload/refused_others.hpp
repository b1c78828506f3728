// SPDX-License-Identifier: GPL-2.0-or-later
// Who else came to the server of a run, and was refused.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "daemon/workload/socket_owner.hpp"

namespace netperfd::workload {

class RefusedOthers {
 public:
  void note(const char* what, const SocketEnd& from, std::optional<uid_t> uid);
  // "2 connections of uid 65534 from 10.0.0.1"; empty: there was nobody.
  [[nodiscard]] std::string text() const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts_;  // of what, from whom
  std::uint64_t unnamed_ = 0;
};

}  // namespace netperfd::workload
