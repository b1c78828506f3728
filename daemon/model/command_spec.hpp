// SPDX-License-Identifier: GPL-2.0-or-later
// A benchmark that netperfd knows only by what a scenario says of it: the programs to run, and where they
// write their figures.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/named_figure.hpp"

namespace netperfd {

// What finds a figure in a text.
enum class FigureForm {
  pattern,  // a regular expression with one group
  pointer,  // a JSON pointer
  column,   // the name of a CSV column
  tool,     // the program is one that netperfd knows, and its text says what it measured (tool_check.hpp)
};

// Which one of several matches or rows counts.
enum class FigureTake { last, first };

struct DeclaredFigure {
  std::string name;
  std::string unit;
  Better better = Better::higher;
  FigureForm form = FigureForm::pattern;
  std::string place;  // the expression, pointer, name or check that `form` means
  FigureTake take = FigureTake::last;
  std::string document;  // of the run: "client.stdout", or kFileDocument and the name of a file
  double scale = 1;      // what is written, times this, is the figure in its unit

  bool operator==(const DeclaredFigure&) const = default;
};

// What a program wrote into its directory is stored as this and its name.
inline constexpr const char* kFileDocument = "file.";

struct CommandProgram {
  std::vector<std::string> argv;  // with the parameters put in
  std::vector<std::uint32_t> cpus;
  // Without CAP_. With some, it runs as root in a unit of systemd; without, as the unprivileged user.
  std::vector<std::string> capabilities = {};
  std::vector<std::string> cleanup = {};  // an argument vector, run in that unit when it ends

  bool operator==(const CommandProgram&) const = default;
};

// How to notice that a server can be used. Exactly one of the three is set.
struct ReadyTest {
  std::optional<std::uint16_t> port;  // on which it listens (TCP) or which it has bound (UDP)
  std::string line;                   // a text within a line that it prints
  std::string file;                   // that it creates in its directory
  std::chrono::milliseconds within = std::chrono::seconds{10};

  bool operator==(const ReadyTest&) const = default;
};

// What a start may choose: a number or one of some words.
struct CommandParameter {
  std::string name;
  std::string value;
  std::optional<std::uint64_t> from, to;  // both, or neither
  std::vector<std::string> words;

  bool operator==(const CommandParameter&) const = default;
};

struct CommandSpec {
  CommandProgram client;
  std::optional<CommandProgram> server;
  ReadyTest ready;                       // of the server
  std::vector<std::string> environment;  // NAME=VALUE, of both
  std::vector<CommandParameter> parameters;
  std::vector<DeclaredFigure> figures;
  std::optional<std::chrono::milliseconds> duration;      // that the client is expected to take
  std::uint64_t output_limit = std::uint64_t{16} << 20U;  // bytes of each output and of each file
  std::vector<Fact> facts;  // of a program that netperfd knows: what it is asked for
  // That its percentiles are made of, at most; absent: as many as there can be.
  std::optional<double> answers_per_second = std::nullopt;

  bool operator==(const CommandSpec&) const = default;
};

}  // namespace netperfd
