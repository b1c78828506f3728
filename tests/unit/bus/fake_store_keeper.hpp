// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "daemon/core/ports/store_keeper.hpp"

namespace netperfd::bus {

class FakeStoreKeeper final : public core::StoreKeeper {
 public:
  Status room() override { return has_room; }
  std::optional<std::uint64_t> free_space() override { return 77; }
  std::uint64_t spare_space() override { return 70; }
  Result<std::string> replace_by_candidate() override {
    ++replaced;
    return "/var/lib/netperfd/netperfd.db.before-restore-7";
  }
  void drop_candidate() override { ++dropped; }
  WallTime now_for_ages() override {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  }
  Result<std::uint64_t> remove_job(JobId /*job*/) override { return 2; }

  Status has_room;
  int replaced = 0;
  int dropped = 0;
};

}  // namespace netperfd::bus
