// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "client/bus/daemon.hpp"
#include "client/pages/doctor.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

void report(const Settings& settings, const std::vector<CapabilityView>& rows, bool reachable) {
  switch (settings.format) {
    case Format::table:
      put_page(doctor_text(screen_of(stdout), rows));
      break;
    case Format::json:
      put(doctor_json(rows, reachable));
      break;
    case Format::csv:
      put(doctor_csv(rows));
      break;
  }
}

// If the daemon cannot be reached, the same page shows the step that failed, with its own exit code.
Outcome<Exit> report_unreachable(const Settings& settings, const Failure& failure) {
  const char* address = std::getenv("DBUS_SYSTEM_BUS_ADDRESS");  // NOLINT(concurrency-mt-unsafe): one thread
  report(settings, unreachable_rows(failure, address != nullptr ? address : ""), false);
  return Exit::unreachable;
}

Outcome<Exit> run_doctor(const Settings& settings, bool fresh) {
  auto daemon = Daemon::connect();
  if (!daemon) return report_unreachable(settings, daemon.error());
  const auto rows = daemon->capabilities(fresh);
  if (rows) {
    report(settings, *rows, true);
    return Exit::ok;
  }
  // Who may not probe anew is not stuck, and anybody may read what was found: then it is the bus that
  // refuses.
  const bool refused = rows.error().step == Step::policy && fresh;
  if (rows.error().step == Step::asked || refused) return std::unexpected(rows.error());
  return report_unreachable(settings, rows.error());
}

}  // namespace

Verb add_doctor(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Show what this machine can measure, what it cannot, why not, and what to do about it");
  const auto fresh = std::make_shared<bool>(false);
  command->add_flag("--fresh", *fresh, "Probe everything now instead of using the results since the boot");
  command->footer("Example:\n  netperfctl doctor");
  return {command, [&settings, fresh] { return run_doctor(settings, *fresh); }};
}

}  // namespace netperfctl
