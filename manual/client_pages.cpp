// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "client/app.hpp"
#include "client/help/command_page.hpp"
#include "manual/pages.hpp"

namespace netperfd::manual {
namespace {

using netperfctl::ArgumentText;
using netperfctl::CommandPage;

std::string small_first(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

void add_arguments(Page& page, const char* heading, const std::vector<ArgumentText>& arguments) {
  if (arguments.empty()) return;
  page.section(heading);
  for (const ArgumentText& argument : arguments) page.term(argument.heading(), argument.about + ".");
}

void add_rest(Page& page, const CommandPage& command) {
  page.section("EXIT STATUS");
  for (const netperfctl::ExitCode& code : command.exits)
    page.term(std::to_string(static_cast<int>(code.exit)), std::string{code.meaning} + ".");
  if (command.examples.empty()) return;
  page.section("EXAMPLES");
  page.verbatim(command.examples);
}

std::string synopsis(const CommandPage& command) {
  std::string line = "netperfctl " + command.name;
  for (const ArgumentText& option : command.options) {
    if (option.names.back() == "--help") continue;
    line += fmt::format(" [{}{}]", option.names.back(), option.value.empty() ? "" : " " + option.value);
  }
  for (const ArgumentText& positional : command.positionals)
    line += positional.required ? " " + positional.heading() : " [" + positional.heading() + "]";
  return line;
}

Page verb_page(const CommandPage& command) {
  Page page("netperfctl-" + command.name, 1, small_first(command.about));
  page.section("SYNOPSIS");
  page.text("`" + synopsis(command) + "`");
  page.section("DESCRIPTION");
  page.text(command.about + ". " + command.details);
  add_arguments(page, "ARGUMENTS", command.positionals);
  add_arguments(page, "OPTIONS", command.options);
  add_arguments(page, "OPTIONS OF EVERY VERB", command.common);
  add_rest(page, command);
  page.see_also(std::vector<std::string>{"netperfctl(1)", "netperfd-scenario(5)", "netperfd(8)"});
  return page;
}

Page overview(const CommandPage& command) {
  Page page("netperfctl", 1, small_first(command.about));
  page.section("SYNOPSIS");
  page.text("`netperfctl [OPTION...] VERB ...`");
  page.section("DESCRIPTION");
  page.text(
      "netperfctl is the client of netperfd(8). It starts measurements, follows them, shows and compares "
      "what "
      "was measured. It does everything over the system bus, so any other program can do the same: see "
      "org.netperfd1(5). Reading needs no privilege. To measure, you must be a member of the group "
      "`netperfd`, unless its configuration names another.\n\nEach verb has a page of its own, such as "
      "netperfctl-start(1).");
  page.section("VERBS");
  std::string task;
  for (const netperfctl::VerbLine& verb : command.verbs) {
    if (verb.task != task) page.subsection(verb.task);
    task = verb.task;
    page.term(verb.verb, verb.about + ".");
  }
  add_arguments(page, "OPTIONS", command.options);
  page.section("ENVIRONMENT");
  page.term("DBUS_SYSTEM_BUS_ADDRESS", "The bus to use in place of the system bus.");
  page.term("NO_COLOR", "If it is set and not empty, nothing is coloured.");
  page.term("TERM", "If it is `dumb`, nothing is drawn that such a terminal cannot show.");
  add_rest(page, command);
  std::vector<std::string> others;
  for (const netperfctl::VerbLine& verb : command.verbs)
    others.push_back(fmt::format("netperfctl-{}(1)", verb.verb));
  others.insert(others.end(), {"netperfd-scenario(5)", "org.netperfd1(5)", "netperfd(8)"});
  page.see_also(others);
  return page;
}

}  // namespace

std::vector<Page> client_pages() {
  const netperfctl::App app;
  const CommandPage command = netperfctl::page_of(app.parser());
  std::vector<Page> pages{overview(command)};
  for (const netperfctl::VerbLine& verb : command.verbs)
    pages.push_back(verb_page(netperfctl::page_of(*netperfctl::verb_of(app.parser(), verb.verb))));
  return pages;
}

}  // namespace netperfd::manual
