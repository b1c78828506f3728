// SPDX-License-Identifier: GPL-2.0-or-later
// Implements the core's StoreKeeper for the daemon's own store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/config/daemon_config.hpp"
#include "daemon/core/audit_trail.hpp"
#include "daemon/core/deferred_ends.hpp"
#include "daemon/core/ports/store_keeper.hpp"
#include "daemon/core/retention/retention.hpp"
#include "daemon/store/sqlite_store.hpp"

namespace netperfd {

class KeptStore final : public core::StoreKeeper {
 public:
  // All must outlive the object. `ends`, `audit` and `retention` work on `store`.
  struct Parts {
    store::SqliteStore& store;
    core::DeferredEnds& ends;
    core::AuditTrail& audit;
    core::Retention& retention;
    core::Clock& clock;
    const config::DaemonConfig& config;
  };

  explicit KeptStore(Parts parts) : parts_(parts) {}

  [[nodiscard]] Status room() override { return parts_.store.expect_room(); }
  [[nodiscard]] std::optional<std::uint64_t> free_space() override;
  [[nodiscard]] std::uint64_t spare_space() override;
  [[nodiscard]] Result<std::string> replace_by_candidate() override;
  void drop_candidate() override { parts_.store.remove_candidate(); }
  [[nodiscard]] WallTime now_for_ages() override { return parts_.retention.now_for_ages(); }
  [[nodiscard]] Result<std::uint64_t> remove_job(JobId job) override { return parts_.retention.remove(job); }

 private:
  Parts parts_;
};

}  // namespace netperfd
