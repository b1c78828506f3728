#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "client/base/asking.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

constexpr std::array kVerbs{&add_start,   &add_stop,      &add_jobs,     &add_runs,    &add_show,
                            &add_compare, &add_plan,      &add_selftest, &add_export,  &add_import,
                            &add_delete,  &add_scenarios, &add_watch,    &add_mark,    &add_doctor,
                            &add_modules, &add_functions, &add_events,   &add_tracers, &add_log};

Exit run_verb(const std::vector<Verb>& verbs) {
  for (const Verb& verb : verbs) {
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

Exit run(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Measures the network through netperfd and shows what was measured.", "netperfctl"};
  app.set_version_flag("--version", "netperfctl " NETPERFD_VERSION);
  app.require_subcommand(1);
  // Before any subcommand is added: they inherit it, so that -o may also stand after the verb.
  app.fallthrough();
  const std::map<std::string, Format> formats{
      {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}};
  app.add_option("-o,--output", settings.format, "Format of the output: table (for people), json or csv")
      ->transform(CLI::Transformer(formats))
      ->type_name("FORMAT");
  app.add_flag_callback("--no-ask-password", never_ask_for_password,
                        "Never ask for a password, not even on a terminal");
  app.footer(
      "Example:\n"
      "  netperfctl start veth-tcp --label before    measure, and follow it\n"
      "  netperfctl show last                        read what came of it\n"
      "  netperfctl doctor                           when something does not work\n"
      "Exit codes: 0 ok, 1 error, 2 usage or a wrong job, 3 no daemon, 4 not allowed, 5 not found,\n"
      "6 an inconclusive comparison, 7 a run failed, 8 a regression, 9 more than one user may have,\n"
      "130 interrupted.");
  std::vector<Verb> verbs;
  verbs.reserve(kVerbs.size());
  for (const auto add : kVerbs) verbs.push_back(add(app, settings));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 counts its own errors from 100 on; 0 is --help and --version.
    return app.exit(error) == 0 ? Exit::ok : Exit::usage;
  }
  return run_verb(verbs);
}

}  // namespace
}  // namespace netperfctl

int main(int argc, char** argv) {
  try {
    return static_cast<int>(netperfctl::run(argc, argv));
  } catch (const std::exception& error) {  // out of memory, or a library's own bug
    netperfctl::complain(error.what());
    return static_cast<int>(netperfctl::Exit::other);
  }
}
