// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a file with iperf3's document, perhaps compressed or in UTF-16: the result is a measurement
// whose texts are printable and whose figures are finite, or an error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "daemon/import/file_kind.hpp"
#include "daemon/model/text.hpp"
#include "daemon/reading/record_check.hpp"
#include "daemon/workload/flent/import.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "daemon/workload/netperf/import.hpp"
#include "daemon/workload/sockperf/import.hpp"
#include "daemon/workload/table/import.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_finite(const std::optional<double>& figure) {
  require(!figure || (std::isfinite(*figure) && *figure >= 0));
}

netperfd::Result<netperfd::ImportedFile> no_trace(std::span<const std::byte> /*file*/) {
  return netperfd::fail(netperfd::ErrorKind::invalid_argument, "a trace");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const auto file = std::as_bytes(std::span(input, size));
  const auto imported = netperfd::import::read_by_kind(
      file, {no_trace, netperfd::workload::read_iperf3_file, no_trace, netperfd::workload::read_iperf3_text,
             netperfd::workload::read_netperf_file, netperfd::workload::read_sockperf_file,
             netperfd::workload::read_flent_file, netperfd::workload::read_table_file});
  if (!imported) {
#ifdef NETPERFD_PLANTED_BUG
    // Reads one byte beyond a document that ends in the middle.
    static volatile unsigned sum = 0;
    if (imported.error().message.find("ends in the middle") != std::string::npos) {
      sum = sum + std::to_integer<unsigned>(file.data()[file.size()]);
    }
#endif
    require(netperfd::is_printable(imported.error().message));
    return 0;
  }
  require(netperfd::reading::check_file(*imported).has_value());
  for (const auto& sum : imported->workload->report.sums) {
    require_finite(sum.seconds);
    require_finite(sum.sent_bits_per_second);
    require_finite(sum.received_bits_per_second);
    require_finite(sum.jitter_ms);
  }
  return 0;
}
