// SPDX-License-Identifier: GPL-2.0-or-later
// Checks and reads an a{sv} of a caller, for options.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

struct Key {
  std::string_view name;
  std::string_view signature;
  std::string_view type;  // in words, for messages
};

// In these, `what` is "option", "filter" or "rule".
[[nodiscard]] Status check_keys(const dbus::Row& row, std::string_view what, std::span<const Key> keys);
[[nodiscard]] Result<JobPurpose> to_purpose(std::string_view what, const std::string& name);

template <class T>
[[nodiscard]] std::optional<T> value_of(const dbus::Row& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end()) return std::nullopt;
  return found->second.get<T>();
}

}  // namespace netperfd::bus
