// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "client/base/document_peek.hpp"
#include "client/base/owned_fd.hpp"
#include "client/base/signature.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/file_name.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct ImportArguments {
  std::vector<std::string> files;
  bool separate = false;
  std::string allowed_signers;  // empty: signatures are not checked
  ImportOptions options;
};

struct OpenFile {
  OwnedFd fd;
  std::string name;
  std::string path = {};
};

constexpr std::string_view kStandardInput = "-";

// What comes through a pipe, in a file in memory: the daemon reads regular files only.
Outcome<OpenFile> open_standard_input() {
  const auto failure = [](std::string_view what) {
    return fail(Exit::other,
                fmt::format("standard input: {}: {}", what, std::generic_category().message(errno)));
  };
  OwnedFd file{::memfd_create("standard input", MFD_CLOEXEC)};
  if (file.get() < 0) return failure("memfd_create");
  std::vector<char> piece(std::size_t{1} << 16U);
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read");
    if (got == 0) return OpenFile{std::move(file), "standard input"};
    for (ssize_t written = 0; written < got;) {
      const ssize_t wrote =
          ::write(file.get(), piece.data() + written, static_cast<std::size_t>(got - written));
      if (wrote < 0 && errno != EINTR) return failure("keep it in memory");
      written += std::max<ssize_t>(wrote, 0);
    }
  }
}

// The user reads the file, not the daemon, which is root and may read more. A pipe without a writer does not
// hold the open up.
Outcome<OpenFile> open_file(const std::string& path) {
  if (path == kStandardInput) return open_standard_input();
  OwnedFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.get() < 0)
    return fail(Exit::usage, fmt::format("{}: {}", path, std::generic_category().message(errno)));
  return OpenFile{std::move(file), sent_file_name(path), path};
}

// Two files are one run if one is a document and the other a trace. Otherwise each stands for itself.
bool are_pair(const std::vector<OpenFile>& files) {
  if (files.size() != 2) return false;
  const bool first = looks_like_document(files[0].fd.get());
  if (first == looks_like_document(files[1].fd.get())) return false;
  return looks_like_trace(files[first ? 1 : 0].fd.get());
}

// All of them, before any is imported.
Outcome<void> verify_all(const std::string& allowed_signers, const std::vector<OpenFile>& files) {
  for (const OpenFile& file : files) {
    if (file.path.empty()) return fail(Exit::usage, "--verify needs a file: standard input has no FILE.sig");
    const auto signer = verify_file(allowed_signers, file.path, file.fd.get());
    if (!signer) return std::unexpected(signer.error());
    put_text(stderr, fmt::format("{}: signed by {}\n", file.name, printable(*signer)));
  }
  return {};
}

// Standard output lists what was stored. Standard error names all other files, each with the reason.
class Import {
 public:
  Import(const Settings& settings, const ImportOptions& options) : settings_(settings), options_(options) {}

  void import_all(Daemon& daemon, const std::vector<OpenFile>& files, bool as_one_run) {
    if (as_one_run) {
      (void)import(daemon, files);
      return;
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (import(daemon, std::span(files).subspan(i, 1))) continue;
      leave_out(std::span(files).subspan(i + 1));
      return;
    }
  }

  // Where nothing can be imported.
  void refuse_all(const std::vector<OpenFile>& files, const Failure& failure) {
    note_failure(failure);
    leave_out(files);
  }

  void note_failure(const Failure& failure) {
    complain(failure.message);
    if (exit_ == Exit::ok) exit_ = failure.exit;
  }

  Exit finish() const {
    std::vector<std::uint64_t> runs;
    std::ranges::transform(imported_, std::back_inserter(runs), &ImportedView::run);
    if (settings_.format == Format::json) put(imported_json(imported_));
    if (settings_.format == Format::csv) put(numbers_csv("run", runs));
    if (settings_.format == Format::table && runs.size() > 1) {
      put_text(stdout, fmt::format("imported: {}\n", fmt::join(runs, ", ")));
    }
    // The code of a wrong file says that nothing was changed.
    return exit_ == Exit::usage && !runs.empty() ? Exit::other : exit_;
  }

 private:
  static void leave_out(std::span<const OpenFile> files) {
    const auto names = names_of(files);
    if (!names.empty()) complain(fmt::format("not imported either: {}", fmt::join(names, ", ")));
  }

  static std::vector<std::string> names_of(std::span<const OpenFile> files) {
    std::vector<std::string> names;
    std::ranges::transform(files, std::back_inserter(names), &OpenFile::name);
    return names;
  }

  // False where no other file would fare better.
  bool import(Daemon& daemon, std::span<const OpenFile> files) {
    std::vector<const OwnedFd*> open;
    for (const OpenFile& file : files) open.push_back(&file.fd);
    ImportedView imported;
    imported.files = names_of(files);
    const auto run = daemon.import_run(open, imported.files, options_);
    if (!run) {
      refuse(imported.files, run.error());
      return run.error().exit != Exit::denied && run.error().exit != Exit::unreachable;
    }
    imported.run = *run;
    // The run is there, whether or not its flags can be had.
    if (auto details = daemon.run(*run)) take_details(std::move(*details), imported);
    add(daemon, std::move(imported));
    return true;
  }

  // The message with the file that it is about. The daemon's begins with it, of a bundle with the last part
  // of its name, unless it is about no file, as one about rights.
  static std::string about_files(const std::vector<std::string>& files, const std::string& message) {
    for (const std::string& name : files) {
      const std::string_view after = std::string_view{message}.substr(std::min(name.size(), message.size()));
      if (message.starts_with(name) &&
          (after.starts_with(": ") || after.starts_with(" has ") || after.starts_with(" and ")))
        return message;
      const std::string last = name.substr(name.rfind('/') + 1);
      if (message.starts_with(last + ": ")) return name + message.substr(last.size());
    }
    return fmt::format("{}: {}", fmt::join(files, " and "), message);
  }

  void refuse(const std::vector<std::string>& files, Failure failure) {
    failure.message = about_files(files, failure.message);
    note_failure(failure);
    // Another failure is not of the files.
    if (files.size() > 1 && failure.exit == Exit::usage) {
      complain(fmt::format("{} would be one run, so neither is stored; --separate makes a run of each",
                           fmt::join(files, " and ")));
    }
  }

  static bool has_flag(const std::vector<FlagView>& flags, std::string_view code) {
    return std::ranges::any_of(flags, [&](const FlagView& flag) { return flag.code == code; });
  }

  static void take_details(RunDetails details, ImportedView& imported) {
    imported.flags = std::move(details.flags);
    if (!details.run.side) return;
    imported.job_of_sides = details.run.job;
    imported.label = details.run.label.value_or("");
  }

  // A file with several runs has them stored one after the other.
  void add(Daemon& daemon, ImportedView imported) {
    bool go_on = has_flag(imported.flags, "several-runs");
    std::uint64_t next = imported.run;
    const std::vector<std::string> files = imported.files;
    const std::size_t first = imported_.size();
    imported_.push_back(std::move(imported));
    while (go_on) {
      auto details = daemon.run(++next);
      go_on = details && has_flag(details->flags, "further-run");
      if (go_on)
        take_details(std::move(*details),
                     imported_.emplace_back(ImportedView{.run = next, .files = files, .flags = {}}));
    }
    if (settings_.format == Format::table)
      put_text(stdout, imported_text(std::span(imported_).subspan(first)));
  }

  const Settings& settings_;
  const ImportOptions& options_;
  std::vector<ImportedView> imported_;
  Exit exit_ = Exit::ok;
};

Outcome<Exit> run_import(const Settings& settings, const ImportArguments& arguments) {
  if (!is_utf8(arguments.options.label.value_or("")) || !is_utf8(arguments.options.name.value_or("")))
    return fail(Exit::usage, "the arguments are not UTF-8 text");
  Import import(settings, arguments.options);
  std::vector<OpenFile> files;
  for (const std::string& path : arguments.files) {
    auto file = open_file(path);
    if (file) {
      files.push_back(std::move(*file));
    } else {
      import.note_failure(file.error());
    }
  }
  if (files.empty()) return import.finish();
  if (!arguments.allowed_signers.empty()) {
    if (const auto done = verify_all(arguments.allowed_signers, files); !done) {
      import.refuse_all(files, done.error());
      return import.finish();
    }
  }
  auto daemon = Daemon::connect();
  if (!daemon) {
    import.refuse_all(files, daemon.error());
    return import.finish();
  }
  const bool all_open = files.size() == arguments.files.size();
  import.import_all(*daemon, files, all_open && !arguments.separate && are_pair(files));
  return import.finish();
}

}  // namespace

Verb add_import(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("import", "Store other measurements as runs");
  const auto arguments = std::make_shared<ImportArguments>();
  command
      ->add_option(
          "FILE", arguments->files,
          "iperf3's JSON (-J or --json-stream, best of the client), function_graph text (of the file trace "
          "or of trace-cmd report), a trace.dat of trace-cmd, a table of numbers (CSV) or a bundle of "
          "export; "
          "a run each, but one document and one trace are one run together, and a table is a job with two "
          "sides; - is standard input; gzip and zstd are unpacked")
      ->required()
      ->type_name("");
  command->add_flag("--separate", arguments->separate, "Also a document and a trace are a run each");
  command->add_option("--label", arguments->options.label, "Your word for them, such as before or after")
      ->type_name("LABEL");
  command
      ->add_option("--name", arguments->options.name,
                   "Name of the runs in place of a scenario (default: import)")
      ->type_name("NAME");
  command
      ->add_option(
          "--verify", arguments->allowed_signers,
          "Import only bundles whose FILE.sig is by a key of this file (ssh-keygen(1), ALLOWED SIGNERS)")
      ->type_name("FILE");
  command->footer(
      "Example:\n"
      "  trace-cmd record -p function_graph -l ':mod:hsr' iperf3 -c 10.9.0.2 -J --logfile client.json\n"
      "  netperfctl import client.json trace.dat --label before");
  return {command, [&settings, arguments] { return run_import(settings, *arguments); }};
}

}  // namespace netperfctl
