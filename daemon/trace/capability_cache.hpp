// The doctor's answers that hold until the next boot, on disk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/core/trace_ports.hpp"

namespace netperfd::trace {

// Whom the answers belong to: those of another boot, kernel or netperfd are void.
struct CacheKey {
  std::string boot_id;
  std::string kernel_release;
  std::string version;
};

// Nothing where there is no such file, where it belongs to another key, or where it is damaged.
[[nodiscard]] std::vector<core::Capability> load_capabilities(const std::string& path, const CacheKey& key);

// Replaces the file as a whole: a reader sees the old one or the new one.
[[nodiscard]] Status save_capabilities(const std::string& path, const CacheKey& key,
                                       const std::vector<core::Capability>& capabilities);

}  // namespace netperfd::trace
