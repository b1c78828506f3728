// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/command_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "client/help/verb_table.hpp"

namespace netperfctl {
namespace {

// The words of CLI11's "{a,b}" or "{a->0,b->1}" at the end of an option's type.
std::vector<std::string> choices_in(const std::string& type) {
  const auto open = type.find('{');
  const auto close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> words;
  std::istringstream list{type.substr(open + 1, close - open - 1)};
  for (std::string word; std::getline(list, word, ',');) words.push_back(word.substr(0, word.find("->")));
  return words;
}

ArgumentText argument_of(const CLI::Option& option) {
  ArgumentText argument;
  argument.positional = !option.nonpositional();
  if (argument.positional) {
    argument.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  }
  const std::string type = option.get_type_name();
  const bool takes_value = option.get_items_expected_max() > 0;
  if (!argument.positional && takes_value) argument.value = type.substr(0, type.find(':'));
  argument.choices = choices_in(type);
  argument.about = option.get_description();
  argument.required = option.get_required();
  argument.repeats = argument.positional && option.get_items_expected_max() > 1;
  return argument;
}

// The indented lines of a footer, which are its examples.
std::vector<std::string> examples_in(const std::string& footer) {
  std::vector<std::string> examples;
  std::istringstream lines{footer};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) examples.push_back(line.substr(2));
  }
  return examples;
}

std::vector<ExitCode> exits_of(const VerbText* verb) {
  constexpr std::array kOfAny{Exit::ok, Exit::other, Exit::usage, Exit::unreachable, Exit::denied};
  std::vector<ExitCode> codes;
  for (const ExitCode& code : exit_codes()) {
    const bool any = std::ranges::find(kOfAny, code.exit) != kOfAny.end();
    if (any || verb == nullptr || std::ranges::find(verb->exits, code.exit) != verb->exits.end())
      codes.push_back(code);
  }
  return codes;
}

std::vector<VerbLine> verbs_of(const CLI::App& app) {
  std::vector<VerbLine> lines;
  for (const VerbText& text : verb_texts()) {
    if (const CLI::App* const verb = verb_of(app, std::string{text.verb}))
      lines.push_back({verb->get_name(), std::string{text.task}, verb->get_description()});
  }
  return lines;
}

void add_arguments(const CLI::App& command, std::vector<ArgumentText>& positionals,
                   std::vector<ArgumentText>& options) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    ArgumentText argument = argument_of(*option);
    (argument.positional ? positionals : options).push_back(std::move(argument));
  }
}

}  // namespace

std::string ArgumentText::heading() const {
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (!value.empty()) text += " " + value;
  return repeats ? text + "..." : text;
}

std::string CommandPage::usage() const {
  std::string line = name.empty() ? "netperfctl" : "netperfctl " + name;
  if (!options.empty() || !common.empty()) line += " [OPTION...]";
  if (name.empty()) return line + " VERB ...";
  for (const ArgumentText& positional : positionals)
    line += fmt::format(fmt::runtime(positional.required ? " {}" : " [{}]"), positional.heading());
  return line;
}

CommandPage page_of(const CLI::App& command) {
  CommandPage page;
  const CLI::App* const parent = command.get_parent();
  if (parent != nullptr) page.name = command.get_name();
  page.about = command.get_description();
  add_arguments(command, page.positionals, page.options);
  page.examples = examples_in(command.get_footer());
  const VerbText* const text = text_of_verb(page.name);
  if (text != nullptr) page.details = text->details;
  page.exits = exits_of(text);
  if (parent == nullptr) {
    page.verbs = verbs_of(command);
    return page;
  }
  // Each verb has its own -h, and the version is netperfctl's.
  std::vector<ArgumentText> none;
  add_arguments(*parent, none, page.common);
  std::erase_if(page.common, [](const ArgumentText& option) {
    return option.names.back() == "--help" || option.names.back() == "--version";
  });
  return page;
}

const CLI::App* verb_of(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

}  // namespace netperfctl
