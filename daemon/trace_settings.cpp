// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace_settings.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/trace/catalogue/spec_check.hpp"
#include "daemon/trace/tracefs/own_instance.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"
#include "daemon/workload/job/programs.hpp"

namespace netperfd {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;

std::uint64_t default_buffer() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return trace::default_buffer_bytes(pages * page, static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_CONF)));
}

}  // namespace

std::string tracefs_root() {
  return trace::find_tracefs().value_or("/sys/kernel/tracing");
}

std::string beside_the_database(const config::DaemonConfig& config, const char* name) {
  return std::filesystem::path(config.database).parent_path() / name;
}

Result<trace::SessionSettings> session_settings(const config::DaemonConfig& config) {
  auto boot_id = read_file("/proc/sys/kernel/random/boot_id", kMaxLineBytes);
  if (!boot_id) return std::unexpected(std::move(boot_id.error()));
  while (boot_id->ends_with('\n')) boot_id->pop_back();
  trace::SessionSettings settings;
  settings.journal = beside_the_database(config, "tracefs.journal");
  settings.instance = trace::name_of_own_instance();
  settings.boot_id = std::move(*boot_id);
  settings.buffer_bytes = default_buffer();
  return settings;
}

trace::CatalogueSettings catalogue_settings(const config::DaemonConfig& config,
                                            const trace::SessionSettings& session,
                                            const workload::Iperf3Features& iperf3,
                                            const workload::GroupSite& groups,
                                            std::function<std::vector<std::string>()> missing) {
  utsname kernel{};
  (void)uname(&kernel);  // cannot fail for a buffer of ours
  trace::CatalogueSettings settings;
  settings.kernel_release = kernel.release;
  settings.modules_root = fmt::format("/lib/modules/{}", kernel.release);
  settings.cache_file = beside_the_database(config, "capabilities");
  settings.boot_id = session.boot_id;
  settings.version = NETPERFD_VERSION;
  settings.own_instance = session.instance;
  settings.iperf3 = {.found = !iperf3.version.empty(),
                     .version = iperf3.version,
                     .json_stream = iperf3.json_stream(),
                     .sctp = iperf3.version.empty() ? std::nullopt : std::optional(iperf3.has("--sctp"))};
  settings.echo = workload::find_program(config.echo_path).value_or(config.echo_path);
  settings.run_groups_missing = groups.missing;
  settings.missing_programs = std::move(missing);
  return settings;
}

}  // namespace netperfd
