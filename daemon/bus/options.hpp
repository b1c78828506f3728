// The a{sv} arguments of callers, read strictly: an unknown key or a value of another type is an error that
// names it.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// What a caller can make us hold, in bytes but for the number of overrides.
inline constexpr std::size_t kJobTextLimit = std::size_t{64} * 1024;
inline constexpr std::size_t kOverridesLimit = 64;
inline constexpr std::size_t kOverrideLimit = 1024;
inline constexpr std::size_t kLabelLimit = 256;
inline constexpr std::size_t kNameLimit = 256;
inline constexpr std::size_t kOriginLimit = 4096;

struct StartOptions {
  core::JobOptions job;
  bool tie_to_caller = false;
};

[[nodiscard]] Result<StartOptions> parse_start_options(const dbus::Row& options);
[[nodiscard]] Result<core::RunFilter> parse_run_filter(const dbus::Row& filter);

// `what` stands at the beginning of the error.
[[nodiscard]] Status check_size(const char* what, const std::string& text, std::size_t limit_bytes);
// One line of printable text within the limit.
[[nodiscard]] Status check_line(const char* what, const std::string& text, std::size_t limit_bytes);

}  // namespace netperfd::bus
