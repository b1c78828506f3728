// Who a caller is, asked from the bus, and what that allows. Whatever is not known to be allowed is denied.
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

// Of a connection, as the kernel gave them to the bus when it connected.
struct Credentials {
  uid_t uid = static_cast<uid_t>(-1);
  std::vector<gid_t> groups;  // primary and supplementary; empty where the bus could not tell
};

// Start, stop, delete and probe: root and the members of `group`.
[[nodiscard]] bool may_measure(const Credentials& caller, gid_t group);
// Read raw data, which may hold what others should not see, and mark a run: root and the owner of the job.
[[nodiscard]] bool may_act_as(const Credentials& caller, uid_t owner);

// The group in words, "the group netperfd"; empty for -1. Asks the name service, which may take its time.
[[nodiscard]] std::string describe_group(gid_t group);

class Authorization {
 public:
  // Must not throw.
  using Answer = std::function<void(const Result<Credentials>& caller)>;

  // Questions that wait at once; further callers are told to come again.
  static constexpr std::size_t kWaitingLimit = 128;

  explicit Authorization(sdbus::IConnection& connection,
                         std::chrono::milliseconds timeout = std::chrono::seconds{5});

  // Asks the bus who owns `unique_name` and gives the answer later, from the loop; access_denied where the
  // bus does not say, such as of a caller that has left. The world may have changed by then. Answers are
  // dropped with this object.
  void ask(const std::string& unique_name, const Answer& answer);

 private:
  std::chrono::milliseconds timeout_;
  std::size_t waiting_ = 0;
  std::unique_ptr<sdbus::IProxy> bus_;
};

}  // namespace netperfd::bus
