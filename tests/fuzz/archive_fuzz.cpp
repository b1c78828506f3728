// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as what a run keeps and what the processes that read files give back: records, reports, stacks of
// samples, lists of numbers, compressed documents, rows of tables. They are refused, or they are the same if
// they are written and read again. The first byte says what they are.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/sample_codec.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/reading/record_bytes.hpp"
#include "daemon/reading/report_bytes.hpp"
#include "daemon/store/compression.hpp"
#include "daemon/store/number_list.hpp"
#include "tests/fuzz/require.hpp"

namespace reading = netperfd::reading;
namespace store = netperfd::store;
using netperfd::fuzz::require;

namespace {

// What was read is written, read and written again.
template <class Read>
void fuzz_bytes(std::string_view bytes, Read read) {
  const auto value = read(bytes);
  if (!value) return netperfd::fuzz::require_printable_lines(value.error().message);
  const std::string written = reading::to_bytes(*value);
  const auto again = read(written);
  require(again.has_value() && reading::to_bytes(*again) == written);
}

void fuzz_file(std::string_view bytes) {
  fuzz_bytes(bytes, reading::from_bytes);
}

void fuzz_report(std::string_view bytes) {
  constexpr std::size_t kIntervals = 5;
  fuzz_bytes(bytes, [](std::string_view some) { return reading::report_from_bytes(some, kIntervals); });
}

void fuzz_orders(std::string_view bytes) {
  if (const auto order = reading::order_from_bytes(bytes)) {
    require(bytes.ends_with(order->client_stdout));
    const std::string again = reading::to_bytes(order->asked, order->client_stderr);
    const auto read = reading::order_from_bytes(again);
    require(read && read->client_stdout.empty() && read->client_stderr == order->client_stderr);
  }
  netperfd::LatencyOrder order;
  const auto rest = reading::order_from_bytes(bytes, order);
  if (!rest) return;
  require(bytes.ends_with(*rest));
  netperfd::LatencyOrder again;
  require(reading::order_from_bytes(reading::to_bytes(order), again) == std::string_view{} && again == order);
}

void fuzz_stacks(std::string_view bytes) {
  netperfd::SampleProfile profile, again;
  if (!netperfd::decode_stacks(bytes, profile)) return;
  for (const auto& node : profile.nodes) {
    require(node.frame < profile.frames.size());
    require(!node.parent || *node.parent < static_cast<std::size_t>(&node - profile.nodes.data()));
  }
  const auto written = netperfd::encode_stacks(profile);
  require(written && netperfd::decode_stacks(*written, again) && again == profile);
}

// Only what was written in this way is read.
void fuzz_numbers(std::string_view text) {
  std::string written;
  if (const auto numbers = store::read_numbers(text)) {
    require(store::write_numbers(*numbers, written) && written == text);
#ifdef NETPERFD_PLANTED_BUG
    if (numbers->size() > 3) netperfd::fuzz::read_too_far(text);
#endif
  }
  if (const auto pairs = store::read_pairs(text)) {
    require(store::write_pairs(*pairs, written) && written == text);
  }
}

void fuzz_frame(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const std::size_t size = 256 * static_cast<unsigned char>(bytes[0]) + static_cast<unsigned char>(bytes[1]);
  const auto document = store::decompress(bytes.substr(2), size);
  if (!document) return netperfd::fuzz::require_printable_lines(document.error().message);
  require(document->size() == size);
  const auto frame = store::compress(*document, store::kRecordingLevel);
  require(frame && store::decompress(*frame, size) == *document);
}

void fuzz_rows(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t columns = 1 + static_cast<unsigned char>(bytes.front()) % 8;
  const netperfd::StoredTable table{
      .name = "t", .columns = std::vector<std::string>(columns, "c"), .values = std::string(bytes.substr(1))};
  netperfd::StoredRows rows{table};
  netperfd::StoredTable again{.name = "t", .columns = table.columns, .values = {}};
  std::vector<netperfd::StoredValue> row;
  while (rows.next(row)) {
    require(row.size() == columns);
    for (const auto& value : row) again.add(value);
  }
  netperfd::StoredRows copy{again};
  while (copy.next(row)) {
  }
  require(!copy.damaged() && (rows.damaged() || again.values.size() <= table.values.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size == 0) return 0;
  const std::string all = netperfd::fuzz::text_of(input, size);
  const std::string bytes = all.substr(1);
  switch (static_cast<unsigned char>(all.front()) % 8) {
    case 0:
      fuzz_report(bytes);
      break;
    case 1:
      fuzz_bytes(bytes, reading::latency_from_bytes);
      break;
    case 2:
      fuzz_orders(bytes);
      break;
    case 3:
      fuzz_stacks(bytes);
      break;
    case 4:
      fuzz_numbers(bytes);
      break;
    case 5:
      fuzz_frame(bytes);
      break;
    case 6:
      fuzz_rows(bytes);
      break;
    default:
      fuzz_file(bytes);
  }
  return 0;
}
