// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "client/help/command_page.hpp"
#include "client/help/help_verbs.hpp"
#include "client/help/usage_errors.hpp"
#include "client/terminal/terminal.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> print_help(const CLI::App& app, const std::string& verb) {
  if (verb.empty()) {
    put_text(stdout, app.get_formatter()->make_help(&app, "", CLI::AppFormatMode::Normal));
    return Exit::ok;
  }
  const CLI::App* const command = verb_of(app, verb);
  if (command == nullptr || command->get_group().empty()) return fail(Exit::usage, no_such_verb(app, verb));
  put_text(stdout, app.get_formatter()->make_help(command, "", CLI::AppFormatMode::Normal));
  return Exit::ok;
}

}  // namespace

Verb add_help(CLI::App& app, const Settings& /*settings*/) {
  CLI::App* command = app.add_subcommand("help", "Explain a verb, or list the verbs");
  const auto verb = std::make_shared<std::string>();
  command->add_option("VERB", *verb, "The verb; without it, all of them are listed")->type_name("");
  command->footer("Example:\n  netperfctl help start");
  return {command, [&app, verb] { return print_help(app, *verb); }};
}

}  // namespace netperfctl
