// SPDX-License-Identifier: GPL-2.0-or-later
// A daemon that a test makes up, for what netperfctl does with answers that the real one does not give.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::system_test {

// Owns netperfd's name on a bus, and answers calls of its manager on a thread of its own.
class FakeDaemon {
 public:
  // Appends the results of `call` to `reply`; returns the name of an error instead, or null.
  using Answer =
      std::function<const char*(std::string_view member, sd_bus_message* call, sd_bus_message* reply)>;

  FakeDaemon(const std::string& address, Answer answer);
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;
  ~FakeDaemon();

  // How often a method was called.
  [[nodiscard]] std::ptrdiff_t calls_of(std::string_view member) const;

  // Throws if `result` is an error of sd-bus.
  static void check(int result, const char* what);

 private:
  struct Unref {
    void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
  };

  void serve();
  static int on_call(sd_bus_message* call, void* self, sd_bus_error* error);

  Answer answer_;
  mutable std::mutex mutex_;
  std::vector<std::string> called_;
  std::unique_ptr<sd_bus, Unref> bus_;
  Fd stop_;
  std::jthread thread_;
};

}  // namespace netperfd::system_test
