// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "client/base/owned_fd.hpp"
#include "client/base/signature.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/terminal.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "client/verbs/choices.hpp"
#include "client/verbs/export_bundle.hpp"
#include "client/verbs/export_stacks.hpp"
#include "client/verbs/new_file.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"
#include "dbus/names.hpp"

namespace netperfctl {
namespace {

constexpr const char* kText = "text";
constexpr const char* kRecording = "trace.dat";
constexpr const char* kFlame = "flame";

struct ExportArguments {
  std::string run;
  std::string format = kText;
  std::string file;     // empty: stdout
  std::string from;     // of stacks: kSamples, kCalls or empty
  bool redact = false;  // this to `key`: of a bundle
  bool recordings = false;
  std::string key;  // to sign with; empty: unsigned
};

// What is exported.
struct Exported {
  std::uint64_t run = 0;
  std::optional<std::uint64_t> job = std::nullopt;  // of a bundle
  std::uint64_t bytes = 0;
};

std::string reason() {
  return std::generic_category().message(errno);
}

// The text contains task names, which could control a terminal, so put() gets whole lines and escapes them.
class TerminalLines {
 public:
  void add(std::string_view bytes) {
    held_ += bytes;
    const std::size_t end = held_.rfind('\n') + 1;  // 0 where there is none
    put(std::string_view{held_}.substr(0, end));
    held_.erase(0, end);
  }
  void finish() { put(held_); }

 private:
  std::string held_;
};

struct Copied {
  std::uint64_t bytes = 0;
  std::string end;  // its last bytes, enough for kTraceTextEnd
};

// All that comes from `content`, as it comes: it may be larger than memory.
Outcome<Copied> copy(const OwnedFd& content, int to, const std::string& where) {
  constexpr std::size_t kEnd = netperfd::dbus::kTraceTextEnd.size();
  const bool terminal = ::isatty(to) != 0;
  TerminalLines lines;
  Copied copied;
  std::vector<char> chunk(1U << 16U);
  for (;;) {
    const ssize_t got = ::read(content.get(), chunk.data(), chunk.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(Exit::other, "what netperfd sends cannot be read: " + reason());
    const std::string_view read{chunk.data(), static_cast<std::size_t>(got)};
    copied.bytes += read.size();
    copied.end += read.substr(read.size() - std::min(read.size(), kEnd));
    copied.end.erase(0, copied.end.size() - std::min(copied.end.size(), kEnd));
    if (terminal) {
      lines.add(read);
    } else if (const auto written = write_all(to, read, where); !written) {
      return std::unexpected(written.error());
    }
  }
  lines.finish();
  return copied;
}

// The process that writes the text for netperfd may be ended, which shows as an end like any other.
Outcome<std::uint64_t> copy_whole(const ExportArguments& arguments, const OwnedFd& content, int to,
                                  const std::string& where) {
  const auto copied = copy(content, to, where);
  if (!copied) return std::unexpected(copied.error());
  const bool whole = arguments.format != kText || copied->end == netperfd::dbus::kTraceTextEnd;
  if (copied->bytes == 0) return fail(Exit::other, "netperfd sent nothing");
  if (!whole) return fail(Exit::other, "netperfd did not send the end of the text");
  return copied->bytes;
}

// If nothing was kept, tells how to keep it.
Failure with_hint(Daemon& daemon, Failure failure, std::uint64_t run) {
  if (failure.exit != Exit::not_found) return failure;
  const auto details = daemon.run(run);
  if (!details) return failure;
  const auto& documents = details->run.documents;
  if (documents && std::ranges::find(*documents, kRecording) != documents->end()) return failure;
  failure.message += "\nA job with `trace: {keep_raw: SIZE}` keeps its raw trace, which is what is exported.";
  return failure;
}

Outcome<std::uint64_t> write_export(const ExportArguments& arguments, const OwnedFd& content) {
  return write_private(arguments.file, [&](int to, const std::string& where) {
    return copy_whole(arguments, content, to, where);
  });
}

void report(const Settings& settings, const ExportArguments& arguments, const Exported& exported) {
  const auto& [run, job, bytes] = exported;
  switch (settings.format) {
    case Format::table:
      put_text(stdout, fmt::format("{}: {} written to {}\n",
                                   job ? fmt::format("job {}", *job) : fmt::format("run {}", run),
                                   format_bytes(bytes), printable(arguments.file)));
      break;
    case Format::json:
      put(exported_json(run, arguments.format, arguments.file, bytes, job));
      break;
    case Format::csv:
      put(numbers_csv("run", std::array{run}));
      break;
  }
}

Outcome<std::uint64_t> export_trace(Daemon& daemon, const ExportArguments& arguments, std::uint64_t run) {
  const auto content =
      arguments.format == kText ? daemon.open_trace_text(run) : daemon.open_document(run, kRecording);
  if (!content) return std::unexpected(with_hint(daemon, content.error(), run));
  return write_export(arguments, *content);
}

Outcome<std::uint64_t> export_stacks(Daemon& daemon, const ExportArguments& arguments, std::uint64_t run) {
  const auto text = exported_stacks(daemon, run, arguments.format, arguments.from);
  if (!text) return std::unexpected(text.error());
  if (arguments.file.empty()) {
    put(*text);
  } else if (const auto written = write_file(arguments.file, *text); !written) {
    return std::unexpected(written.error());
  }
  return text->size();
}

Outcome<Exported> export_bundle(Daemon& daemon, const ExportArguments& arguments) {
  const auto target = bundle_target(daemon, arguments.run);
  if (!target) return std::unexpected(target.error());
  const auto content = open_bundle(daemon, *target, arguments.redact, arguments.recordings);
  if (!content) return std::unexpected(content.error());
  const auto bytes = write_export(arguments, *content);
  if (!bytes) return std::unexpected(bytes.error());
  if (!arguments.key.empty()) {
    if (const auto done = sign_file(arguments.key, arguments.file); !done)
      return std::unexpected(done.error());
  }
  return Exported{.run = target->run, .job = target->job, .bytes = *bytes};
}

Outcome<Exported> export_run(Daemon& daemon, const ExportArguments& arguments) {
  const auto number = run_number(arguments.run);
  if (!number) return std::unexpected(number.error());
  Exported exported{.run = *number};
  if (exported.run == 0) {
    const auto newest = daemon.run(0);
    if (!newest) return std::unexpected(newest.error());
    exported.run = newest->run.run;
  }
  const auto bytes = is_of_stacks(arguments.format) ? export_stacks(daemon, arguments, exported.run)
                                                    : export_trace(daemon, arguments, exported.run);
  if (!bytes) return std::unexpected(bytes.error());
  exported.bytes = *bytes;
  return exported;
}

Outcome<void> check(const ExportArguments& arguments) {
  const bool on_terminal = arguments.file.empty() && ::isatty(STDOUT_FILENO) != 0;
  if (arguments.format == kRecording && on_terminal)
    return fail(Exit::usage, "trace.dat is no text for a terminal: -O FILE writes it to a file");
  if (arguments.format == kBundle && on_terminal)
    return fail(Exit::usage, "a bundle is no text for a terminal: -O FILE.netperf writes it to a file");
  const bool for_bundle = arguments.redact || arguments.recordings || !arguments.key.empty();
  if (for_bundle && arguments.format != kBundle)
    return fail(Exit::usage, "--redact, --recordings and --sign are for --format bundle");
  if (arguments.redact && arguments.recordings) {
    return fail(Exit::usage,
                "--redact and --recordings exclude each other: names cannot be taken out of a "
                "recording");
  }
  if (!arguments.key.empty() && arguments.file.empty())
    return fail(Exit::usage, "--sign needs -O FILE: the signature is written to FILE.sig");
  if (arguments.format == kFlame && on_terminal)
    return fail(Exit::usage, "a flame graph is a picture for a browser: -O FILE.svg writes it to a file");
  if (!arguments.from.empty() && !is_of_stacks(arguments.format)) {
    return fail(Exit::usage, fmt::format("--from is for the formats {}; {} is always the raw trace",
                                         fmt::join(kStackFormats, ", "), arguments.format));
  }
  return {};
}

Outcome<Exit> run_export(const Settings& settings, const ExportArguments& arguments) {
  if (const auto checked = check(arguments); !checked) return std::unexpected(checked.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto exported =
      arguments.format == kBundle ? export_bundle(*daemon, arguments) : export_run(*daemon, arguments);
  if (!exported) return std::unexpected(exported.error());
  if (!arguments.file.empty()) report(settings, arguments, *exported);
  return Exit::ok;
}

}  // namespace

Verb add_export(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "export", "Write a run's stacks as a flame graph or for other tools, or its raw trace");
  const auto arguments = std::make_shared<ExportArguments>();
  command
      ->add_option("RUN", arguments->run,
                   "Number of the run, or `last`: the newest that has ended; for a bundle also job:NUMBER")
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--format", arguments->format,
          "text (the default): the raw trace in the layout of the kernel's trace file; trace.dat: for "
          "trace-cmd (for root); flame: a flame graph (SVG) for a browser; folded: a line per stack; "
          "speedscope: a file for speedscope; bundle: all that is stored of the run or of the job, for "
          "another netperfd")
      ->check(one_of({kText, kRecording, "folded", "speedscope", kFlame, kBundle}))
      ->type_name("FORMAT");
  command
      ->add_option("--from", arguments->from,
                   "Stacks of what: samples (the default if there are any) or calls, those that were traced")
      ->check(one_of({kSamples, kCalls}))
      ->type_name("SOURCE");
  command->add_option("-O,--to", arguments->file, "The file to write; without it stdout")->type_name("FILE");
  command->add_flag("--redact", arguments->redact,
                    "Take names, addresses, labels and paths out of the bundle");
  command->add_flag("--recordings", arguments->recordings,
                    "Put the raw traces into the bundle too (for root: they have kernel addresses)");
  command
      ->add_option("--sign", arguments->key, "Sign the bundle with this SSH key; the signature is FILE.sig")
      ->type_name("KEY");
  command->footer(
      "Example:\n"
      "  netperfctl export job:33 --format bundle -O hsr.netperf\n"
      "  netperfctl export 43 --format flame -O run43.svg\n"
      "  netperfctl export 43 --format folded --from calls | flamegraph.pl > run43.svg\n"
      "  netperfctl export 43 --format text | less\n"
      "  netperfctl export 43 --format trace.dat -O run43.dat");
  return {command, [&settings, arguments] { return run_export(settings, *arguments); }};
}

}  // namespace netperfctl
