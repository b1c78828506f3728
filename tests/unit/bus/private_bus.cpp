// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/bus/private_bus.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "daemon/base/fd.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::bus {
namespace {

// Like the system's own configuration. But if the bus does not run as root, everybody may own names, since no
// other user can be simulated then anyway. Everybody may send files to import, whose number the daemon
// checks.
constexpr const char* kConfiguration = R"(<busconfig>
  <type>system</type>
  <listen>unix:path={folder}/bus.sock</listen>
  <auth>EXTERNAL</auth>
  <limit name="max_message_size">1048576</limit>
  <policy context="default">
    <allow user="*"/>
    <{own} own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
    <allow send_destination="org.freedesktop.PolicyKit1"/>
  </policy>
  <policy user="root">
    <allow own="org.freedesktop.PolicyKit1"/>
  </policy>
  <include>{policy}</include>
  <policy context="mandatory">
    <allow send_destination="org.netperfd1" send_type="method_call" send_interface="org.netperfd1.Manager" send_member="ImportRun"/>
    {lax}
  </policy>
</busconfig>
)";

constexpr const char* kLaxRules = R"(<allow send_type="signal"/>
    <allow send_requested_reply="false" send_type="method_return"/>
    <allow send_requested_reply="false" send_type="error"/>
    <allow receive_requested_reply="false" receive_type="method_return"/>
    <allow receive_requested_reply="false" receive_type="error"/>
    <allow own="org.freedesktop.systemd1"/>
    <allow send_destination="org.freedesktop.systemd1"/>)";

constexpr const char* kShippedPolicy = NETPERFD_TEST_DATA "/../../dbus/org.netperfd1.conf";

std::string read_line(const Fd& from) {
  std::string line;
  char c = 0;
  while (::read(from.get(), &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

PrivateBus::PrivateBus(std::string folder, pid_t process) : folder_(std::move(folder)), process_(process) {}

PrivateBus::PrivateBus(PrivateBus&& other) noexcept
    : folder_(std::exchange(other.folder_, {})), process_(std::exchange(other.process_, -1)) {}

PrivateBus::~PrivateBus() {
  stop();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void PrivateBus::send_signal(int signal_number) const {
  ::kill(process_, signal_number);
}

void PrivateBus::stop() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(std::exchange(process_, -1), nullptr, 0);
}

Result<PrivateBus> PrivateBus::start(Rules rules) {
  std::string folder = std::filesystem::temp_directory_path() / "netperfd-bus-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return fail_errno(folder, errno);
  ::chmod(folder.c_str(), 0755);  // other users connect too
  const std::string configuration = folder + "/bus.conf";
  std::ofstream{configuration} << fmt::format(fmt::runtime(kConfiguration), fmt::arg("folder", folder),
                                              fmt::arg("own", ::geteuid() == 0 ? "deny" : "allow"),
                                              fmt::arg("policy", kShippedPolicy),
                                              fmt::arg("lax", rules == Rules::lax ? kLaxRules : ""));
  auto address = make_pipe();
  if (!address) return std::unexpected(address.error());
  const std::string configuration_option = "--config-file=" + configuration;
  const std::string address_option = fmt::format("--print-address={}", address->write.get());
  const pid_t process = ::fork();
  if (process == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::fcntl(address->write.get(), F_SETFD, 0);
    // Its messages about refusals and its own limits do not belong in a test's output.
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::execlp("dbus-daemon", "dbus-daemon", configuration_option.c_str(), "--nofork", "--nopidfile",
             "--nosyslog", address_option.c_str(), nullptr);
    ::_exit(127);
  }
  PrivateBus bus{folder, process};
  address->write.reset();
  const std::string where = read_line(address->read);
  if (where.empty()) return fail(ErrorKind::unsupported, "dbus-daemon does not start");
  ::setenv("DBUS_SYSTEM_BUS_ADDRESS", where.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  // How long libsystemd waits for the answer to a call, 25 s by default.
  const std::string patience = fmt::format("{}s", kTestPatience.count());
  ::setenv("SYSTEMD_BUS_TIMEOUT", patience.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  return bus;
}

}  // namespace netperfd::bus
