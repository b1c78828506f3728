// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/call/pipeline.hpp"

namespace netperfd::bus {

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
