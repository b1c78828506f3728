// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/text_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/model/text.hpp"

namespace netperfd::workload {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t\",";  // a tool's list of lines has quotes and commas
  const std::size_t first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kAround) - first + 1);
}

std::string short_text(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  text = trimmed(text);
  return text.size() <= kLongest && is_printable(text) ? std::string(text) : std::string();
}

std::optional<Endpoint> take_endpoint(TextScan& scan) {
  scan.blanks();
  std::string_view host = scan.word();
  if (host.ends_with(',')) host.remove_suffix(1);
  scan.blanks();
  if (!scan.text("port ")) return std::nullopt;
  const auto port = scan.count();
  Endpoint endpoint{.host = short_text(host), .port = 0};
  if (endpoint.host.empty() || !port || *port > std::numeric_limits<std::uint16_t>::max())
    return std::nullopt;
  endpoint.port = static_cast<std::uint16_t>(*port);
  return endpoint;
}

std::optional<std::uint64_t> take_time(TextScan scan) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  scan.blanks();
  (void)scan.word();
  scan.blanks();
  const auto day = scan.count();
  scan.blanks();
  const auto* const month = std::ranges::find(kMonths, scan.word());
  scan.blanks();
  const auto year = scan.count();
  scan.blanks();
  const auto hour = scan.count();
  if (!scan.text(":")) return std::nullopt;
  const auto minute = scan.count();
  if (!scan.text(":")) return std::nullopt;
  const auto second = scan.count();
  if (!day || month == kMonths.end() || !year || !hour || !minute || !second || !scan.text(" GMT"))
    return std::nullopt;
  if (*day > 31 || *year < 1970 || *year > 9999 || *hour > 23 || *minute > 59 || *second > 60)
    return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{static_cast<int>(*year)},
                            std::chrono::month{static_cast<unsigned>(month - kMonths.begin()) + 1},
                            std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  const auto days = static_cast<std::uint64_t>(sys_days{date}.time_since_epoch().count());
  return days * 86'400 + *hour * 3'600 + *minute * 60 + *second;
}

std::string dscp_of_tos(std::string_view tos) {
  constexpr unsigned kEcnBits = 4, kMostTos = 255;
  unsigned byte = 0;
  const auto [end, error] = std::from_chars(tos.data(), tos.data() + tos.size(), byte);
  if (error != std::errc() || end != tos.data() + tos.size() || byte > kMostTos || byte % kEcnBits != 0)
    return "tos " + std::string(tos);
  return byte == 0 ? std::string(kAbsentValue) : std::to_string(byte / kEcnBits);
}

void put_fact(std::string_view key, std::string value, Iperf3Document& document) {
  std::erase_if(document.facts, [&](const Fact& fact) { return fact.key == key; });
  if (value.empty()) return;
  document.facts.push_back(
      {.group = std::string(kIperf3Facts), .key = std::string(key), .value = std::move(value)});
}

void take_mss(TextScan scan, Iperf3Document& document) {
  const auto mss = scan.count();
  if (!mss) return;
  if (*mss > 0) document.mss_bytes = mss;
  const bool is_default = scan.text(" (default)");
  put_fact("mss", is_default ? std::string(kAbsentValue) : std::to_string(*mss), document);
  if (is_default && *mss > 0) put_fact("start.tcp_mss_default", std::to_string(*mss), document);
}

void take_receiver_congestion(TextScan scan, Iperf3Document& document) {
  if (!document.of_server) put_fact("end.receiver_tcp_congestion", short_text(scan.rest()), document);
}

void take_options(TextScan scan, Iperf3Document& document) {
  std::string_view rest = scan.rest();
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    TextScan part(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    part.blanks();
    if (part.text("protocol: ")) document.protocol = short_text(part.rest());
    const bool omits = part.text("omitting ");
    const bool is_tos = part.text("tos ");
    const auto number = part.count();
    if (!number) continue;
    if (omits) document.omit_s = static_cast<double>(*number);
    if (is_tos) put_fact("dscp", dscp_of_tos(std::to_string(*number)), document);
    if (part.rest() == " streams") document.num_streams = number;
    if (part.rest() == " byte blocks") document.block_bytes = number;
    if (part.rest() == " second test") document.duration_s = static_cast<double>(*number);
    if (part.rest() == " bytes to send") document.bytes = number;
    if (part.rest() == " blocks to send") document.blocks = number;
  }
}

void take_cpu(TextScan scan, Iperf3Document& document) {
  const auto percent_of = [&](std::string_view side) -> std::optional<double> {
    auto found = after(scan.rest(), side);
    if (!found) return std::nullopt;
    (void)found->word();  // whether it sends
    found->blanks();
    const auto number = found->number();
    return number && found->text("%") ? number->value : std::nullopt;
  };
  document.cpu_host_percent = percent_of(" local/");
  document.cpu_remote_percent = percent_of(", remote/");
}

std::optional<TextTable> table_of(std::string_view line) {
  const std::size_t at = line.find("[ ID]");
  if (at == std::string_view::npos) return std::nullopt;
  const auto has = [head = line.substr(at)](std::string_view words) {
    return head.find(words) != std::string_view::npos;
  };
  if (!has("Interval") || !has("Transfer")) return std::nullopt;
  if (has("Total Datagrams") && has("Jitter")) return has("[Role]") ? TextTable::both : TextTable::loss;
  if (has("Total Datagrams")) return TextTable::datagrams;
  return has("Retr") ? TextTable::retr : TextTable::plain;
}

}  // namespace netperfd::workload
