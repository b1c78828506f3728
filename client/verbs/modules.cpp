// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <memory>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_modules(const Settings& settings, const std::string& pattern) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto modules = daemon->modules(pattern);
  if (!modules) return std::unexpected(modules.error());
  switch (settings.format) {
    case Format::table:
      put_page(modules_text(screen_of(stdout), *modules, pattern));
      break;
    case Format::json:
      put(modules_json(*modules));
      break;
    case Format::csv:
      put(modules_csv(*modules));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_modules(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "modules", "List the kernel's modules and how many of their functions can be traced");
  const auto pattern = std::make_shared<std::string>();
  command->add_option("GLOB", *pattern, "Only modules whose name fits; then also those that could be loaded")
      ->type_name("");
  command->footer("Example:\n  netperfctl modules 'hsr*'");
  return {command, [&settings, pattern] { return run_modules(settings, *pattern); }};
}

}  // namespace netperfctl
