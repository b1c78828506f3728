// SPDX-License-Identifier: GPL-2.0-or-later
// `netperfd --read-file`: the process that reads what others wrote, so that the daemon never does: an
// imported file, or the output of a run's programs. That is its standard input; it writes the result to its
// standard output.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/confined/confinement.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::reading {

inline constexpr std::string_view kReaderFlag = "--read-file";

enum class ReaderMode {
  record,  // of any file: to kAnswerRecord and to_bytes(), or to kAnswerError and a sentence
  text,    // of a trace.dat: to text, in pieces, with kTextEnd; a sentence after "# " where the file is none
  owner_text,  // the same without the tasks of other users
  latency,     // of the prober's output after an order: to kAnswerLatency and to_bytes(), or as record
  report,      // of iperf3's output after an order: to kAnswerReport and to_bytes(), or as record
  figures,  // of commands' output after an order: to kAnswerFigures and to_bytes(), to kAnswerMissing and a
            // sentence on the figure that is not there, or as record
};

inline constexpr char kAnswerRecord = 'R';
inline constexpr char kAnswerReport = 'P';
inline constexpr char kAnswerLatency = 'L';
inline constexpr char kAnswerFigures = 'F';
inline constexpr char kAnswerMissing = 'M';
inline constexpr char kAnswerError = 'E';
inline constexpr std::string_view kTextEnd = "# end of the trace\n";  // a text without it was cut short

struct ReaderSettings {
  uid_t uid = 0;  // of the processes: an unprivileged user
  gid_t gid = 0;
  std::string program = "/proc/self/exe";                          // hands kReaderFlag to run_reader()
  std::chrono::milliseconds deadline = std::chrono::seconds{120};  // to read one file to its end
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;             // of a process, without the file
};

// Of a process that these settings start.
[[nodiscard]] confined::Confinement confinement_of(const ReaderSettings& settings);

// Processes the file's bytes, in a process that is already confined.
struct ReaderFunctions {
  std::function<Result<ImportedFile>(std::span<const std::byte> file)> record;
  using Text = std::function<Status(std::span<const std::byte> file,
                                    const std::function<void(std::string_view)>& sink)>;
  Text text;
  Text owner_text;
  std::function<ParsedReport(std::string_view client_stdout, std::string_view client_stderr,
                             const TestSpec& asked)>
      report;
  std::function<ParsedLatency(std::string_view prober_stdout, const LatencyOrder& order)> latency;
  std::function<core::FigureReading::Values(const std::vector<DeclaredFigure>& figures,
                                            const std::vector<core::FigureText>& texts)>
      figures;
};

// The sentence after kAnswerError as a text to show. It may quote the file, and the file may have compromised
// the process.
[[nodiscard]] std::string printable_error(std::string_view answer);

// The process's command line. `file_bytes` is the size of the file as it was checked;
// `confinement.memory_bytes` is without the file, which it maps.
[[nodiscard]] std::vector<std::string> reader_argv(ReaderMode mode, const confined::Confinement& confinement,
                                                   std::uint64_t file_bytes);

// The main function of such a process. main() calls it before anything else if argv[1] is kReaderFlag.
[[noreturn]] int run_reader(int argc, char** argv, const ReaderFunctions& functions);

}  // namespace netperfd::reading
