// SPDX-License-Identifier: GPL-2.0-or-later
// Figures as a person reads them: a unit, three to four significant digits, never 0 for something that is not
// 0, and never an exponent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace netperfctl {

// "79.6 Mbit/s", "118.0 Mbit/s"; decimal prefixes.
[[nodiscard]] std::string format_rate(double bits_per_second);
// `bits_per_second` in the unit that format_rate() gives `reference`, without naming it: "74.0".
[[nodiscard]] std::string format_rate_like(double bits_per_second, double reference);
// "1.50 MiB"; binary prefixes.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
// "2,567,896"
[[nodiscard]] std::string format_count(std::uint64_t count);
// "-3": iperf3 counts a datagram that came late as lost and then takes it back, at times in a later interval.
[[nodiscard]] std::string format_signed_count(std::int64_t count);
// "1,204", "12.0k", "492k", "2.57M": a count where there is little room.
[[nodiscard]] std::string format_short(double count);
// "97 %", "2.7 %", "0.012 %", and "99.7 %", which is not 100
[[nodiscard]] std::string format_percent(double percent);
// "31 %", "2.7 %", "<0.1 %" of a part of one.
[[nodiscard]] std::string format_share(double of_one);
// "0.085 ms", "1.90 ms", "12.3 ms"
[[nodiscard]] std::string format_milliseconds(double milliseconds);
// Where the unit stands in the title of a column: "1,050", "85.3", "0.50" of nanoseconds; "1,204", "412.3",
// "0.012" milliseconds of nanoseconds; "2.00", "<0.01" of anything.
[[nodiscard]] std::string format_figure(double value);
[[nodiscard]] std::string format_as_milliseconds(std::uint64_t nanoseconds);
[[nodiscard]] std::string format_hundredths(double value);
// "250 ms", "6.2 s", "40 s", "2 min 5 s", "1 h 3 min"
[[nodiscard]] std::string format_seconds(double seconds);

// "-" if the figure is unknown.
template <class Value, class Format>
[[nodiscard]] std::string or_dash(const std::optional<Value>& value, Format format) {
  return value ? std::string{format(*value)} : std::string{"-"};
}

// Where both are known and there is something to be a part of.
[[nodiscard]] std::optional<double> ratio(const std::optional<std::uint64_t>& part,
                                          const std::optional<std::uint64_t>& whole);

// "0.041", "0.001", "<0.0001"
[[nodiscard]] std::string format_probability(double probability);

// "with 80 % power"
[[nodiscard]] std::string power_words(double power);

// "1 run", "3 runs"
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace netperfctl
