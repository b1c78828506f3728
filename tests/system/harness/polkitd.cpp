// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/polkitd.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/system/harness/bus_client.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {
namespace {

constexpr const char* kPolkitd = "/usr/lib/polkit-1/polkitd";
constexpr const char* kPolkitName = "org.freedesktop.PolicyKit1";

// polkitd looks nowhere else.
constexpr const char* kRunPolkitd =
    "mount --bind {0}/actions /usr/share/polkit-1/actions && mount --bind {0}/rules "
    "/usr/share/polkit-1/rules.d && exec {1} --no-debug";

bool polkit_has_owner(const BusClient& client) {
  const Reply reply = client.call_on("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     "NameHasOwner", "s", kPolkitName);
  int owned = 0;
  return reply.message && sd_bus_message_read(reply.message.get(), "b", &owned) > 0 && owned != 0;
}

}  // namespace

bool Polkitd::is_installed() {
  return ::access(kPolkitd, X_OK) == 0;
}

Polkitd::Polkitd(const ScratchDir& directory, const PrivateBus& bus, Knows knows) {
  const std::string place =
      directory.path(knows == Knows::our_actions ? "polkit-with-actions" : "polkit-without-actions");
  std::filesystem::create_directories(place + "/actions");
  std::filesystem::create_directories(place + "/rules");
  std::filesystem::copy_file(NETPERFD_POLKIT_RULES, place + "/rules/netperfd.rules",
                             std::filesystem::copy_options::overwrite_existing);
  if (knows == Knows::our_actions) {
    std::filesystem::copy_file(NETPERFD_POLKIT_POLICY, place + "/actions/org.netperfd1.policy",
                               std::filesystem::copy_options::overwrite_existing);
  }
  const BusClient client{bus.address(), User{}};
  const std::string rule = fmt::format(
      "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{}'", kPolkitName);
  bool owned = false;
  sd_bus_slot* slot = nullptr;
  const int matched = sd_bus_add_match(
      client.raw(), &slot, rule.c_str(),
      [](sd_bus_message*, void* told, sd_bus_error*) {
        *static_cast<bool*>(told) = true;
        return 0;
      },
      &owned);
  if (matched < 0) throw std::runtime_error("no match for the name of polkit");
  process_ =
      std::make_unique<Process>(Command{.argv = {"unshare", "--mount", "--propagation", "private", "sh", "-c",
                                                 fmt::format(fmt::runtime(kRunPolkitd), place, kPolkitd)},
                                        .environment = {bus.environment()},
                                        .user = {},
                                        .netns = {},
                                        .stderr_file = {}});
  constexpr std::uint64_t kPatienceUs = 1'000'000;
  const Deadline deadline;
  while (!owned && !deadline.has_passed() && !process_->ends_before(Deadline{std::chrono::milliseconds{0}})) {
    if (sd_bus_process(client.raw(), nullptr) == 0) sd_bus_wait(client.raw(), kPatienceUs);
  }
  sd_bus_slot_unref(slot);
  if (!polkit_has_owner(client))
    throw std::runtime_error(fmt::format("polkitd does not start: {}", process_->err()));
}

}  // namespace netperfd::system_test
