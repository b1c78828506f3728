// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/units.hpp"
#include "daemon/workload/command/job/parameters.hpp"
#include "daemon/workload/job/place.hpp"

namespace netperfd::workload {

using namespace keys;

namespace {

struct FigureDraft {
  DeclaredFigure figure;
  std::optional<std::string> pattern, pointer, column, from, file;
  std::optional<FigureTake> take;
};

// Values filled in by the keys.
struct CommandDraft {
  CommandSpec spec;
  CommandProgram server;
  PlaceDraft place;
  FigureDraft figure;  // the figure being read
  std::vector<FigureDraft> figures;
};

Reader words(std::vector<std::string>& argv) {
  return list(argv, parse_text, "a text of one line", "a list of words (like [wrk, -c10, -d10s])");
}

// An empty list would ask for a unit without any: it is refused, as a list that was forgotten.
Reader capabilities(std::vector<std::string>& names) {
  const Reader read = list(names, parse_text, "a word", "a list of words (like [NET_ADMIN, BPF])");
  return [read](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind == YamlNode::Kind::list && node.items.empty())
      return "is empty; without capabilities, the key is left out";
    return read(node);
  };
}

Reader some_text(std::optional<std::string>& out) {
  return scalar(out, parse_text, "a text of one line");
}

std::optional<Better> parse_better(std::string_view text) {
  if (text == "higher") return Better::higher;
  if (text == "lower") return Better::lower;
  return std::nullopt;
}

std::optional<FigureTake> parse_take(std::string_view text) {
  if (text == "last") return FigureTake::last;
  if (text == "first") return FigureTake::first;
  return std::nullopt;
}

std::optional<std::string> parse_document(const YamlNode& node) {
  constexpr std::string_view kDocuments[] = {"client.stdout", "client.stderr", "server.stdout",
                                             "server.stderr"};
  const bool known = std::ranges::find(kDocuments, node.text) != std::end(kDocuments);
  return known ? std::optional(node.text) : std::nullopt;
}

std::optional<double> parse_scale(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool fits = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return fits && value > 0 ? std::optional(value) : std::nullopt;
}

// NAME: VALUE, as NAME=VALUE; the rest is checked later.
Reader environment(std::vector<std::string>& out) {
  return [&out](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind != YamlNode::Kind::mapping) return not_what(node, "a mapping of names to texts");
    for (const YamlEntry& entry : node.entries) {
      const auto value = entry.value.kind == YamlNode::Kind::scalar ? parse_text(entry.value) : std::nullopt;
      if (!value) return fmt::format("{}: {}", entry.key, not_what(entry.value, "a text of one line"));
      out.push_back(fmt::format("{}={}", entry.key, *value));
    }
    return std::nullopt;
  };
}

std::vector<Key> keys_of_client(CommandDraft& draft) {
  PlaceDraft& place = draft.place;
  return {
      {"workload.command", {}},
      {"workload.command.run",
       words(draft.spec.client.argv),
       {"list of texts", "required",
        "the client: a program and its arguments, without a shell. A program without a slash is looked for "
        "in "
        "the usual directories; `{NAME}` is the value of a parameter",
        ""},
       Need::required},
      {"workload.command.netns",
       text(place.path.netns),
       {"word", "the host's own", "network namespace of the client", ""}},
      {"workload.command.cpus",
       cpu_list(draft.spec.client.cpus),
       {"list of numbers", "any", "the CPUs on which the client may run", ""}},
      {"workload.command.duration",
       word(draft.spec.duration, parse_duration, kDuration),
       {"duration", "required",
        "how long the client is expected to take: 100 ms to 24 h. It ends by itself; `limits.timeout` ends "
        "it "
        "otherwise",
        ""},
       Need::required},
      {"workload.command.server",
       text(place.path.server),
       {"host", "none",
        "name or address of the server that the client uses, if somebody else runs it: it tells netperfd the "
        "path",
        ""}},
      {"workload.command.bind",
       text(place.path.bind),
       {"address", "the kernel's", "the client's own address, if `run` sets it", ""}},
      {"workload.command.environment",
       environment(draft.spec.environment),
       {"mapping", "none",
        "variables of client and server, such as `{OMP_NUM_THREADS: 2}`; not those of the dynamic loader, "
        "such "
        "as `LD_LIBRARY_PATH`: for them, begin `run` with `env`",
        ""}},
      {"workload.command.parameters",
       read_parameters(draft.spec.parameters),
       {"mapping", "none",
        "what a start may choose, and from what: `{size: {value: 64, from: 64, to: 9000}, mode: {value: rr, "
        "words: [rr, stream]}}`; see "
        "[any benchmark](scenarios.md#any-benchmark)",
        ""}},
      {"workload.command.output_limit",
       word(draft.spec.output_limit, parse_bytes, kBytes),
       {"bytes", "`16M`",
        "a program that writes more to its standard output or standard error is killed, and the run fails: "
        "1K "
        "to 64M. It is also the limit of a file with figures",
        ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

std::vector<Key> keys_of_server(CommandDraft& draft) {
  ReadyTest& ready = draft.spec.ready;
  return {
      {"workload.command.local", {}},
      {"workload.command.local.run",
       words(draft.server.argv),
       {"list of texts", "required", "the server, as `run`. It gets SIGTERM when the client has ended", ""},
       Need::required},
      {"workload.command.local.netns",
       text(draft.place.local.netns),
       {"word", "the host's own", "network namespace of the server", ""}},
      {"workload.command.local.bind",
       text(draft.place.local.bind),
       {"address", "required", "address of the server that the client uses", ""},
       Need::required},
      {"workload.command.local.cpus",
       cpu_list(draft.server.cpus),
       {"list of numbers", "any", "the CPUs on which the server may run", ""}},
      {"workload.command.local.ready", {}, {}, Need::required},
      {"workload.command.local.ready.port",
       number(ready.port),
       {"number", "one of the three",
        "the server can be used when it listens on this TCP port, or has bound this UDP port", ""}},
      {"workload.command.local.ready.line",
       text(ready.line),
       {"text", "one of the three", "when it prints a line with this text", ""}},
      {"workload.command.local.ready.file",
       text(ready.file),
       {"word", "one of the three", "when this file is in its directory", ""}},
      {"workload.command.local.ready.within",
       word(ready.within, parse_duration, kDuration),
       {"duration", "`10s`", "the run fails if the server is not ready by then: 100 ms to 10 min", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as above

std::vector<Key> keys_of_privileges(CommandDraft& draft) {
  return {
      {"workload.command.capabilities",
       capabilities(draft.spec.client.capabilities),
       {"list of words", "none",
        "capabilities(7) without `CAP_`, such as `[NET_ADMIN, BPF]`: the client then runs as root with these "
        "alone, in a unit of systemd; see [privileges](scenarios.md#commands-with-privileges)",
        ""}},
      {"workload.command.cleanup",
       words(draft.spec.client.cleanup),
       {"list of texts", "none",
        "a command like `run`, for a client with capabilities: it is run in its unit when that ends, however "
        "it ends",
        ""}},
      {"workload.command.local.capabilities",
       capabilities(draft.server.capabilities),
       {"list of words", "none", "as `capabilities`, of the server", ""}},
      {"workload.command.local.cleanup",
       words(draft.server.cleanup),
       {"list of texts", "none", "as `cleanup`, of the server", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as above

std::vector<Key> keys_of_declared(CommandDraft& draft) {
  FigureDraft& figure = draft.figure;
  const auto keep = [&draft] { draft.figures.push_back(std::exchange(draft.figure, {})); };
  return {
      {"workload.command.figures",
       {},
       {},
       Need::required,
       {.keep = keep,
        .plain = {},
        .expected =
            "a list of figures (like [{name: rate, unit: requests/s, better: higher, pattern: '...'}])"}},
      {"workload.command.figures[].name",
       text(figure.figure.name),
       {"word", "required", "at most 64 letters, digits, `.`, `_`, `-`, and not like a figure of netperfd",
        ""},
       Need::required},
      {"workload.command.figures[].unit",
       text(figure.figure.unit),
       {"text", "required",
        "`ns`, `bits/s`, `requests/s`, `packets/s`, `share`, `count` or any other, at most 32 bytes", ""},
       Need::required},
      {"workload.command.figures[].better",
       word(figure.figure.better, parse_better, "one of higher or lower"),
       {"`higher`, `lower`", "required", "which side of a comparison is better", ""},
       Need::required},
      {"workload.command.figures[].pattern",
       some_text(figure.pattern),
       {"text", "one of the three",
        "regular expression (RE2) with one group, around the number; `^` and `$` are the ends of a line",
        ""}},
      {"workload.command.figures[].pointer",
       some_text(figure.pointer),
       {"text", "one of the three", "JSON pointer, such as `/end/rate`, if the text is one JSON document",
        ""}},
      {"workload.command.figures[].column",
       some_text(figure.column),
       {"text", "one of the three", "name of a column of comma-separated values", ""}},
      {"workload.command.figures[].take",
       word(figure.take, parse_take, "one of last or first"),
       {"`last`, `first`", "`last`", "which of several matches or rows counts", ""}},
      {"workload.command.figures[].from",
       scalar(figure.from, parse_document,
              "one of client.stdout, client.stderr, server.stdout or server.stderr"),
       {"word", "`client.stdout`",
        "where it is written; or `client.stderr`, `server.stdout`, `server.stderr`", ""}},
      {"workload.command.figures[].file",
       some_text(figure.file),
       {"word", "none", "instead of `from`: a file that client or server writes into its directory", ""}},
      {"workload.command.figures[].scale",
       word(figure.figure.scale, parse_scale, "a number above 0 (like 1000 or 1e-3)"),
       {"number", "1", "the figure in its unit is what is written times this", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): as above

class CommandKeys final : public JobKeys {
 public:
  std::vector<Key> keys() override {
    std::vector<Key> keys = keys_of_client(draft_);
    std::ranges::move(keys_of_server(draft_), std::back_inserter(keys));
    std::ranges::move(keys_of_privileges(draft_), std::back_inserter(keys));
    std::ranges::move(keys_of_declared(draft_), std::back_inserter(keys));
    return keys;
  }

  void finish(const YamlNode& root, JobSpec& spec, Complaints& complaints) override {
    if (spec.workload.name != "command") return;
    const YamlNode* command = value_of(value_of(&root, "workload"), "command");
    spec.test.path = path_of(std::move(draft_.place), spec.workload.name, root, complaints);
    spec.test.path.server_wait = {};  // its server is there, or the run fails
    CommandSpec& made = spec.command.emplace(std::move(draft_.spec));
    if (value_of(command, "local") != nullptr) made.server = std::move(draft_.server);
    put_parameters(made, *command, complaints);
    for (std::size_t i = 0; i < draft_.figures.size(); ++i)
      made.figures.push_back(declared(std::move(draft_.figures[i]), i, *command, complaints));
    // A comparison judges the first one unless the scenario names others.
    if (spec.figures.empty() && !made.figures.empty())
      spec.figures.push_back({.figure = {.name = made.figures.front().name}});
  }

 private:
  static void put_parameters(CommandSpec& made, const YamlNode& command, Complaints& complaints) {
    std::vector<std::string*> words;
    const auto add = [&words](CommandProgram& program) {
      for (std::string& word : program.argv) words.push_back(&word);
      for (std::string& word : program.cleanup) words.push_back(&word);
    };
    add(made.client);
    if (made.server) add(*made.server);
    for (const CommandParameter& parameter : made.parameters) {
      const bool used =
          std::ranges::any_of(words, [&](const std::string* word) { return uses(*word, parameter); });
      if (used) continue;
      complaints.add(command.find("parameters")->place,
                     fmt::format("workload.command.parameters.{}", parameter.name),
                     fmt::format("is in no argument; {{{}}} is where it is put", parameter.name));
    }
    for (std::string* word : words) *word = with_parameters(*word, made.parameters);
  }

  static DeclaredFigure declared(FigureDraft draft, std::size_t index, const YamlNode& command,
                                 Complaints& complaints) {
    const auto complain = [&](std::string_view key, const char* message) {
      complaints.add(command.find("figures")->value.items[index].place,
                     fmt::format("workload.command.figures[{}].{}", index, key), message);
    };
    DeclaredFigure figure = std::move(draft.figure);
    if (draft.pattern.has_value() + draft.pointer.has_value() + draft.column.has_value() != 1)
      complain("pattern", "expected is one of `pattern`, `pointer` and `column`: where the number is");
    if (draft.pattern) figure.place = *draft.pattern;
    if (draft.pointer) {
      figure.form = FigureForm::pointer;
      figure.place = *draft.pointer;
    }
    if (draft.column) {
      figure.form = FigureForm::column;
      figure.place = *draft.column;
    }
    if (draft.pointer && draft.take) complain("take", "stands beside `pointer`, which means one value");
    figure.take = draft.take.value_or(FigureTake::last);
    if (draft.from && draft.file) complain("file", "stands beside `from`; a figure has one of the two");
    figure.document = draft.file ? kFileDocument + *draft.file : draft.from.value_or("client.stdout");
    return figure;
  }

  CommandDraft draft_;
};

}  // namespace

std::unique_ptr<JobKeys> make_command_keys() {
  return std::make_unique<CommandKeys>();
}

}  // namespace netperfd::workload
