// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/run_selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <set>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::core {
namespace {

constexpr std::array<std::string_view, 9> kKeys{"label", "scenario", "job",   "owner", "variant",
                                                "arm",   "since",    "until", "last"};
constexpr const char* kForms =
    "run numbers and ranges like 41,43-45, label:TEXT, scenario:NAME, job:NUMBER, owner:UID, owner:me or "
    "owner:any, variant:NAME, arm:plain or arm:traced, since:TIME, until:TIME, last or last:N";

bool separates(char c) {
  return c == ' ' || c == ',' || c == '\t';
}

// A term without its quotation marks.
struct Term {
  std::string text;
  bool quoted = false;  // part of it was in quotation marks
};

Result<std::vector<Term>> split(std::string_view text) {
  std::vector<Term> terms;
  std::optional<Term> term;
  bool inside = false;
  for (const char c : text) {
    if (!inside && separates(c)) {
      if (term) terms.push_back(*std::exchange(term, std::nullopt));
      continue;
    }
    if (!term) term.emplace();
    if (c == '"') {
      inside = !inside;
      term->quoted = true;
    } else {
      term->text += c;
    }
  }
  if (inside) return invalid(fmt::format("{}: a quotation mark is not closed", in_quotes(text)));
  if (term) terms.push_back(std::move(*term));
  return terms;
}

// A whole number above 0.
std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || number < 1) return std::nullopt;
  return number;
}

// "@1763683200.25"
std::optional<WallTime> to_time(std::string_view text) {
  if (!text.starts_with('@')) return std::nullopt;
  text.remove_prefix(1);
  double seconds = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, seconds, std::chars_format::fixed);
  constexpr double kFarthest = 9e12;  // the largest time in seconds whose microseconds fit into 64 bits
  if (error != std::errc{} || end != last || !(seconds >= 0) || seconds > kFarthest) return std::nullopt;
  return WallTime{std::chrono::round<std::chrono::microseconds>(std::chrono::duration<double>{seconds})};
}

class SelectionParser {
 public:
  SelectionParser(std::string_view text, uid_t caller, Owner unsaid) : caller_(caller), unsaid_(unsaid) {
    selection_.text = text;
    selection_.filter.state = RunState::finished;
  }

  Status take(const Term& term) {
    const auto colon = term.text.find(':');
    if (colon == std::string::npos) return take_word(term);
    const std::string key = term.text.substr(0, colon);
    const std::string value = term.text.substr(colon + 1);
    if (std::ranges::find(kKeys, key) == kKeys.end()) return unknown(term.text, key);
    if (std::ranges::find(seen_, key) != seen_.end()) {
      return invalid(fmt::format("{}: {} is said twice, and all that is said has to hold",
                                 in_quotes(selection_.text), key));
    }
    seen_.push_back(key);
    return take_value(key, value);
  }

  Result<RunSelection> finish() {
    if (selection_.runs.empty() && seen_.empty()) {
      return invalid(fmt::format("a selection of runs is empty; expected is {}", kForms));
    }
    std::ranges::sort(selection_.singles);
    std::ranges::sort(selection_.runs, {}, &RunRange::first);
    std::vector<RunRange> apart;
    for (const RunRange& range : selection_.runs) {
      if (!apart.empty() && range.first <= apart.back().last) {
        apart.back().last = std::max(apart.back().last, range.last);
      } else {
        apart.push_back(range);
      }
    }
    selection_.runs = std::move(apart);
    const bool by_number = !selection_.runs.empty() || selection_.filter.job;
    if (!by_number) selection_.filter.purpose = JobPurpose::measurement;
    selection_.says_whose = by_number || std::ranges::find(seen_, "owner") != seen_.end();
    if (!selection_.says_whose) selection_.filter.owner = unsaid_;
    return std::move(selection_);
  }

 private:
  static Status unknown(const std::string& text, std::string_view word) {
    const auto meant = nearest(word, kKeys);
    return invalid(fmt::format("{} is no selection of runs; expected is {}{}", in_quotes(text), kForms,
                               meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
  }

  Status take_word(const Term& term) {
    if (term.text == "last" && !term.quoted) return take({"last:1", false});
    const auto dash = term.text.find('-');
    const auto first = to_number(std::string_view{term.text}.substr(0, dash));
    const auto last =
        dash == std::string::npos ? first : to_number(std::string_view{term.text}.substr(dash + 1));
    if (!first || !last) return unknown(term.text, term.text);
    if (*last < *first) {
      return invalid(fmt::format("{}: a range of runs goes upwards; did you mean `{}-{}`?",
                                 in_quotes(term.text), *last, *first));
    }
    selection_.runs.push_back({*first, *last});
    if (dash == std::string::npos) selection_.singles.push_back(*first);
    return {};
  }

  Status take_value(std::string_view key, const std::string& value) {
    RunFilter& filter = selection_.filter;
    if (key == "label") {
      filter.label = value;
    } else if (key == "scenario") {
      if (value.empty()) return invalid("scenario: a name has to follow, like scenario:veth-tcp");
      filter.scenario = value;
    } else if (key == "job") {
      filter.job = to_number(value);
      if (!filter.job) return invalid(fmt::format("job:{}: this is not the number of a job", value));
    } else if (key == "owner") {
      const auto owner = parse_owner(value, caller_);
      if (!owner) return std::unexpected(owner.error());
      filter.owner = *owner;
    } else if (key == "variant") {
      if (value.empty()) return invalid("variant: a name has to follow, like variant:list");
      filter.variant = value;
    } else if (key == "arm") {
      if (value != "plain" && value != "traced") {
        return invalid(fmt::format("arm:{}: expected is arm:plain or arm:traced", value));
      }
      filter.traced = value == "traced";
    } else if (key == "last") {
      return take_last(value);
    } else {
      auto& bound = key == "since" ? filter.since : filter.until;
      bound = to_time(value);
      if (!bound) {
        return invalid(
            fmt::format("{}: {} is no point in time; expected are seconds since 1970, like {}:@1763683200",
                        key, in_quotes(value), key));
      }
    }
    return {};
  }

  Status take_last(const std::string& value) {
    const auto number = to_number(value);
    if (!number || *number > kSelectedRuns) {
      return invalid(fmt::format("last:{}: expected is how many runs, 1 to {}", value, kSelectedRuns));
    }
    selection_.newest = static_cast<std::uint32_t>(*number);
    return {};
  }

  uid_t caller_;
  Owner unsaid_;
  RunSelection selection_;
  std::vector<std::string> seen_;
};

std::string suggestion(const char* key, const std::string& word, const std::vector<std::string>& known) {
  if (std::ranges::find(known, word) != known.end()) return {};
  const std::vector<std::string_view> candidates{known.begin(), known.end()};
  const auto meant = nearest(word, candidates);
  return fmt::format("; there is no {} {}{}", key, in_quotes(word),
                     meant ? fmt::format(", did you mean {}?", in_quotes(*meant)) : "");
}

// Which other users have runs that fit, and what selects these.
Result<std::string> others_words(RunQueries& queries, const RunSelection& selection) {
  if (!selection.filter.owner) return std::string{};
  RunFilter of_everybody = selection.filter;
  of_everybody.owner.reset();
  const auto runs = queries.selected_runs(of_everybody, selection.runs, kSelectedRuns);
  if (!runs) return std::unexpected(runs.error());
  std::set<uid_t> owners;
  for (const SelectedRun& run : *runs) owners.insert(run.owner);
  if (owners.empty()) return std::string{};
  constexpr std::size_t kNamed = 5;
  std::vector<std::string> names;
  for (const uid_t owner : owners) {
    if (names.size() < kNamed) names.push_back(fmt::format("owner:{}", owner));
  }
  if (owners.size() > kNamed) names.push_back(fmt::format("{} more users", owners.size() - kNamed));
  std::string words =
      fmt::format("; {} {} such runs", fmt::join(names, ", "), owners.size() == 1 ? "has" : "have");
  if (selection.says_whose) return words;
  return fmt::format("{}: {} selects those{}", words,
                     in_quotes(fmt::format("owner:{} {}", *owners.begin(), selection.text)),
                     owners.size() == 1 ? "" : ", and owner:any everybody's");
}

std::unexpected<Error> nothing_fits(RunQueries& queries, const RunSelection& selection) {
  const bool own = !selection.says_whose && selection.filter.owner;
  std::string message = fmt::format("{}: no finished run{} fits", in_quotes(selection.text),
                                    own ? fmt::format(" of yours (uid {})", *selection.filter.owner) : "");
  const auto names = queries.run_names();
  if (!names) return std::unexpected(names.error());
  const RunFilter& filter = selection.filter;
  if (filter.label) message += suggestion("label", *filter.label, names->labels);
  if (filter.scenario) message += suggestion("scenario", *filter.scenario, names->scenarios);
  RunFilter of_any_purpose = filter;
  of_any_purpose.purpose.reset();
  const auto others = queries.selected_runs(of_any_purpose, selection.runs, 1);
  if (!others) return std::unexpected(others.error());
  if (!others->empty()) {
    message +=
        fmt::format("; runs of pilots and self-tests are meant only by their numbers or job, like job:{}",
                    others->front().job);
  }
  const auto of_others = others_words(queries, selection);
  if (!of_others) return std::unexpected(of_others.error());
  return fail(ErrorKind::not_found, message + *of_others);
}

// A run that was named by its number must not be left out silently.
Status expect_finished(RunQueries& queries, const std::vector<RunId>& named) {
  for (const RunId id : named) {
    const auto run = queries.run(id);
    if (!run) return std::unexpected(run.error());
    if (run->state == RunState::finished) continue;
    return invalid(
        fmt::format("run {} is {}; only finished runs can be compared", id, to_string(run->state)));
  }
  return {};
}

}  // namespace

Result<Owner> parse_owner(std::string_view text, uid_t caller) {
  if (text == "any") return Owner{};
  if (text == "me") return Owner{caller};
  constexpr uid_t kNobody = static_cast<uid_t>(-1);  // which no user can have
  uid_t uid = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, uid);
  if (error == std::errc{} && end == last && uid != kNobody) return Owner{uid};
  return invalid(fmt::format("{}: expected is owner:UID, like owner:1000, owner:me or owner:any",
                             in_quotes(fmt::format("owner:{}", text))));
}

Result<RunSelection> parse_selection(std::string_view text, uid_t caller, Owner unsaid) {
  if (text.size() > kSelectionBytes) {
    return invalid(fmt::format("a selection of runs is {} bytes long; at most {} are allowed", text.size(),
                               kSelectionBytes));
  }
  if (const auto why = not_printable(text); !why.empty()) return invalid("a selection of runs: " + why);
  const auto terms = split(text);
  if (!terms) return std::unexpected(terms.error());
  SelectionParser parser{text, caller, unsaid};
  for (const Term& term : *terms) {
    if (auto taken = parser.take(term); !taken) return std::unexpected(std::move(taken.error()));
  }
  return parser.finish();
}

Result<std::vector<SelectedRun>> resolve(RunQueries& queries, const RunSelection& selection) {
  if (auto known = expect_finished(queries, selection.singles); !known) {
    return std::unexpected(std::move(known.error()));
  }
  auto runs =
      queries.selected_runs(selection.filter, selection.runs, selection.newest.value_or(kSelectedRuns + 1));
  if (!runs) return runs;
  if (runs->empty()) return nothing_fits(queries, selection);
  if (runs->size() > kSelectedRuns) {
    return invalid(fmt::format("{}: more than {} runs fit; last:{} takes the newest of them",
                               in_quotes(selection.text), kSelectedRuns, kSelectedRuns));
  }
  std::ranges::reverse(*runs);
  return runs;
}

Result<std::uint32_t> failed_runs(RunQueries& queries, const RunSelection& selection,
                                  const std::vector<SelectedRun>& resolved) {
  if (!selection.runs.empty()) return 0;
  RunFilter filter = selection.filter;
  filter.state = RunState::failed;
  std::vector<RunRange> since;
  if (selection.newest) since.push_back({resolved.front().id, std::numeric_limits<RunId>::max()});
  const auto failed = queries.selected_runs(filter, since, kSelectedRuns);
  if (!failed) return std::unexpected(failed.error());
  return static_cast<std::uint32_t>(failed->size());
}

}  // namespace netperfd::core
