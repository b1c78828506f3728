// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/call/pipeline.hpp"

#include <charconv>

namespace netperfd::bus {

std::uint64_t job_of_path(std::string_view path) {
  const std::string_view prefix = dbus::kJobPathPrefix;
  std::uint64_t job = 0;
  if (path.starts_with(prefix)) std::from_chars(path.data() + prefix.size(), path.data() + path.size(), job);
  return job;
}

void end_with(Call& call, dbus::Reply& reply, const std::exception_ptr& failure) noexcept {
  const auto fail = [&](const sdbus::Error& error) {
    call.record_failure(error);
    reply.fail(error);
  };
  try {
    try {
      std::rethrow_exception(failure);
    } catch (const sdbus::Error& error) {
      fail(error);
    } catch (const std::exception& error) {
      fail(dbus::make_error(dbus::error::kInternal, error.what()));
    }
  } catch (const std::exception&) {
    return;  // The answer cannot be sent: the bus is gone, and the loop ends for it.
  }
}

}  // namespace netperfd::bus
