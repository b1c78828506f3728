// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a document of iperf3 once, as an import does, and prints the CPU seconds and the peak memory in MiB
// of this process, the document included. tests/bench/documents runs it beside Python's json.load().
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstddef>
#include <fstream>
#include <span>
#include <string>

#include "daemon/import/file_kind.hpp"
#include "daemon/trace/recording/graph_text_record.hpp"
#include "daemon/trace/recording/trace_dat_record.hpp"
#include "daemon/workload/flent/import.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/netperf/import.hpp"
#include "daemon/workload/sockperf/import.hpp"
#include "daemon/workload/table/import.hpp"
#include "tests/bench/figures.hpp"

int main(int argc, char** argv) {
  using namespace netperfd;
  if (argc != 2) return 2;
  const int file = ::open(argv[1], O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || ::fstat(file, &status) != 0) return 2;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return 2;
  std::size_t rows = 0;
  const double seconds = bench::seconds_of([&] {
    const auto read = import::read_by_kind(
        std::span{static_cast<const std::byte*>(bytes), size},
        {trace::file_of_trace_dat, workload::read_iperf3_file, trace::record_of_graph_text,
         workload::read_iperf3_text, workload::read_netperf_file, workload::read_sockperf_file,
         workload::read_flent_file, workload::read_table_file});
    if (read && read->workload) rows = read->workload->report.intervals.size();
  });
  fmt::print("{:.4f} {}\n", seconds, rows);
  std::ifstream memory("/proc/self/status");  // ru_maxrss begins with that of the parent
  for (std::string line; std::getline(memory, line);) {
    if (line.starts_with("VmHWM:")) fmt::print("{}\n", line);
  }
  return rows > 0 ? 0 : 1;
}
