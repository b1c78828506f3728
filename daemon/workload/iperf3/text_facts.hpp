// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of iperf3's text for people that are no rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/text_test.hpp"
#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {

// Without blanks, and without what a tool's list of lines has around them.
[[nodiscard]] std::string_view trimmed(std::string_view text);
// Trimmed; empty if it is long or not printable.
[[nodiscard]] std::string short_text(std::string_view text);

// "HOST port PORT", or with a comma.
[[nodiscard]] std::optional<Endpoint> take_endpoint(TextScan& scan);
// "Thu, 26 Nov 2026 23:52:45 GMT", in seconds since 1970.
[[nodiscard]] std::optional<std::uint64_t> take_time(TextScan scan);
// The fact `dscp` of a byte "184": "46", or kAbsentValue for 0. "tos 185" if a DSCP is not all of it.
[[nodiscard]] std::string dscp_of_tos(std::string_view tos);
// In place of an earlier one of that key. An empty value is none.
void put_fact(std::string_view key, std::string value, Iperf3Document& document);
// "1400", the option -M, or "1448 (default)". A server prints 0 as the default, which it does not know.
void take_mss(TextScan scan, Iperf3Document& document);
// "cubic". A server may have that of its client from an earlier test.
void take_receiver_congestion(TextScan scan, Iperf3Document& document);
// "protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, 3 second test, tos 0", or with bytes or
// blocks to send.
void take_options(TextScan scan, Iperf3Document& document);
// "local/sender 27.8% (0.7%u/27.1%s), remote/receiver 26.2% (...)"
void take_cpu(TextScan scan, Iperf3Document& document);
// Of the head of a table.
[[nodiscard]] std::optional<TextTable> table_of(std::string_view line);

}  // namespace netperfd::workload
