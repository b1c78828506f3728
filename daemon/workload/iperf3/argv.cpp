// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/argv.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace netperfd::workload {
namespace {

class OptionList {
 public:
  void flag(std::string_view key, std::string_view name) { options_.push_back({key, name, {}}); }
  void value(std::string_view key, std::string_view name, std::string text) {
    options_.push_back({key, name, std::move(text)});
  }
  template <class Number>
  void number(std::string_view key, std::string_view name, Number number) {
    value(key, name, fmt::format("{}", number));
  }
  [[nodiscard]] std::vector<Iperf3Option> take() { return std::move(options_); }

 private:
  std::vector<Iperf3Option> options_;
};

std::int64_t whole_seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

// "1", "0.25": iperf3 parses it with atof.
std::string decimal_seconds(std::chrono::milliseconds duration) {
  return fmt::format("{}", std::chrono::duration<double>(duration).count());
}

void add_peer(OptionList& list, const TestSpec& spec) {
  list.value("server", "--client", spec.path.server);
  list.number("port", "--port", spec.iperf3.port);
  if (spec.path.ip_version == IpVersion::v4) list.flag("ip_version", "--version4");
  if (spec.path.ip_version == IpVersion::v6) list.flag("ip_version", "--version6");
  if (!spec.path.bind.empty()) list.value("bind", "--bind", spec.path.bind);
  if (spec.iperf3.client_port) list.number("cport", "--cport", *spec.iperf3.client_port);
}

void add_test(OptionList& list, const TestSpec& spec) {
  if (spec.traffic.protocol == Protocol::udp) list.flag("protocol", "--udp");
  if (spec.traffic.protocol == Protocol::sctp) list.flag("protocol", "--sctp");
  if (spec.traffic.direction == Direction::receive) list.flag("direction", "--reverse");
  if (spec.traffic.direction == Direction::both) list.flag("direction", "--bidir");
  list.number("streams", "--parallel", spec.traffic.streams);
  if (spec.traffic.duration) list.number("duration", "--time", whole_seconds(*spec.traffic.duration));
  if (spec.traffic.bytes) list.number("bytes", "--bytes", *spec.traffic.bytes);
  if (spec.traffic.omit.count() > 0) list.number("omit", "--omit", whole_seconds(spec.traffic.omit));
  list.value("interval", "--interval", decimal_seconds(spec.traffic.interval));
}

void add_sockets(OptionList& list, const TestSpec& spec) {
  if (spec.traffic.bitrate) list.number("bitrate", "--bitrate", *spec.traffic.bitrate);
  if (spec.iperf3.length_bytes) list.number("length", "--length", *spec.iperf3.length_bytes);
  if (spec.iperf3.window_bytes) list.number("window", "--window", *spec.iperf3.window_bytes);
  if (spec.iperf3.mss_bytes) list.number("mss", "--set-mss", *spec.iperf3.mss_bytes);
  if (!spec.iperf3.congestion.empty()) list.value("congestion", "--congestion", spec.iperf3.congestion);
  if (!spec.iperf3.dscp.empty()) list.value("dscp", "--dscp", spec.iperf3.dscp);
  if (spec.iperf3.zerocopy) list.flag("zerocopy", "--zerocopy");
  if (spec.iperf3.no_delay) list.flag("no_delay", "--no-delay");
  if (spec.iperf3.dont_fragment) list.flag("dont_fragment", "--dont-fragment");
}

std::vector<std::string> to_argv(const std::string& program, const std::vector<Iperf3Option>& options) {
  std::vector<std::string> argv{program};
  for (const Iperf3Option& option : options) {
    argv.emplace_back(option.name);
    // A value is a separate word: getopt takes the next word, whatever it begins with.
    if (!option.value.empty()) argv.push_back(option.value);
  }
  return argv;
}

}  // namespace

std::vector<Iperf3Option> client_options(const TestSpec& spec, const Iperf3Features& features) {
  OptionList list;
  add_peer(list, spec);
  add_test(list, spec);
  add_sockets(list, spec);
  // Without --forceflush the lines of a stream stay in stdio's buffer until the end.
  list.flag("interval", features.json_stream() ? "--json-stream" : "--json");
  list.flag("interval", "--forceflush");
  return list.take();
}

std::vector<Iperf3Option> server_options(const TestSpec& spec) {
  OptionList list;
  list.flag("local", "--server");
  list.flag("local", "--one-off");
  // Without it "Server listening" would stay in stdio's buffer.
  list.flag("local", "--forceflush");
  if (spec.path.ip_version == IpVersion::v4) list.flag("ip_version", "--version4");
  if (spec.path.ip_version == IpVersion::v6) list.flag("ip_version", "--version6");
  if (!spec.path.local->bind.empty()) list.value("local.bind", "--bind", spec.path.local->bind);
  list.number("port", "--port", spec.iperf3.port);
  return list.take();
}

std::vector<std::string> client_argv(const std::string& program, const TestSpec& spec,
                                     const Iperf3Features& features) {
  return to_argv(program, client_options(spec, features));
}

std::vector<std::string> server_argv(const std::string& program, const TestSpec& spec) {
  return to_argv(program, server_options(spec));
}

}  // namespace netperfd::workload
