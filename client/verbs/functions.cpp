// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/list_length.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct FunctionsArguments {
  std::string pattern, module;
  const CLI::Option* by_module = nullptr;  // an empty name is one too: the kernel itself
  ListLength length;
};

Outcome<Exit> run_functions(const Settings& settings, const FunctionsArguments& arguments) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  FunctionFilter filter{.module = {}, .pattern = arguments.pattern};
  if (arguments.by_module->count() > 0) filter.module = arguments.module;
  constexpr std::size_t kForPeople = 50;
  const auto page = daemon->functions(filter, rows_to_ask(arguments.length, settings.format, kForPeople));
  if (!page) return std::unexpected(page.error());
  switch (settings.format) {
    case Format::table:
      put_page(functions_text(screen_of(stdout), *page, arguments.pattern));
      break;
    case Format::json:
      put(functions_json(*page));
      break;
    case Format::csv:
      put(functions_csv(*page));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_functions(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("functions", "List the kernel functions that can be traced");
  const auto arguments = std::make_shared<FunctionsArguments>();
  command
      ->add_option("GLOB", arguments->pattern,
                   "Only functions with a matching name; if a name does not exist, similar names are shown")
      ->type_name("");
  arguments->by_module =
      command
          ->add_option("--module", arguments->module,
                       "Only functions of the module with this exact name; '' is the kernel itself")
          ->type_name("MODULE");
  command->add_flag("--all", arguments->length.all,
                    "All of them, also in a table, which otherwise has the first 50");
  command->footer(
      "Example:\n"
      "  netperfctl functions --module hsr\n"
      "  netperfctl functions 'tcp_send*'");
  return {command, [&settings, arguments] { return run_functions(settings, *arguments); }};
}

}  // namespace netperfctl
