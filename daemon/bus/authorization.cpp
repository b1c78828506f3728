#include "daemon/bus/authorization.hpp"

#include <fmt/format.h>
#include <grp.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "daemon/bus/bus_driver.hpp"

namespace netperfd::bus {
namespace {

std::unexpected<Error> unknown_caller(const std::string& name, std::string_view reason) {
  return fail(ErrorKind::access_denied, fmt::format("the bus does not say who {} is: {}", name, reason));
}

Result<Credentials> read_credentials(const std::string& name, const dbus::Row& answer) try {
  const auto uid = answer.find("UnixUserID");
  if (uid == answer.end()) return unknown_caller(name, "no user id");
  Credentials caller;
  caller.uid = uid->second.get<std::uint32_t>();
  if (const auto groups = answer.find("UnixGroupIDs"); groups != answer.end()) {
    caller.groups = groups->second.get<std::vector<std::uint32_t>>();
  }
  return caller;
} catch (const sdbus::Error& e) {  // a value of another type
  return unknown_caller(name, e.getMessage());
}

}  // namespace

bool may_measure(const Credentials& caller, gid_t group) {
  if (caller.uid == 0) return true;
  return group != static_cast<gid_t>(-1) && std::ranges::find(caller.groups, group) != caller.groups.end();
}

bool may_act_as(const Credentials& caller, uid_t owner) {
  return caller.uid == 0 || caller.uid == owner;
}

std::string describe_group(gid_t group) {
  if (group == static_cast<gid_t>(-1)) return {};
  const struct group* found = getgrgid(group);  // NOLINT(concurrency-mt-unsafe): the loop's thread only
  return found != nullptr ? fmt::format("the group {}", found->gr_name) : fmt::format("the group {}", group);
}

Authorization::Authorization(sdbus::IConnection& connection, std::chrono::milliseconds timeout)
    : timeout_(timeout),
      bus_(sdbus::createProxy(connection, dbus::ServiceName{kBusService}, sdbus::ObjectPath{kBusPath})) {}

void Authorization::ask(const std::string& unique_name, const Answer& answer) {
  if (unique_name.empty()) return answer(unknown_caller("the caller", "it has no name on the bus"));
  if (waiting_ >= kWaitingLimit) {
    return answer(
        fail(ErrorKind::busy, fmt::format("{} callers wait for their authorization already", waiting_)));
  }
  try {
    bus_->callMethodAsync("GetConnectionCredentials")
        .onInterface(kBusService)
        .withTimeout(timeout_)
        .withArguments(unique_name)
        .uponReplyInvoke([this, unique_name, answer](dbus::ReplyError error, const dbus::Row& credentials) {
          --waiting_;
          answer(error ? unknown_caller(unique_name, error->getMessage())
                       : read_credentials(unique_name, credentials));
        });
    ++waiting_;
  } catch (const sdbus::Error& e) {
    answer(unknown_caller(unique_name, e.getMessage()));
  }
}

}  // namespace netperfd::bus
