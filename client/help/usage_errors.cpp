// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/usage_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "client/help/command_page.hpp"
#include "dbus/rows/nearest_word.hpp"

namespace netperfctl {
namespace {

std::string meant(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> candidates{known.begin(), known.end()};
  const auto found = netperfd::rows::nearest(word, candidates);
  return found ? fmt::format("; did you mean `{}`?", *found) : std::string{};
}

std::string no_such_option(const CommandPage& page, const std::string& word) {
  std::vector<std::string> known;
  for (const auto* list : {&page.options, &page.common}) {
    for (const ArgumentText& option : *list)
      known.insert(known.end(), option.names.begin(), option.names.end());
  }
  const std::string name = word.substr(0, word.find('='));
  // Two letters are near to all others.
  return fmt::format("no such option: {}{}", name, name.starts_with("--") ? meant(name, known) : "");
}

// CLI11 has no more than the text; it begins with the name of the option.
std::string subject_of(const std::string& text) {
  return text.substr(0, text.find(':'));
}

// Of the words that no option or positional took.
std::string left_over(const CLI::App& app, const CommandPage& page, const std::vector<std::string>& words) {
  const auto option = std::ranges::find_if(
      words, [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (option != words.end()) return no_such_option(page, *option);
  if (page.name.empty()) return no_such_verb(app, words.front());
  return fmt::format("`{}` is one argument too many", words.front());
}

template <class Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

std::string message_of(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const CommandPage page = page_of(command);
  std::string text = error.what();
  if (is<CLI::RequiredError>(error) || is<CLI::ExtrasError>(error)) {
    const std::vector<std::string> words = app.remaining(true);
    if (!words.empty()) return left_over(app, page, words);
    if (page.name.empty()) return "a verb is missing";
    return text.substr(0, text.find(" is required")) + " is missing";
  }
  if (is<CLI::ArgumentMismatch>(error)) {
    const std::string subject = subject_of(text);
    for (const ArgumentText& option : page.options) {
      if (std::ranges::find(option.names, subject) != option.names.end())
        return fmt::format("{}: its value, {}, is missing", subject, option.value);
    }
    return fmt::format("{} is given too often or lacks its value", subject);
  }
  if (is<CLI::ConversionError>(error)) {
    // "Could not convert: --label = x", "The value x is not an allowed value for --all", "--all: too many
    // inputs for a flag"
    const auto at = text.find("--");
    const std::string rest = at == std::string::npos ? text : text.substr(at);
    const auto equals = rest.find(" = ");
    if (equals != std::string::npos)
      return fmt::format("{}: `{}` does not fit", rest.substr(0, equals), rest.substr(equals + 3));
    return fmt::format("{} takes no value", subject_of(rest));
  }
  if (is<CLI::ExcludesError>(error)) {
    const auto at = text.find(" excludes ");
    if (at != std::string::npos)
      return fmt::format("{} and {} cannot be given together", text.substr(0, at), text.substr(at + 10));
  }
  return text;
}

}  // namespace

std::string no_such_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const VerbLine& line : page_of(app).verbs) known.push_back(line.verb);
  return fmt::format("`{}` is no verb{}", word, meant(word, known));
}

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const auto parsed = app.get_subcommands();
  const CLI::App& command = parsed.empty() ? app : *parsed.front();
  const std::string message = message_of(app, command, error);
  if (parsed.empty()) return fmt::format("{}\n`netperfctl help` lists the verbs.", message);
  const std::string verb = command.get_name();
  return fmt::format("{}: {}\n`netperfctl help {}` shows how it is used.", verb, message, verb);
}

}  // namespace netperfctl
