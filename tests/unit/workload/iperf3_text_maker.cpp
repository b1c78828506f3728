// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/workload/iperf3_text_maker.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace netperfd::workload::test {
namespace {

using nlohmann::json;

// Three digits, or four below the next unit.
std::string quantity(double value, double step, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "K", "M", "G", "T"};
  std::size_t prefix = 0;
  for (; value >= step && prefix + 1 < std::size(kPrefixes); ++prefix) value /= step;
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:4.{}f} {}{}", value, decimals, kPrefixes[prefix], unit);
}

class Maker {
 public:
  Maker(const json& document, bool verbose) : document_(document), verbose_(verbose) {}

  std::string make() {
    const json& start = document_["start"];
    const json& test = start["test_start"];
    udp_ = test["protocol"] == "UDP";
    both_ = document_["end"].contains("sum_sent_bidir_reverse");
    reverse_ = test["reverse"] != 0;
    if (verbose_) {
      text_ += fmt::format("{}\n{}\n", start["version"].get<std::string>(),
                           start["system_info"].get<std::string>());
      text_ += fmt::format("Time: {}\n", start["timestamp"]["time"].get<std::string>());
    }
    text_ +=
        fmt::format("Connecting to host {}, port {}\n", start["connecting_to"]["host"].get<std::string>(),
                    start["connecting_to"]["port"].get<int>());
    if (reverse_) text_ += "Reverse mode, remote host 10.0.0.2 is sending\n";
    for (const json& one : start["connected"]) {
      text_ += fmt::format("[{:3}] local {} port {} connected to {} port {}\n", one["socket"].get<int>(),
                           one["local_host"].get<std::string>(), one["local_port"].get<int>(),
                           one["remote_host"].get<std::string>(), one["remote_port"].get<int>());
    }
    if (verbose_) add_options(test);
    head(udp_ ? (both_ || reverse_ ? "Jitter    Lost/Total Datagrams" : "Total Datagrams")
              : (reverse_ ? "" : "Retr  Cwnd"));
    for (const json& interval : document_["intervals"]) add_interval(interval);
    if (verbose_) text_ += "Test Complete. Summary Results:\n";
    head(udp_ ? "Jitter    Lost/Total Datagrams" : "Retr");
    add_end(document_["end"]);
    return text_ + "\niperf Done.\n";
  }

 private:
  void add_options(const json& test) {
    const auto bytes = test["bytes"].get<std::uint64_t>();
    text_ += fmt::format(
        "Starting Test: protocol: {}, {} streams, {} byte blocks, omitting {} seconds, {}, tos 0\n",
        test["protocol"].get<std::string>(), test["num_streams"].get<int>(), test["blksize"].get<int>(),
        test["omit"].get<int>(),
        bytes > 0 ? fmt::format("{} bytes to send", bytes)
                  : fmt::format("{} second test", test["duration"].get<int>()));
  }

  void head(std::string_view columns) {
    text_ += fmt::format("[ ID]{} Interval           Transfer     Bitrate         {}\n",
                         both_ ? "[Role]" : "", columns);
  }

  std::string row(const json& figures, bool sends) const {
    const auto socket = figures.find("socket");
    return fmt::format("[{}]{} {:6.2f}-{:<6.2f} sec  {}  {}/sec  ",
                       socket == figures.end() ? "SUM" : fmt::format("{:3}", socket->get<int>()),
                       both_ ? (sends ? "[TX-C]" : "[RX-C]") : "", figures["start"].get<double>(),
                       figures["end"].get<double>(), quantity(figures["bytes"].get<double>(), 1024, "Bytes"),
                       quantity(figures["bits_per_second"].get<double>(), 1000, "bits"));
  }

  static std::string loss(const json& figures) {
    return fmt::format("{:5.3f} ms  {}/{} ({:.2g}%)  ", figures.value("jitter_ms", 0.0),
                       figures.value("lost_packets", 0), figures.value("packets", 0),
                       figures.value("lost_percent", 0.0));
  }

  void add_interval_row(const json& figures) {
    const bool sends = both_ ? figures["sender"].get<bool>() : !reverse_;
    text_ += row(figures, sends);
    if (udp_) text_ += sends ? fmt::format("{:4}  ", figures["packets"].get<int>()) : loss(figures);
    if (!udp_ && sends && figures.contains("retransmits"))
      text_ += fmt::format("{:3}   ", figures["retransmits"].get<int>());
    if (figures.contains("snd_cwnd")) text_ += quantity(figures["snd_cwnd"].get<double>(), 1024, "Bytes");
    text_ += figures.value("omitted", false) ? "       (omitted)\n" : "       \n";
  }

  void add_interval(const json& interval) {
    const auto& streams = interval["streams"];
    for (const json& stream : streams) add_interval_row(stream);
    if (streams.size() > (both_ ? 2U : 1U)) {
      for (const char* key : {"sum", "sum_bidir_reverse"}) {
        if (interval.contains(key)) add_interval_row(interval[key]);
      }
      text_ += "- - - - - - - - - - - - - - - - - - - - - - - - -\n";
    }
  }

  void add_side(const json& figures, bool sends, bool by_sender) {
    text_ += row(figures, sends);
    if (udp_) text_ += loss(figures);
    if (!udp_ && by_sender && figures.contains("retransmits"))
      text_ += fmt::format("{:3}   ", figures["retransmits"].get<int>());
    text_ += by_sender ? "          sender\n" : "          receiver\n";
  }

  void add_end(const json& end) {
    const bool several = end["streams"].size() > (both_ ? 2U : 1U);
    for (const json& stream : end["streams"]) {
      if (udp_) break;  // its streams mix both sides
      const bool sends = both_ ? stream["sender"]["sender"].get<bool>() : !reverse_;
      add_side(stream["sender"], sends, true);
      add_side(stream["receiver"], sends, false);
    }
    for (const bool first : {true, false}) {
      const std::string suffix = first ? "" : "_bidir_reverse";
      if (!end.contains("sum_sent" + suffix) || (!several && !udp_)) continue;
      const bool sends = both_ ? first : !reverse_;
      add_side(end["sum_sent" + suffix], sends, true);
      add_side(end["sum_received" + suffix], sends, false);
    }
  }

  const json& document_;
  bool verbose_;
  bool udp_ = false, both_ = false, reverse_ = false;
  std::string text_;
};

}  // namespace

std::string text_for_people(const json& document, bool verbose) {
  return Maker(document, verbose).make();
}

}  // namespace netperfd::workload::test
