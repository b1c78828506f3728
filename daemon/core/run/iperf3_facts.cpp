// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/iperf3_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "daemon/model/units.hpp"

namespace netperfd::core {
namespace {

// iperf3's defaults.
constexpr std::uint64_t kUdpBitrate = 1'048'576;  // for the others 0, unlimited
constexpr std::uint64_t kTcpLength = 131'072;

// Adds facts only for options that were given: defaults depend on iperf3's version, which is a fact of its
// own.
class Options {
 public:
  template <class Number>
  void put(const char* key, const std::optional<Number>& value) {
    if (value) add(key, fmt::format("{}", *value));
  }
  void put(const char* key, std::string_view value) {
    if (!value.empty()) add(key, std::string(value));
  }
  void put(const char* key, bool given) {
    if (given) add(key, "true");
  }
  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }

 private:
  void add(const char* key, std::string value) {
    facts_.push_back({std::string(kIperf3Facts), key, std::move(value)});
  }

  std::vector<Fact> facts_;
};

// Facts that both documents and jobs contain.
void put_test(const TestSpec& spec, std::string_view version, Options& options) {
  options.put("version", version);
  options.put("protocol", to_string(spec.traffic.protocol));
  options.put("direction", to_string(spec.traffic.direction));
  options.put("streams", std::optional{spec.traffic.streams});
  options.put("omit", std::string_view{format_duration(spec.traffic.omit)});
  if (spec.traffic.duration)
    options.put("duration", std::string_view{format_duration(*spec.traffic.duration)});
  options.put("bytes", spec.traffic.bytes);
}

// A document has the value that was used, whether it was an option or the default.
void put_used(const char* key, std::optional<std::uint64_t> used, std::uint64_t by_default,
              Options& options) {
  if (used == by_default) {
    options.put(key, kAbsentValue);
  } else {
    options.put(key, used);
  }
}

// `system` is "Linux HOST RELEASE VERSION... MACHINE". The host's name makes no difference.
void put_kernel(std::string_view system, std::vector<Fact>& facts) {
  const auto take_word = [&system] {
    const std::string_view word = system.substr(0, system.find(' '));
    system.remove_prefix(std::min(word.size() + 1, system.size()));
    return word;
  };
  const std::string_view name = take_word();
  (void)take_word();
  const std::string_view release = take_word();
  if (release.empty()) return;
  facts.push_back(
      {"kernel", "release", name == "Linux" ? std::string(release) : fmt::format("{} {}", name, release)});
  const std::string_view version = system.substr(0, system.rfind(' '));
  if (!version.empty()) facts.push_back({"kernel", "version", std::string(version)});
}

}  // namespace

std::vector<Fact> iperf3_facts(const TestSpec& spec, std::string_view version) {
  Options options;
  put_test(spec, version, options);
  options.put("ip_version", to_string(spec.path.ip_version));
  options.put("server", std::string_view{spec.path.server});
  options.put("server is local", spec.path.local.has_value());
  options.put("interval", std::string_view{format_duration(spec.traffic.interval)});
  options.put("bitrate", spec.traffic.bitrate);
  options.put("length", spec.iperf3.length_bytes);
  options.put("window", spec.iperf3.window_bytes);
  options.put("mss", spec.iperf3.mss_bytes);
  options.put("congestion", std::string_view{spec.iperf3.congestion});
  options.put("dscp", std::string_view{spec.iperf3.dscp});
  options.put("client_port", spec.iperf3.client_port);
  options.put("bind", std::string_view{spec.path.bind});
  options.put("affinity", std::string_view{fmt::format("{}", fmt::join(spec.iperf3.affinity, ","))});
  options.put("zerocopy", spec.iperf3.zerocopy);
  options.put("no_delay", spec.iperf3.no_delay);
  options.put("dont_fragment", spec.iperf3.dont_fragment);
  return options.take();
}

Fingerprint fingerprint_of_document(const ImportedWorkload& document) {
  if (!document.tool.empty()) {
    Fingerprint of_tool{.boot_id = {}, .facts = document.facts, .unknown = {std::string(kAllElse)}};
    std::ranges::sort(of_tool.facts);
    return of_tool;
  }
  const TestSpec& asked = document.asked;
  Options options;
  put_test(asked, document.report.version, options);
  if (!asked.traffic.duration && !document.options_unknown) options.put("duration", kAbsentValue);
  if (!asked.traffic.bytes && !document.options_unknown) options.put("bytes", kAbsentValue);
  if (asked.path.server != kUnknownServer) options.put("server", std::string_view{asked.path.server});
  const bool udp = asked.traffic.protocol == Protocol::udp;
  put_used("bitrate", asked.traffic.bitrate, udp ? kUdpBitrate : 0, options);
  if (asked.traffic.protocol == Protocol::tcp) {
    put_used("length", asked.iperf3.length_bytes, kTcpLength, options);
  } else {
    options.put("length", asked.iperf3.length_bytes);  // the default follows from the path
  }
  options.put("congestion", std::string_view{document.report.congestion});
  Fingerprint fingerprint{.boot_id = {}, .facts = options.take(), .unknown = {std::string(kAllElse)}};
  fingerprint.facts.insert(fingerprint.facts.end(), document.facts.begin(), document.facts.end());
  put_kernel(document.system, fingerprint.facts);
  std::ranges::sort(fingerprint.facts);
  return fingerprint;
}

}  // namespace netperfd::core
