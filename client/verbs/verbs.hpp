// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs: each add_* adds a subcommand to the CLI11 app and registers the function that runs it.
#pragma once

#include <functional>

#include "client/base/outcome.hpp"
#include "client/terminal/terminal.hpp"

namespace CLI {
class App;
}

namespace netperfctl {

// Filled from the command line before a verb runs.
struct Settings {
  Format format = Format::table;
};

struct Verb {
  CLI::App* command = nullptr;         // owned by the app
  std::function<Outcome<Exit>()> run;  // after parsing, where `command` was given
};

// `settings` is borrowed and outlives the verb.
[[nodiscard]] Verb add_start(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_ab(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_stop(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_hold(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_release(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_undo(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_jobs(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_runs(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_show(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_compare(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_plan(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_selftest(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_report(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_export(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_import(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_delete(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_scenarios(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_watch(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_mark(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_doctor(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_modules(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_functions(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_events(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_log(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_note(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_relabel(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_wait(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_db(CLI::App& app, const Settings& settings);
[[nodiscard]] Verb add_tracers(CLI::App& app, const Settings& settings);

}  // namespace netperfctl
