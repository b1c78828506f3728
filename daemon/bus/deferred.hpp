// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers for methods that must ask the bus before they answer.
#pragma once

#include <exception>
#include <memory>

#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

// Shared, since the callbacks that hold it must be copyable.
template <class... Values>
using SharedReply = std::shared_ptr<dbus::Reply<Values...>>;

template <class... Values>
[[nodiscard]] SharedReply<Values...> share(sdbus::Result<Values...>&& result) {
  return std::make_shared<dbus::Reply<Values...>>(std::move(result));
}

// Runs `work`, which answers through `reply`. If it throws, the exception becomes the answer. Never throws.
template <class... Values, class Work>
void answer(const SharedReply<Values...>& reply, Work work) {
  try {
    try {
      work();
    } catch (const sdbus::Error& e) {
      reply->fail(e);
    } catch (const std::exception& e) {
      reply->fail(dbus::make_error(dbus::error::kInternal, e.what()));
    }
  } catch (const std::exception&) {
    return;  // The answer cannot be sent: the bus is gone, and the loop ends for it.
  }
}

}  // namespace netperfd::bus
