// Asks the bus for a caller's credentials and decides what the caller may do. The default is to deny.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// Credentials of a connection, as the kernel gave them to the bus when it connected.
struct Credentials {
  uid_t uid = static_cast<uid_t>(-1);
  std::vector<gid_t> groups;  // primary and supplementary; empty if the bus does not know them
};

// Only root and the members of `group` may start, stop, delete and probe.
[[nodiscard]] bool may_measure(const Credentials& caller, gid_t group);
// Only root and the job's owner may mark a run and read raw data, which may hold private data.
[[nodiscard]] bool may_act_as(const Credentials& caller, uid_t owner);

// The group in words, "the group netperfd"; empty for -1. Asks the name service, which may be slow.
[[nodiscard]] std::string describe_group(gid_t group);

class Authorization {
 public:
  // Must not throw.
  using Answer = std::function<void(const Result<Credentials>& caller)>;

  // Maximum number of pending questions; further callers get Busy.
  static constexpr std::size_t kWaitingLimit = 128;

  explicit Authorization(sdbus::IConnection& connection,
                         std::chrono::milliseconds timeout = std::chrono::seconds{5});

  // Asks the bus who owns `unique_name` and gives the answer later, from the loop; access_denied if the bus
  // does not know, such as for a caller that has left. Any state may have changed by then. Destroying this
  // object drops pending answers.
  void ask(const std::string& unique_name, const Answer& answer);

 private:
  std::chrono::milliseconds timeout_;
  std::size_t waiting_ = 0;
  std::unique_ptr<sdbus::IProxy> bus_;
};

}  // namespace netperfd::bus
