// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "daemon/echo/packet.hpp"

namespace netperfd::echo {
namespace {

constexpr std::array kServeTexts{
    OptionText{"bind", "ADDRESS", "serve on this address only; by default on all"},
    OptionText{"port", "PORT", "UDP and TCP port, 5202 by default; 0 lets the kernel choose"},
};
constexpr std::array kProbeTexts{
    OptionText{"to", "HOST", "host or address of the server"},
    OptionText{"port", "PORT", "its UDP and TCP port, 5202 by default"},
    OptionText{"bind", "ADDRESS", "send from this address"},
    OptionText{"family", "4|6", "use only IPv4 or only IPv6"},
    OptionText{"timeout", "TIME",
               "a request without an answer for so long is lost, 2s by default; 10ms to 60s"},
    OptionText{"interval", "TIME", "print the figures of so long at a time, 1s by default; 10ms to 1h"},
    OptionText{"duration", "TIME", "end after this time; by default at SIGTERM or SIGINT"},
    OptionText{
        "probe", "KEY=VALUE,...",
        "what to send, may be given several times (up to 8): protocol=udp, tcp or icmp; rate=requests per "
        "second, 0.1 to 10000 (default 10); length=bytes of a request, 32 to 1400 (default 64); dscp=0 to "
        "63. The default is one probe with protocol=udp"},
};

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Ns> duration(std::string_view option, std::string_view text, Ns least, Ns most) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto value = number<double>(text.substr(0, text.size() - unit.size()));
    if (!value || !(*value >= 0) || *value > 1e9) continue;
    const double time = std::round(*value * factor);
    if (time >= static_cast<double>(least) && time <= static_cast<double>(most)) return static_cast<Ns>(time);
    return invalid(fmt::format("--{} {}: it must be from {} ms to {} s", option, text, least / kMillisecond,
                               most / kSecond));
  }
  return invalid(fmt::format("--{} {}: expected a time such as 500ms or 2s", option, text));
}

Result<std::uint16_t> port(std::string_view text, bool may_be_zero) {
  const auto value = number<std::uint16_t>(text);
  if (!value || (*value == 0 && !may_be_zero))
    return invalid(fmt::format("--port {}: expected 1 to 65535", text));
  return *value;
}

Status set_probe_key(ProbeSpec& probe, std::string_view key, std::string_view value) {
  const auto wrong = [&](std::string_view expected) {
    return invalid(fmt::format("--probe {}={}: expected {}", key, value, expected));
  };
  if (key == "protocol") {
    for (const Protocol protocol : {Protocol::udp, Protocol::tcp, Protocol::icmp}) {
      if (value != protocol_name(protocol)) continue;
      probe.protocol = protocol;
      return {};
    }
    return wrong("udp, tcp or icmp");
  }
  if (key == "rate") {
    const auto rate = number<double>(value);
    if (!rate || !(*rate >= 0.1 && *rate <= 10'000)) return wrong("0.1 to 10000 requests per second");
    probe.rate = *rate;
    return {};
  }
  if (key == "length") {
    const auto length = number<std::size_t>(value);
    if (!length || *length < kShortest || *length > kLongest)
      return wrong(fmt::format("{} to {} bytes", kShortest, kLongest));
    probe.length = *length;
    return {};
  }
  if (key == "dscp") {
    const auto dscp = number<int>(value);
    if (!dscp || *dscp < 0 || *dscp > 63) return wrong("0 to 63");
    probe.dscp = *dscp;
    return {};
  }
  return invalid(fmt::format("--probe {}: expected protocol, rate, length or dscp", key));
}

Result<ProbeSpec> probe_spec(std::string_view text) {
  ProbeSpec probe;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find(','));
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) return invalid(fmt::format("--probe {}: expected KEY=VALUE", pair));
    if (auto set = set_probe_key(probe, pair.substr(0, equals), pair.substr(equals + 1)); !set)
      return std::unexpected(std::move(set.error()));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
  }
  return probe;
}

// Stores what a parser found, or passes its error on.
template <class To, class From>
Status store(To& to, Result<From> from) {
  if (!from) return std::unexpected(std::move(from.error()));
  to = std::move(*from);
  return {};
}

Status set_serve_option(ServeOptions& options, std::string_view name, std::string_view value) {
  if (name == "bind") {
    options.bind = value;
    return {};
  }
  return store(options.port, port(value, true));
}

Status set_probe_option(ProbeOptions& options, std::string_view name, std::string_view value) {
  if (name == "port") return store(options.port, port(value, false));
  if (name == "timeout")
    return store(options.limits.timeout, duration(name, value, 10 * kMillisecond, 60 * kSecond));
  if (name == "interval")
    return store(options.limits.interval, duration(name, value, 10 * kMillisecond, 3600 * kSecond));
  if (name == "duration")
    return store(options.duration, duration(name, value, kMillisecond, kSecond * 90 * 24 * 3600));
  if (name == "to") options.to = value;
  if (name == "bind") options.bind = value;
  if (name == "family") {
    if (value != "4" && value != "6") return invalid(fmt::format("--family {}: expected 4 or 6", value));
    options.family = value == "4" ? 4 : 6;
  }
  if (name == "probe") {
    auto probe = probe_spec(value);
    if (!probe) return std::unexpected(std::move(probe.error()));
    if (options.probes.size() == kMostProbes) return invalid(fmt::format("--probe: at most {}", kMostProbes));
    options.probes.push_back(*probe);
  }
  return {};
}

// Calls `set(name, value)` for each of "--name value" and "--name=value".
template <class Set>
Status each_option(std::span<const std::string_view> arguments, std::span<const OptionText> known,
                   const Set& set) {
  while (!arguments.empty()) {
    std::string_view name = arguments.front();
    arguments = arguments.subspan(1);
    if (!name.starts_with("--")) return invalid(fmt::format("unexpected argument \"{}\"", name));
    name.remove_prefix(2);
    std::optional<std::string_view> value;
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    if (std::ranges::find(known, name, &OptionText::name) == known.end())
      return invalid(fmt::format("unknown option --{}; see --help", name));
    if (!value) {
      if (arguments.empty()) return invalid(fmt::format("--{} needs a value", name));
      value = arguments.front();
      arguments = arguments.subspan(1);
    }
    if (auto status = set(name, *value); !status) return status;
  }
  return {};
}

void add_texts(std::string& text, std::span<const OptionText> options) {
  constexpr std::size_t kIndent = 26, kWidth = 100;
  for (const OptionText& option : options) {
    std::string line = fmt::format("  {:<24}", fmt::format("--{} {}", option.name, option.value));
    for (std::string_view rest = option.about; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (line.size() + word.size() > kWidth) {
        text += line + '\n';
        line.assign(kIndent, ' ');
      }
      if (line.size() > kIndent) line += ' ';
      line += word;
    }
    text += line + '\n';
  }
}

}  // namespace

std::string_view protocol_name(Protocol protocol) {
  switch (protocol) {
    case Protocol::tcp:
      return "tcp";
    case Protocol::icmp:
      return "icmp";
    case Protocol::udp:
      break;
  }
  return "udp";
}

std::span<const OptionText> serve_option_texts() {
  return kServeTexts;
}

std::span<const OptionText> probe_option_texts() {
  return kProbeTexts;
}

std::string usage() {
  std::string text =
      "Usage: netperfd-echo [serve] [OPTION...]\n"
      "       netperfd-echo probe --to HOST [OPTION...]\n"
      "Measures how long requests take to a server and back. `serve` answers them; `probe` sends them and\n"
      "prints JSON lines.\n\nOptions of serve:\n";
  add_texts(text, kServeTexts);
  text += "\nOptions of probe:\n";
  add_texts(text, kProbeTexts);
  text += "\n  --help                  print this\n  --version               print the version\n";
  return text;
}

std::optional<std::uint64_t> parse_session(const char* text) {
  if (text == nullptr) return std::nullopt;
  constexpr std::size_t kDigits = 16;
  const std::string_view digits = text;
  std::uint64_t session = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), session, 16);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size() && digits.size() == kDigits;
  return whole ? std::optional(session) : std::nullopt;
}

Result<Options> parse_options(std::span<const std::string_view> arguments) {
  for (const std::string_view argument : arguments) {
    if (argument == "--help") return Help{};
    if (argument == "--version") return Version{};
  }
  const bool probes = !arguments.empty() && arguments.front() == "probe";
  if (probes || (!arguments.empty() && arguments.front() == "serve")) arguments = arguments.subspan(1);
  if (!probes) {
    ServeOptions options;
    const auto set = [&](auto name, auto value) { return set_serve_option(options, name, value); };
    if (auto status = each_option(arguments, kServeTexts, set); !status)
      return std::unexpected(std::move(status.error()));
    return options;
  }
  ProbeOptions options;
  const auto set = [&](auto name, auto value) { return set_probe_option(options, name, value); };
  if (auto status = each_option(arguments, kProbeTexts, set); !status)
    return std::unexpected(std::move(status.error()));
  if (options.to.empty()) return invalid("probe needs --to HOST");
  if (options.probes.empty()) options.probes.emplace_back();
  return options;
}

}  // namespace netperfd::echo
