// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as the answer of a query's process, and as the options and filters of a caller: a row of values
// of any types. An answer is read or refused, and is the same if it is written and read again. Options are
// within their limits, or an error that can be printed names what is wrong.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

#include "daemon/bus/options/options.hpp"
#include "daemon/bus/queries/query_bytes.hpp"
#include "tests/fuzz/require.hpp"

namespace bus = netperfd::bus;
namespace dbus = netperfd::dbus;
using netperfd::fuzz::require;

namespace {

template <class... Values>
void fuzz_answer(std::string_view bytes) {
  const auto values = bus::from_query_bytes<Values...>(bytes);
  if (!values) return netperfd::fuzz::require_printable_lines(values.error().message);
  const auto written = [](const auto& all) {
    return std::apply([](const auto&... each) { return bus::to_query_bytes(each...); }, all);
  };
  const std::string again = written(*values);
  const auto read = bus::from_query_bytes<Values...>(again);
  require(read.has_value() && written(*read) == again);
}

template <class Parsed>
const Parsed* expect_printable(const netperfd::Result<Parsed>& parsed) {
  if (parsed) return &*parsed;
  netperfd::fuzz::require_printable_lines(parsed.error().message);
  return nullptr;
}

void fuzz_start(const dbus::Row& row) {
  const auto parsed = bus::parse_start_options(row);
  const auto* const options = expect_printable(parsed);
  if (options == nullptr) return;
  require(options->job.overrides.size() <= bus::kOverridesLimit);
  for (const std::string& each : options->job.overrides) {
    require(each.size() <= bus::kOverrideLimit && netperfd::is_printable(each));
  }
  require(!options->job.label || netperfd::is_printable(*options->job.label));
#ifdef NETPERFD_PLANTED_BUG
  if (options->job.repeat.value_or(5) != 5) netperfd::fuzz::read_too_far(options->job.label.value_or(""));
#endif
}

void fuzz_filters(const dbus::Row& row) {
  (void)expect_printable(bus::parse_run_filter(row, 1000));
  const auto selection = bus::parse_listed_selection(row, 1000);
  if (const auto* const listed = expect_printable(selection); listed != nullptr && *listed) {
    require(row.size() <= 3 && !(*listed)->filter.purpose);
  }
  const auto jobs = bus::parse_job_filter(row, 1000);
  if (const auto* const filter = expect_printable(jobs)) {
    require(!filter->job && !filter->state && !filter->variant && !filter->traced);
  }
  (void)expect_printable(bus::parse_audit_filter(row));
  const auto functions = bus::parse_function_filter(row);
  if (const auto* const filter = expect_printable(functions))
    require(netperfd::is_printable(filter->pattern));
}

void fuzz_options(std::string_view bytes) {
  // The types that a caller sends are not only those of rows, but those are all that options have.
  const auto values = bus::from_query_bytes<dbus::Row>(bytes);
  if (!values) return;
  const dbus::Row& row = std::get<0>(*values);
  fuzz_start(row);
  fuzz_filters(row);
  (void)expect_printable(bus::parse_import_options(row));
  (void)expect_printable(bus::parse_plan_options(row));
  (void)expect_printable(bus::parse_stack_request({1}, {2}, row));
  const auto compare = bus::parse_compare_options(row);
  if (const auto* const options = expect_printable(compare)) {
    require(options->threshold > 0 && options->threshold < 1 && options->changed.size() <= bus::kGroupsLimit);
  }
  const auto bundle = bus::parse_bundle_options(row);
  if (const auto* const options = expect_printable(bundle)) {
    require(!options->origin.redacted || (!options->recordings && options->report.empty()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes = netperfd::fuzz::text_of(input, size);
  const std::string_view rest = std::string_view(bytes).substr(1);
  if (bytes.front() % 2 == 0) {
    fuzz_options(rest);
  } else {
    fuzz_answer<bus::Row, bus::Rows, std::string, std::uint64_t>(rest);
  }
  return 0;
}
