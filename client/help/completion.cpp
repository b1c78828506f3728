// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "client/base/command_words.hpp"
#include "client/help/command_page.hpp"
#include "client/help/shell_words.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

// Where on the command line the cursor is.
struct Position {
  CommandPage page;
  std::optional<ArgumentText> awaited;  // the option whose value is being typed
  std::size_t positionals = 0;          // before the cursor
  bool options_ended = false;           // by `--`
  std::string module;
};

const ArgumentText* option_of(const CommandPage& page, std::string_view name) {
  for (const auto* list : {&page.options, &page.common}) {
    for (const ArgumentText& option : *list) {
      if (std::ranges::find(option.names, name) != option.names.end()) return &option;
    }
  }
  return nullptr;
}

void pass_option(Position& position, const std::string& word) {
  const auto equals = word.find('=');
  const ArgumentText* const option = option_of(position.page, word.substr(0, equals));
  if (option != nullptr && !option->value.empty() && equals == std::string::npos) position.awaited = *option;
  if (option != nullptr && option->value == "MODULE" && equals != std::string::npos)
    position.module = word.substr(equals + 1);
}

// Nothing behind a word that is no verb.
std::optional<Position> position_of(const CLI::App& app, std::span<const std::string> before) {
  Position position{.page = page_of(app), .awaited = {}, .module = {}};
  for (const std::string& word : before) {
    if (position.awaited) {
      if (position.awaited->value == "MODULE") position.module = word;
      position.awaited.reset();
    } else if (!position.options_ended && word == "--") {
      position.options_ended = true;
    } else if (!position.options_ended && word.size() > 1 && word.starts_with('-')) {
      pass_option(position, word);
    } else if (position.page.name.empty()) {
      const CLI::App* const verb = verb_of(app, word);
      if (verb == nullptr) return std::nullopt;
      position.page = page_of(*verb);
    } else {
      ++position.positionals;
    }
  }
  return position;
}

// The words that an option's description lists behind a colon: "Only this outcome: allowed, refused or
// failed".
std::vector<Candidate> listed_in(const std::string& about) {
  const auto colon = about.find(": ");
  if (colon == std::string::npos) return {};
  std::string list = about.substr(colon + 2);
  list = list.substr(0, list.find(';'));
  if (const auto last = list.rfind(" or "); last != std::string::npos) list.replace(last, 4, ", ");
  std::vector<Candidate> words;
  while (!list.empty()) {
    const auto comma = list.find(", ");
    const std::string word = list.substr(0, comma);
    // Of module:NAME the part that is fixed.
    words.push_back({word.substr(0, word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), {}});
    list.erase(0, comma == std::string::npos ? comma : comma + 2);
  }
  return words;
}

std::vector<Candidate> selection_words(const LiveWords& live, const std::string& begin) {
  constexpr std::array<std::pair<std::string_view, Live>, 4> kKeys{{{"label", Live::labels},
                                                                    {"scenario", Live::scenarios},
                                                                    {"job", Live::job_numbers},
                                                                    {"owner", Live::owners}}};
  for (const auto& [key, kind] : kKeys) {
    const std::string prefix = std::string{key} + ":";
    if (!begin.starts_with(prefix)) continue;
    std::vector<Candidate> words = live({kind, begin.substr(prefix.size()), {}});
    for (Candidate& word : words) word.word = selection_term(key, word.word);
    return words;
  }
  std::vector<Candidate> words = live({Live::runs, begin, {}});
  for (const auto& [word, about] :
       {std::pair{"label:", "runs with this label"}, std::pair{"scenario:", "runs of it"},
        std::pair{"job:", "runs of this job"}, std::pair{"owner:", "runs of this user, or of any"},
        std::pair{"variant:", "this side of a design"}, std::pair{"arm:plain", "without the trace"},
        std::pair{"arm:traced", "with it"}})
    words.push_back({word, about});
  return words;
}

class Values {
 public:
  Values(const CLI::App& app, const Position& position, const LiveWords& live)
      : app_(app), position_(position), live_(live) {}

  // `begin` is what the value begins with so far.
  [[nodiscard]] Completion of(const ArgumentText& argument, const std::string& begin) const {
    Completion found;
    for (const std::string& word : argument.choices) found.candidates.push_back({word, {}});
    if (!found.candidates.empty()) return found;
    const std::string& kind = argument.positional ? argument.names.front() : argument.value;
    if (kind == "SCENARIO|FILE" || kind == "FILE") found.files = true;
    if (const auto live = live_kind(argument, kind)) {
      found.candidates = live_({*live, begin, position_.module});
      // A verb that takes several runs takes numbers only.
      if (kind == "JOB" && argument.positional) found.candidates.push_back({"last", "your newest"});
      if (argument.repeats)
        std::erase_if(found.candidates, [](const Candidate& one) { return one.word == "last"; });
    } else if (kind == "A" || kind == "B" || kind == "SELECTION") {
      found.candidates = selection_words(live_, begin);
    } else if (kind == "VERB") {
      found.candidates = verbs();
    } else if (kind == "STATE" || kind == "ACTION" || kind == "OUTCOME" || kind == "GROUP") {
      found.candidates = listed_in(argument.about);
    }
    return found;
  }

  [[nodiscard]] std::vector<Candidate> verbs() const {
    std::vector<Candidate> words;
    for (const VerbLine& line : page_of(app_).verbs) words.push_back({line.verb, line.about});
    return words;
  }

 private:
  [[nodiscard]] std::optional<Live> live_kind(const ArgumentText& argument, std::string_view kind) const {
    constexpr std::array<std::pair<std::string_view, Live>, 7> kKinds{{{"SCENARIO|FILE", Live::scenarios},
                                                                       {"RUN", Live::runs},
                                                                       {"JOB", Live::jobs},
                                                                       {"LABEL", Live::labels},
                                                                       {"OWNER", Live::owners},
                                                                       {"MODULE", Live::modules},
                                                                       {"GLOB|NAME", Live::events}}};
    const auto* const known = std::ranges::find(kKinds, kind, [](const auto& pair) { return pair.first; });
    // Finished jobs have runs, only live ones can be stopped or held.
    if (kind == "JOB" && (position_.page.name == "runs" || position_.page.name == "undo"))
      return Live::job_numbers;
    if (known != kKinds.end()) return known->second;
    if (argument.names.back() == "--scenario") return Live::scenarios;
    if (kind != "GLOB") return std::nullopt;
    return position_.page.name == "functions" ? Live::functions : Live::modules;
  }

  const CLI::App& app_;
  const Position& position_;
  const LiveWords& live_;
};

// Only what can be typed: one line of UTF-8 without characters that hide, and no option.
bool can_be_typed(const std::string& word) {
  return !word.empty() && !word.starts_with('-') && printable(word) == word;
}

// A term of a selection has its text in double quotes, which nobody need have typed.
bool begins_with(const std::string& word, const std::string& begin) {
  const auto plain = [](std::string text) {
    std::erase(text, '"');
    return text;
  };
  return word.starts_with(begin) || plain(word).starts_with(plain(begin));
}

Completion options(const CommandPage& page) {
  Completion found;
  for (const auto* list : {&page.options, &page.common}) {
    for (const ArgumentText& option : *list) found.candidates.push_back({option.names.back(), option.about});
  }
  return found;
}

void keep(Completion& found, const std::string& begin, const std::string& prefix, bool values) {
  std::erase_if(found.candidates, [&](const Candidate& one) {
    return (values && !can_be_typed(one.word)) || !begins_with(one.word, begin);
  });
  if (found.candidates.size() > kMostCandidates) found.candidates.resize(kMostCandidates);
  for (Candidate& one : found.candidates) one.word.insert(0, prefix);
}

}  // namespace

Completion complete(const CLI::App& app, std::span<const std::string> words, const LiveWords& live) {
  if (words.empty()) return {};
  const auto position = position_of(app, words.first(words.size() - 1));
  if (!position) return {};
  const Values values{app, *position, live};
  const std::string& word = words.back();
  Completion found;
  std::string begin = word;
  std::string prefix;
  const bool option = !position->options_ended && !position->awaited && word.starts_with('-');
  const auto equals = option ? word.find('=') : std::string::npos;
  const auto& positionals = position->page.positionals;
  if (position->awaited) {
    found = values.of(*position->awaited, word);
  } else if (equals != std::string::npos) {
    prefix = word.substr(0, equals + 1);
    begin = word.substr(equals + 1);
    const ArgumentText* const named = option_of(position->page, word.substr(0, equals));
    if (named != nullptr && !named->value.empty()) found = values.of(*named, begin);
    found.files = false;
  } else if (option) {
    found = options(position->page);
  } else if (position->page.name.empty()) {
    found.candidates = values.verbs();
  } else if (position->positionals < positionals.size()) {
    found = values.of(positionals[position->positionals], word);
  } else if (!positionals.empty() && positionals.back().repeats) {
    found = values.of(positionals.back(), word);
  }
  keep(found, begin, prefix, !option || equals != std::string::npos);
  return found;
}

std::string completion_lines(const CLI::App& app, std::span<const std::string> arguments,
                             const LiveWords& live) {
  if (arguments.size() < 2) return {};
  const std::string& shell = arguments.front();
  if (shell != "bash" && shell != "zsh" && shell != "fish") return {};
  std::vector<std::string> words;
  char quote = 0;
  for (const std::string& raw : arguments.subspan(1)) {
    const auto word = typed_word(raw);
    if (!word) return {};
    words.push_back(word->text);
    quote = word->quote;
  }
  const Completion found = complete(app, words, live);
  std::string lines = found.files ? "files\n" : "words\n";
  for (const Candidate& one : found.candidates) {
    lines +=
        shell == "bash" ? for_bash(one.word, quote) : fmt::format("{}\t{}", one.word, printable(one.about));
    lines += '\n';
  }
  return lines;
}

}  // namespace netperfctl
