// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/app.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/base/asking.hpp"
#include "client/help/completion.hpp"
#include "client/help/help_text.hpp"
#include "client/help/help_verbs.hpp"
#include "client/help/usage_errors.hpp"
#include "client/terminal/pager.hpp"
#include "client/terminal/terminal.hpp"
#include "client/verbs/choices.hpp"

namespace netperfctl {
namespace {

constexpr std::array kVerbs{&add_start,   &add_ab,      &add_stop,    &add_jobs,      &add_runs,
                            &add_show,    &add_compare, &add_plan,    &add_selftest,  &add_report,
                            &add_export,  &add_import,  &add_delete,  &add_scenarios, &add_watch,
                            &add_mark,    &add_doctor,  &add_modules, &add_functions, &add_events,
                            &add_tracers, &add_log,     &add_help,    &add_wait,      &add_relabel,
                            &add_note,    &add_hold,    &add_release, &add_undo,      &add_db};

Format format_of(const std::string& word) {
  if (word == "json") return Format::json;
  return word == "csv" ? Format::csv : Format::table;
}

}  // namespace

App::App() : app_{"Measures the network through netperfd and shows what was measured", "netperfctl"} {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "Print this help");
  app_.set_version_flag("--version", "netperfctl " NETPERFD_VERSION, "Print the version");
  app_.require_subcommand(1);
  // Before any subcommand is added: they inherit it, so that -o may also stand after the verb.
  app_.fallthrough();
  app_.add_option_function<std::string>(
          "-o,--output", [this](const std::string& word) { settings_.format = format_of(word); },
          "Format of the output: table (for people), json or csv")
      ->check(one_of({"table", "json", "csv"}))
      ->type_name("FORMAT");
  app_.add_flag_callback("--no-ask-password", never_ask_for_password,
                         "Never ask for a password, not even on a terminal");
  app_.add_flag_callback("--no-pager", never_page, "Never show long output in a pager (PAGER, else less)");
  app_.footer(
      "Example:\n"
      "  netperfctl start veth-tcp --label before    measure, and follow it\n"
      "  netperfctl show last                        read what came of it\n"
      "  netperfctl doctor                           when something does not work");
  verbs_.reserve(kVerbs.size());
  for (const auto add : kVerbs) verbs_.push_back(add(app_, settings_));
}

Exit App::run_verb() const {
  for (const Verb& verb : verbs_) {
    if (!verb.command->parsed()) continue;
    const Outcome<Exit> done = verb.run();
    if (!done) {
      complain(done.error().message);
      return done.error().exit;
    }
    if (const auto written = flush_output(); !written) {
      complain(written.error().message);
      return written.error().exit;
    }
    return *done;
  }
  return Exit::usage;
}

Exit App::run(int argc, const char* const* argv) {
  // Not a verb of CLI11's, which would parse the words that are to be completed.
  if (argc > 1 && argv[1] == std::string_view{"__complete"}) {
    const std::vector<std::string> words{argv + 2, argv + argc};
    print_completion(app_, words);
    return Exit::ok;
  }
  try {
    app_.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help or --version
    (void)app_.exit(asked);
    return Exit::ok;
  } catch (const CLI::ParseError& error) {
    complain(usage_error(app_, error));
    return Exit::usage;
  }
  return run_verb();
}

}  // namespace netperfctl
