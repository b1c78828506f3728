#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "client/daemon.hpp"
#include "client/owned_fd.hpp"
#include "client/render.hpp"
#include "client/text.hpp"
#include "client/verbs.hpp"

namespace netperfctl {
namespace {

struct ImportArguments {
  std::string file;
  ImportOptions options;
};

Outcome<Exit> run_import(const Settings& settings, const ImportArguments& arguments) {
  if (!is_utf8(arguments.options.label.value_or("")) || !is_utf8(arguments.options.name.value_or("")))
    return fail(Exit::usage, "the arguments are not UTF-8 text");
  // The user reads the file, not the daemon, which is root and may read more. A pipe without a writer does
  // not hold the open up.
  const OwnedFd file{::open(arguments.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.get() < 0)
    return fail(Exit::usage, fmt::format("{}: {}", arguments.file, std::generic_category().message(errno)));
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto run = daemon->import_trace(file, arguments.options);
  if (!run) {
    Failure failure = run.error();
    if (failure.exit == Exit::usage) failure.message = fmt::format("{}: {}", arguments.file, failure.message);
    return std::unexpected(std::move(failure));
  }
  switch (settings.format) {
    case Format::table:
      put_text(stdout, fmt::format("run {}: imported. See `netperfctl show {}`.\n", *run, *run));
      break;
    case Format::json:
      put(imported_json(*run));
      break;
    case Format::csv:
      put(numbers_csv("run", std::array{*run}));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_import(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("import", "Store a trace.dat of trace-cmd as a run of its own");
  const auto arguments = std::make_shared<ImportArguments>();
  command->add_option("FILE", arguments->file, "What trace-cmd recorded, of version 6 or 7")
      ->required()
      ->type_name("");
  command->add_option("--label", arguments->options.label, "Your word for it, such as before or after")
      ->type_name("LABEL");
  command
      ->add_option("--name", arguments->options.name,
                   "What to call it where scenarios are named; else import")
      ->type_name("NAME");
  command->footer(
      "Example:\n"
      "  trace-cmd record -p function_graph -l ':mod:hsr' iperf3 -c 10.9.0.2\n"
      "  netperfctl import trace.dat --label before");
  return {command, [&settings, arguments] { return run_import(settings, *arguments); }};
}

}  // namespace netperfctl
