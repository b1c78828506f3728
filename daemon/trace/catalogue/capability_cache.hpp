// SPDX-License-Identifier: GPL-2.0-or-later
// Stores the doctor's answers that hold until the next boot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/catalogue.hpp"

namespace netperfd::trace {

// The origin of the answers: those of another boot, kernel or netperfd are void.
struct CacheKey {
  std::string boot_id;
  std::string kernel_release;
  std::string version;
};

// Empty if the file does not exist, has another key or is damaged.
[[nodiscard]] std::vector<core::Capability> load_capabilities(const std::string& path, const CacheKey& key);

// Replaces the file atomically: a reader sees the old one or the new one.
[[nodiscard]] Status save_capabilities(const std::string& path, const CacheKey& key,
                                       const std::vector<core::Capability>& capabilities);

}  // namespace netperfd::trace
