// SPDX-License-Identifier: GPL-2.0-or-later
// The test program's behaviour when it is started as a reader: the file's text selects it.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "daemon/reading/report_bytes.hpp"
#include "tests/unit/golden_latency.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::reading::test {
namespace {

std::string outcome(bool worked) {
  return worked ? "worked" : ::strerror(errno);  // NOLINT(concurrency-mt-unsafe): one thread
}

// What the process may still do, one mark for each.
TraceRecord tell_privileges() {
  TraceRecord record;
  const auto tell = [&](const std::string& text) { record.marks.push_back({0, text, false}); };
  tell(fmt::format("open root's file: {}", outcome(::open("/etc/shadow", O_RDONLY) >= 0)));
  tell(fmt::format("open anybody's file: {}", outcome(::open("/etc/passwd", O_RDONLY) >= 0)));
  tell(fmt::format("socket: {}", outcome(::socket(AF_INET, SOCK_STREAM, 0) >= 0)));
  tell(fmt::format("fork: {}",
                   outcome(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) >= 0)));
  tell(fmt::format("become root: {}", outcome(::syscall(SYS_setuid, 0) == 0)));
  tell(fmt::format("kill the parent: {}", outcome(::syscall(SYS_kill, ::getppid(), 0) == 0)));
  // No process has this pid: without the filter the kernel would report that.
  constexpr int kNoProcess = 999'999'999;
  tell(fmt::format("signal others: {}", outcome(::syscall(SYS_tgkill, kNoProcess, kNoProcess, 0) == 0)));
  tell(fmt::format("map code: {}", outcome(::mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)));
  tell(fmt::format("environment: {}", environ[0] == nullptr ? "empty" : environ[0]));
  return record;
}

// Like the one of nlohmann::json.
struct NeedsMemoryAtItsEnd {
  ~NeedsMemoryAtItsEnd() { std::vector<char>(std::size_t{2} << 30U, 'x').swap(taken()); }
  static std::vector<char>& taken() {
    static std::vector<char> bytes;
    return bytes;
  }
};

Result<TraceRecord> make_record(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text == "full") return full_record();
  if (text == "privileges") return tell_privileges();
  if (text == "wrong") return fail(ErrorKind::invalid_argument, "trace.dat: this\nis\x01 wrong");
  if (text == "crash") ::raise(SIGSEGV);
  if (text == "abort") std::abort();
  if (text == "throw") throw std::runtime_error("out of luck");
  if (text == "memory") {
    TraceRecord record;
    record.recording.resize(std::size_t{2} << 30U, 'x');
    return record;
  }
  if (text == "memory at the end") {
    const NeedsMemoryAtItsEnd end;
  }
  if (text == "endless") {
    while (true) (void)::getpid();
  }
  if (text == "leave") ::_exit(3);
  if (text == "mute") ::_exit(0);
  if (text == "shrunk") ::raise(SIGBUS);
  if (text == "nonsense") {
    (void)::write(STDOUT_FILENO, "Rnonsense", 9);
    ::_exit(0);
  }
  if (text == "long") {
    TraceRecord record;
    record.recording.assign(std::size_t{3} << 20U, 'x');
    return record;
  }
  return TraceRecord{};
}

Result<ImportedFile> read_record(std::span<const std::byte> file) {
  auto record = make_record(file);
  if (!record) return std::unexpected(std::move(record.error()));
  ImportedFile imported;
  imported.trace = std::move(*record);
  return imported;
}

// What the answer depends on is in the text; the report tells what arrived.
ParsedReport read_report(std::string_view client_stdout, std::string_view client_stderr,
                         const TestSpec& asked) {
  ParsedReport parsed;
  if (client_stdout.starts_with("intervals ")) {
    parsed.report.intervals.resize(std::stoul(std::string(client_stdout.substr(10))));
  } else if (client_stdout == "lie") {
    // More than it was asked for, past its own check.
    parsed.report.intervals.resize(5'000);
    (void)::write(STDOUT_FILENO, &kAnswerReport, 1);
    const std::string bytes = to_bytes(parsed);
    (void)::write(STDOUT_FILENO, bytes.data(), bytes.size());
    ::_exit(0);
  } else if (client_stdout == "flood") {
    const std::string bytes(std::size_t{64} << 10U, 'P');
    for (int i = 0; i < 1'000; ++i) (void)::write(STDOUT_FILENO, bytes.data(), bytes.size());
    ::_exit(0);
  } else if (client_stdout == "nonsense") {
    (void)::write(STDOUT_FILENO, "Pnonsense", 9);
    ::_exit(0);
  } else if (client_stdout == "strange") {
    (void)::write(STDOUT_FILENO, "?", 1);
    ::_exit(0);
  } else if (client_stdout == "control") {
    parsed.error = "one\ntwo";
  } else if (client_stdout == "privileges") {
    for (const TraceMark& mark : tell_privileges().marks) {
      parsed.flags.push_back({"privilege", mark.text});
    }
  } else {
    // Those of other files end the process in their own ways.
    const auto record =
        make_record({reinterpret_cast<const std::byte*>(client_stdout.data()), client_stdout.size()});
    parsed.report.version = fmt::format("{} bytes, {} bytes", client_stdout.size(), client_stderr.size());
    parsed.report.congestion =
        fmt::format("{} {} {} {} {}", asked.path.server, asked.iperf3.port, asked.path.bind,
                    asked.iperf3.congestion, asked.traffic.duration->count());
    parsed.error = client_stderr;
  }
  return parsed;
}

// Gives the golden latency, with what it was told in its error; "twice" and "strange" break it.
ParsedLatency read_latency(std::string_view prober_stdout, const LatencyOrder& order) {
  ParsedLatency parsed{.report = golden_latency(),
                       .error = fmt::format("{}: {}; {}", prober_stdout, fmt::join(order.probes, ","),
                                            fmt::join(order.phases, ",")),
                       .flags = {{"code", "message"}}};
  if (prober_stdout == "nonsense") {
    (void)::write(STDOUT_FILENO, "Lnonsense", 9);
    ::_exit(0);
  }
  if (prober_stdout == "unchecked") {
    parsed.report.phases[0].phase = "nowhere";
    const std::string bytes = "L" + to_bytes(parsed);
    (void)::write(STDOUT_FILENO, bytes.data(), bytes.size());
    ::_exit(0);
  }
  if (prober_stdout == "twice") parsed.report.spans.push_back(parsed.report.spans[0]);
  if (prober_stdout == "protocol") parsed.report.probes[0].protocol = "x";
  if (prober_stdout == "bucket") parsed.report.spans[0].histogram.buckets = {{300, 1}, {40, 1}};
  return parsed;
}

// Gives the number of bytes of each figure's text; some texts break the answer.
core::FigureReading::Values read_figures(const std::vector<DeclaredFigure>& figures,
                                         const std::vector<core::FigureText>& texts) {
  std::vector<double> values;
  for (const DeclaredFigure& figure : figures) {
    const auto text = std::ranges::find(texts, figure.document, &core::FigureText::name);
    if (text == texts.end())
      return fail(ErrorKind::not_found, "figure " + figure.name + ": there is no text");
    if (text->bytes == "nan") values.push_back(std::numeric_limits<double>::quiet_NaN());
    if (text->bytes == "twice") values.push_back(2);
    values.push_back(static_cast<double>(text->bytes.size()) * figure.scale);
  }
  return values;
}

Status write_text(std::span<const std::byte> file, const std::function<void(std::string_view)>& sink) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text == "wrong") return fail(ErrorKind::invalid_argument, "trace.dat: this is wrong");
  if (text == "much") {
    const std::string line = std::string(1023, '.') + '\n';
    for (int i = 0; i < 100 * 1024; ++i) sink(line);
    return {};
  }
  sink(text);
  if (text == "cut short\n") ::raise(SIGKILL);
  return {};
}

}  // namespace

ReaderFunctions reader_functions() {
  const auto owner_text = [](std::span<const std::byte> file,
                             const std::function<void(std::string_view)>& sink) {
    sink("# for the owner\n");
    return write_text(file, sink);
  };
  return {read_record, write_text, owner_text, read_report, read_latency, read_figures};
}

}  // namespace netperfd::reading::test
