// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

// "skb:kfree_skb", not a glob.
bool names_one(const std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
         text.find_first_of("*?[") == std::string::npos;
}

Outcome<Exit> show_event(const Settings& settings, Daemon& daemon, const std::string& name) {
  const auto event = daemon.event(name);
  if (!event) return std::unexpected(event.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, event_text(screen_of(stdout), *event));
      break;
    case Format::json:
      put(event_json(*event));
      break;
    case Format::csv:
      put(event_csv(*event));
      break;
  }
  return Exit::ok;
}

Outcome<Exit> run_events(const Settings& settings, const std::string& pattern) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (names_one(pattern)) return show_event(settings, *daemon, pattern);
  const auto events = daemon->events(pattern);
  if (!events) return std::unexpected(events.error());
  switch (settings.format) {
    case Format::table:
      put_page(events_text(screen_of(stdout), *events));
      break;
    case Format::json:
      put(events_json(*events));
      break;
    case Format::csv:
      put(events_csv(*events));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_events(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("events", "List the kernel's events, or show the fields of one");
  const auto pattern = std::make_shared<std::string>();
  command
      ->add_option(
          "GLOB|NAME", *pattern,
          "Only events that match, such as `tcp:*`; SYSTEM:EVENT shows that event's fields, their values and "
          "how the kernel prints it")
      ->type_name("");
  command->footer(
      "Example:\n"
      "  netperfctl events 'tcp:*'\n"
      "  netperfctl events skb:kfree_skb");
  return {command, [&settings, pattern] { return run_events(settings, *pattern); }};
}

}  // namespace netperfctl
