// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/words.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "daemon/model/imported_file.hpp"

namespace netperfd::workload {
namespace {

constexpr std::string_view kStopped = "client has terminated";
constexpr std::string_view kProgram = "iperf3: ";

// Most errors of iperf3 end with strerror()'s text. A row matches if both of its texts occur; the first match
// counts.
struct Row {
  std::string_view error;
  std::string_view reason;
  // {0} " (SERVER port PORT)", {1} " (SERVER)", {2} " ADDRESS" of its own, {3} " NAME" of the congestion
  // control, each empty if unknown; {4} the protocol; {5} the congestion control's bare name, or NAME
  std::string_view sentence;
  bool repeats = false;  // whatever the moment: each run of the job meets it
};

constexpr std::string_view kConnect = "unable to connect to server";
constexpr std::string_view kUnknownName =
    "the name of the server is not known, or nobody could be asked for it{1}";
constexpr std::string_view kNotOurAddress = "Cannot assign requested address";

constexpr std::array kRows{
    Row{kConnect, "Connection refused", "the server refused the connection{0}"},
    Row{kConnect, "Network is unreachable", "there is no route to the server{0}"},
    Row{kConnect, "No route to host", "the server's host does not answer on its link{0}"},
    Row{kConnect, "timed out", "the server does not answer{0}"},
    Row{kConnect, kNotOurAddress, "the client cannot use its own address{2}", true},
    Row{kConnect, "Name or service not known", kUnknownName, true},
    Row{kConnect, "name resolution", kUnknownName},
    Row{kConnect, "No address associated", kUnknownName, true},
    Row{kConnect, "", "the client could not connect to the server{0}"},
    Row{"server is busy", "", "the server is busy with another test{0}"},
    Row{"access denied", "", "the server refused the test{0}"},
    Row{"control socket has closed", "", "the server went away during the test{0}"},
    Row{"server has terminated", "", "the server was told to stop during the test{0}"},
    Row{"client has unexpectedly closed", "", "the client went away during the test"},
    Row{kStopped, "", "the client was told to stop before its test had ended"},
    Row{"TCP_CONGESTION", "",
        "the congestion control{3} cannot be used: it must be in net.ipv4.tcp_allowed_congestion_control, "
        "here and at the server. As root, `modprobe tcp_{5}; sysctl "
        "net.ipv4.tcp_allowed_congestion_control=\"$(sysctl -n "
        "net.ipv4.tcp_allowed_congestion_control) {5}\"` adds it, if the kernel has it",
        true},
    Row{"Protocol not supported", "", "the kernel here or at the server has no {4}", true},
    Row{"no SCTP support", "", "this iperf3 was built without SCTP", true},
    Row{"unable to set CPU affinity", "", "a CPU of `affinity` is not there, or iperf3 may not use it", true},
    Row{"socket buffer size not set correctly", "",
        "the kernel allows no socket buffer of this `window`: as root, raise net.core.rmem_max and "
        "net.core.wmem_max, here and at the server",
        true},
    Row{"unable to set TCP/SCTP MSS", "", "the kernel here or at the server does not take this `mss`", true},
    Row{"total required bandwidth is larger than server limit", "", "the server allows no such `bitrate`{0}",
        true},
    Row{"unable to start stream listener", "", "a side cannot listen for the streams of {4}"},
    Row{"stream", "Connection refused", "the server refused a stream{0}"},
    Row{"control message", "", "the connection to the server broke during the test{0}"},
    Row{"stream socket", "reset by peer", "the server broke off the test{0}"},
    Row{"stream socket", "Broken pipe", "the server broke off the test{0}"},
    Row{"stream socket", "", "a stream broke during the test{0}"},
    Row{"unable to receive results", "", "the server's results did not come{0}"},
    Row{"parameter error", "", "iperf3 did not accept its options", true},
    Row{"unrecognized option", "", "iperf3 did not accept its options", true},
    Row{"invalid option", "", "iperf3 did not accept its options", true},
    Row{"requires an argument", "", "iperf3 did not accept its options", true},
};

bool is_address(const std::string& host) {
  in6_addr buffer{};
  return inet_pton(AF_INET, host.c_str(), &buffer) == 1 || inet_pton(AF_INET6, host.c_str(), &buffer) == 1;
}

// If getaddrinfo() has no resolver to ask, it leaves errno unchanged or at EAGAIN, and iperf3 prints that.
bool says_unknown_name(std::string_view words, const TestSpec& asked) {
  return words.find(kConnect) != std::string_view::npos && !is_address(asked.path.server) &&
         (words.ends_with("Resource temporarily unavailable") || words.ends_with("Success") ||
          words.ends_with("Invalid argument") || words.ends_with("No such file or directory"));
}

// In quotation marks and ASCII: everything else is escaped, and invalid UTF-8 is replaced.
std::string quoted(std::string_view words) {
  using nlohmann::json;
  return json(words).dump(-1, ' ', true, json::error_handler_t::replace);
}

// Null: none of those that are known.
const Row* row_for(std::string_view words) {
  const auto* row = std::ranges::find_if(
      kRows, [&](const Row& each) { return words.contains(each.error) && words.contains(each.reason); });
  return row == kRows.end() ? nullptr : row;
}

std::string_view sentence_for(std::string_view words, const TestSpec& asked) {
  if (says_unknown_name(words, asked)) return kUnknownName;
  const Row* row = row_for(words);
  return row == nullptr ? "iperf3 could not do the test" : row->sentence;
}

bool is_ipv4(const std::string& host) {
  in_addr buffer{};
  return inet_pton(AF_INET, host.c_str(), &buffer) == 1;
}

}  // namespace

bool says_client_was_stopped(std::string_view words) {
  return words.find(kStopped) != std::string_view::npos;
}

ServerAbsence absence_in(std::string_view words) {
  const auto says = [&](std::string_view text) { return words.find(text) != std::string_view::npos; };
  if (says("server is busy")) return ServerAbsence::busy;
  constexpr std::array kPassing{"Connection refused", "Network is unreachable", "No route to host",
                                "timed out"};
  return says(kConnect) && std::ranges::any_of(kPassing, says) ? ServerAbsence::absent : ServerAbsence::none;
}

bool will_repeat(std::string_view words, const TestSpec& asked) {
  const Row* row = says_unknown_name(words, asked) ? nullptr : row_for(words);
  if (row == nullptr || !row->repeats) return false;
  // A new address of IPv6 cannot be used for a second or two, and the kernel says the same if it has no free
  // port for a client without an address of its own.
  return row->reason != kNotOurAddress || is_ipv4(asked.path.bind);
}

std::string explain(std::string_view words, const Explained& test) {
  constexpr std::array<std::string_view, 3> kProtocols{"TCP", "UDP", "SCTP"};
  const TestSpec& asked = test.asked;
  const bool named = asked.path.server != kUnknownServer;
  const auto after_space = [](const std::string& word) { return word.empty() ? "" : " " + word; };
  const std::string_view protocol = test.protocol_known
                                        ? kProtocols.at(static_cast<std::size_t>(asked.traffic.protocol))
                                        : std::string_view("such protocol");
  return with_words(
      fmt::format(fmt::runtime(sentence_for(words, asked)),
                  named ? fmt::format(" ({} port {})", asked.path.server, asked.iperf3.port) : "",
                  named ? fmt::format(" ({})", asked.path.server) : "", after_space(asked.path.bind),
                  after_space(asked.iperf3.congestion), protocol,
                  asked.iperf3.congestion.empty() ? "NAME" : asked.iperf3.congestion),
      words);
}

std::string with_words(std::string sentence, std::string_view words) {
  if (words.empty()) return sentence;
  constexpr std::size_t kLongest = 500;
  return fmt::format("{}: iperf3 says {}", sentence, quoted(words.substr(0, kLongest)));
}

std::string words_in_text(std::string_view text, TextOf source) {
  std::string first;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with(kProgram)) return std::string(line.substr(kProgram.size()));
    if (first.empty() && source == TextOf::iperf3) first = line;
  }
  return first;
}

}  // namespace netperfd::workload
