// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/reader.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iterator>
#include <optional>

#include "daemon/confined/command_line.hpp"
#include "daemon/confined/memory.hpp"
#include "daemon/reading/figure_bytes.hpp"
#include "daemon/reading/record_bytes.hpp"
#include "daemon/reading/record_check.hpp"
#include "daemon/reading/report_bytes.hpp"
#include "daemon/reading/sha256.hpp"

namespace netperfd::reading {
namespace {

// The command line: program, kReaderFlag, these.
enum Position { mode_at = 2, size_at, confinement_at };

// By the number of the mode.
constexpr std::string_view kModes[] = {"record", "text", "owner-text", "latency", "report", "figures"};

// A caller that reads nothing of the text for this long has abandoned it.
constexpr unsigned kPatienceSeconds = 600;

// Exit codes. With the first, an answer was given.
constexpr int kDone = 0;
constexpr int kUnable = 1;

struct Order {
  ReaderMode mode = ReaderMode::record;
  confined::Confinement confinement;
  std::uint64_t file_bytes = 0;
};

std::optional<Order> read_order(int argc, char** argv) {
  if (argc != confinement_at + static_cast<int>(confined::kConfinementWords)) return std::nullopt;
  const auto* const mode = std::ranges::find(kModes, std::string_view(argv[mode_at]));
  if (mode == std::end(kModes)) return std::nullopt;
  Order order;
  order.mode = static_cast<ReaderMode>(mode - std::begin(kModes));
  const auto confinement = confined::from_words(argv + confinement_at);
  if (!confinement || !confined::read_number(argv[size_at], order.file_bytes)) return std::nullopt;
  order.confinement = *confinement;
  return order;
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) ::_exit(kUnable);  // nobody reads any more
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

// Its bytes were made before: whatever fails then is the answer.
void write_answer(char kind, std::string_view bytes) {
  write_all({&kind, 1});
  write_all(bytes);
}

void write_text(std::string_view text) {
  ::alarm(kPatienceSeconds);
  write_all(text);
}

// Of when_memory_is_missing(): what to say then, and whether the text of a recording is awaited.
std::string memory_words;
bool gives_text = false;

void give_up_without_memory() {
  const std::string_view words = memory_words;
  write_all(gives_text ? std::string_view("# ") : std::string_view(&kAnswerError, 1));
  write_all(words);
  if (gives_text) write_all("\n");
  ::_exit(kDone);
}

[[noreturn]] void give_up(ReaderMode mode, std::string_view why) {
  if (mode != ReaderMode::text && mode != ReaderMode::owner_text) {
    write_all({&kAnswerError, 1});
    write_all(why);
  } else {
    write_text(fmt::format("# {}\n", why));
  }
  ::_exit(kDone);
}

// The memory limit allows only for the file size that was checked.
Status check_file(std::uint64_t size) {
  struct stat status{};
  if (::fstat(STDIN_FILENO, &status) != 0) return fail_errno("the file", errno);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::invalid_argument, "this is no regular file");
  if (status.st_size == 0) return fail(ErrorKind::invalid_argument, "the file is empty");
  if (static_cast<std::uint64_t>(status.st_size) != size) {
    return fail(ErrorKind::invalid_argument, "the file changes its size while it is read");
  }
  return {};
}

Result<std::span<const std::byte>> map_file(std::uint64_t size) {
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
  if (bytes == MAP_FAILED) return fail_errno("the file cannot be read", errno);
  return std::span(static_cast<const std::byte*>(bytes), size);
}

void answer_report(std::span<const std::byte> file, const ReaderFunctions& functions) {
  const auto order = order_from_bytes({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!order) give_up(ReaderMode::report, order.error().message);
  const ParsedReport report = functions.report(order->client_stdout, order->client_stderr, order->asked);
  // The daemon checks this as well, but finds less to say of a list that is too long.
  if (const auto checked = check_report(report, most_intervals(order->asked)); !checked) {
    give_up(ReaderMode::report, checked.error().message);
  }
  write_answer(kAnswerReport, to_bytes(report));
}

void answer_latency(std::span<const std::byte> file, const ReaderFunctions& functions) {
  const std::string_view bytes{reinterpret_cast<const char*>(file.data()), file.size()};
  LatencyOrder order;
  const auto prober_stdout = order_from_bytes(bytes, order);
  if (!prober_stdout) give_up(ReaderMode::latency, prober_stdout.error().message);
  const ParsedLatency latency = functions.latency(*prober_stdout, order);
  if (const auto checked = check_latency(latency); !checked) {
    give_up(ReaderMode::latency, checked.error().message);
  }
  write_answer(kAnswerLatency, to_bytes(latency));
}

void answer_figures(std::span<const std::byte> file, const ReaderFunctions& functions) {
  const auto order = figure_order_from_bytes({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!order) give_up(ReaderMode::figures, order.error().message);
  const auto values = functions.figures(order->figures, order->texts);
  if (!values && values.error().kind == ErrorKind::not_found)
    return write_answer(kAnswerMissing, values.error().message);
  if (!values) give_up(ReaderMode::figures, values.error().message);
  write_answer(kAnswerFigures, to_bytes(*values));
}

void keep_raw(std::span<const std::byte> file, ImportedFile& read) {
  if (!read.more.empty() && file.size() <= kMostRawBytes) {
    // Each run keeps its own document, though those in a compressed file may be much longer than it.
    std::size_t together = read.raw.size();
    for (const ImportedMore& more : read.more) together += more.raw.size();
    if (together <= kMostRawBytes) return;
  }
  read.raw.clear();
  for (ImportedMore& more : read.more) more.raw.clear();
  if (read.more.empty() && file.size() <= kMostRawBytes) {
    read.raw.assign(reinterpret_cast<const char*>(file.data()), file.size());
    return;
  }
  read.flags.push_back(
      {"raw-left-out", fmt::format("the file has {} bytes, and up to {} are kept: keep it yourself",
                                   file.size(), kMostRawBytes)});
}

void answer(const Order& order, std::span<const std::byte> file, const ReaderFunctions& functions) {
  if (order.mode == ReaderMode::report) return answer_report(file, functions);
  if (order.mode == ReaderMode::latency) return answer_latency(file, functions);
  if (order.mode == ReaderMode::figures) return answer_figures(file, functions);
  if (order.mode != ReaderMode::record) {
    const auto& text = order.mode == ReaderMode::text ? functions.text : functions.owner_text;
    if (const auto written = text(file, write_text); !written) {
      give_up(order.mode, written.error().message);
    }
    write_text(kTextEnd);
    return;
  }
  auto read = functions.record(file);
  if (!read) give_up(order.mode, read.error().message);
  if (!read->bundle) keep_raw(file, *read);  // it is stored whole
  read->sha256 = sha256_of(file);
  write_answer(kAnswerRecord, to_bytes(*read));
}

}  // namespace

confined::Confinement confinement_of(const ReaderSettings& settings) {
  confined::Confinement confinement;
  confinement.uid = settings.uid;
  confinement.gid = settings.gid;
  confinement.parent = ::getpid();
  confinement.memory_bytes = settings.memory_bytes;
  confinement.cpu_seconds =
      static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(settings.deadline).count());
  return confinement;
}

std::string printable_error(std::string_view answer) {
  constexpr std::size_t kLongestError = 4096;
  std::string message(answer.substr(0, kLongestError));
  for (char& c : message) {
    if (c < ' ' || c > '~') c = '?';
  }
  return message;
}

std::vector<std::string> reader_argv(ReaderMode mode, const confined::Confinement& confinement,
                                     std::uint64_t file_bytes) {
  std::vector<std::string> argv{"netperfd", std::string(kReaderFlag),
                                std::string(kModes[static_cast<std::size_t>(mode)]),
                                std::to_string(file_bytes)};
  std::ranges::move(confined::to_words(confinement), std::back_inserter(argv));
  return argv;
}

int run_reader(int argc, char** argv, const ReaderFunctions& functions) {
  auto order = read_order(argc, argv);
  if (!order) ::_exit(kUnable);
  order->confinement.memory_bytes += order->file_bytes;
  const bool of_run = order->mode >= ReaderMode::latency;
  const auto task = of_run ? confined::Task::read_report : confined::Task::read_file;
  if (order->mode == ReaderMode::record) prepare_sha256();
  if (const auto done = confined::confine(order->confinement, task); !done) {
    give_up(order->mode, fmt::format("the process to read it: {}", done.error().message));
  }
  // Only after confinement: the file's owner may control the file system, which may answer anything or never.
  if (const auto checked = check_file(order->file_bytes); !checked) {
    give_up(order->mode, checked.error().message);
  }
  const auto file = map_file(order->file_bytes);
  if (!file) give_up(order->mode, file.error().message);
  gives_text = order->mode == ReaderMode::text || order->mode == ReaderMode::owner_text;
  memory_words = fmt::format("it is too large: reading it takes more memory than it may, {} MiB",
                             order->confinement.memory_bytes >> 20U);
  confined::when_memory_is_missing(give_up_without_memory);
  try {
    answer(*order, *file, functions);
  } catch (const std::exception& error) {
    give_up(order->mode, fmt::format("reading the file failed: {}", error.what()));
  }
  // Skip exit handlers: they belong to the daemon's program, which has not started here.
  ::_exit(kDone);
}

}  // namespace netperfd::reading
