// SPDX-License-Identifier: GPL-2.0-or-later
// Converts the daemon's errors to D-Bus errors.
#pragma once

#include <type_traits>
#include <utility>

#include "daemon/base/error.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

[[nodiscard]] const char* error_name(ErrorKind kind);
[[nodiscard]] sdbus::Error to_dbus(const Error& error);
// internal for a name that is not one of ours.
[[nodiscard]] Error from_dbus(const sdbus::Error& error);

// For handlers: sdbus-c++ expects failures as exceptions.
inline void throw_if_failed(const Status& status) {
  if (!status) throw to_dbus(status.error());
}
template <class T>
[[nodiscard]] T value_or_throw(Result<T> result) {
  if (!result) throw to_dbus(result.error());
  return std::move(*result);
}

}  // namespace netperfd::bus
