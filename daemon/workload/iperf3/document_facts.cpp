// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/document_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "daemon/model/imported_file.hpp"
#include "daemon/workload/iperf3/json_values.hpp"
#include "daemon/workload/iperf3/text_facts.hpp"
#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

struct MayDiffer {
  std::string_view place, why;
  std::string_view if_test_has = {};  // only if `test_start` has this key
};

constexpr MayDiffer kMayDiffer[] = {
    {"start.timestamp", "the time of the run"},
    {"start.cookie", "drawn for each run"},
    {"start.connected", "sockets, addresses and ports of the streams; the server's address is a fact"},
    {"start.accepted_connection", "the client's address and port, as its server saw them"},
    {"start.connecting_to.port", "the server's port: the next run may need another"},
    {"start.target_bitrate", "the same as in test_start", "target_bitrate"},
    {"start.fq_rate", "the same as in test_start", "fqrate"},
};

// Read into the options of the test, or into a fact with an option's name.
constexpr std::string_view kOptions[] = {
    "start.version",        "start.system_info",   "start.connecting_to.host",
    "start.target_bitrate", "start.fq_rate",       "start.sock_bufsize",
    "start.tcp_mss",        "test_start.protocol", "test_start.num_streams",
    "test_start.blksize",   "test_start.omit",     "test_start.duration",
    "test_start.interval",  "test_start.fqrate",   "test_start.target_bitrate",
    "test_start.tos",
};

const MayDiffer* exception_for(std::string_view place) {
  const auto* found = std::ranges::find(kMayDiffer, place, &MayDiffer::place);
  return found == std::end(kMayDiffer) ? nullptr : found;
}

// The text itself; a digest (FNV-1a) of one that is long or not printable.
std::string text_or_digest(const std::string& text) {
  std::string told = short_text(text);
  if (!told.empty() || trimmed(text).empty()) return told;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("digest {:016x}", hash);
}

// Alike whatever tool wrote the document anew: 10 for 10.0, 1 for true. Empty if it tells nothing.
std::string fact_text(const json& value) {
  if (value.is_string()) return text_or_digest(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return value.dump();
  if (!value.is_array()) return {};
  return text_or_digest(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

// 12 of "iperf 3.12"; 0 if it is not known.
std::uint64_t minor_version(std::string_view version) {
  TextScan scan(version);
  (void)scan.text("iperf ");
  return scan.text("3.") ? scan.count().value_or(0) : 0;
}

class FactsOfDocument {
 public:
  FactsOfDocument(const json& start, const json& end)
      : start_(start),
        test_(member(start, "test_start")),
        end_(end),
        minor_version_(minor_version(text_of(start, "version"))),
        of_server_(start.is_object() && start.contains("accepted_connection")) {}

  [[nodiscard]] std::vector<Fact> take() {
    add_options();
    // Before 3.7, a server may have that of its client from an earlier test.
    if (!of_server_ || only_client_sends())
      add("end.receiver_tcp_congestion", text_of(end_, "receiver_tcp_congestion"));
    add_all_of(test_, "test_start");
    add_all_of(start_, "start");
    return std::move(facts_);
  }

 private:
  [[nodiscard]] static std::string text_of(const json& object, const char* key) {
    return object.is_object() ? fact_text(member(object, key)) : std::string();
  }

  void add(const std::string& key, const std::string& value) {
    if (value.empty() || facts_.size() >= kMostFactsOfTool || short_text(key) != key ||
        std::ranges::find(facts_, key, &Fact::key) != facts_.end())
      return;
    facts_.push_back({.group = std::string(kIperf3Facts), .key = key, .value = value});
  }

  // 0 is iperf3's default: the option was not given.
  void add_option(const char* name, const std::string& value) {
    add(name, value == "0" ? std::string(kAbsentValue) : value);
  }

  void add_options() {
    add_option("window", text_of(start_, "sock_bufsize"));
    const std::string rate = text_of(test_, "fqrate");
    if (!has_earlier_fq_rate()) add_option("fq_rate", rate.empty() ? text_of(start_, "fq_rate") : rate);
    // It has one of both.
    const std::string mss = text_of(start_, "tcp_mss");
    if (!mss.empty() || !text_of(start_, "tcp_mss_default").empty())
      add_option("mss", mss.empty() ? "0" : mss);
    if (const std::string tos = text_of(test_, "tos"); !tos.empty()) add("dscp", dscp_of_tos(tos));
    if (lacks_rate_0()) add("bitrate", is_of("UDP") ? "0" : std::string(kAbsentValue));
  }

  [[nodiscard]] bool is_of(std::string_view protocol) const {
    std::string name = text_of(test_, "protocol");
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return name == protocol;
  }

  // 3.7 to 3.10 write the rate only if it is not 0, and a client only that of TCP.
  [[nodiscard]] bool lacks_rate_0() const {
    const bool tells_rate = minor_version_ >= 7 && minor_version_ <= 10 && (is_of("TCP") || of_server_);
    return tells_rate && test_.is_object() && !test_.contains("target_bitrate") &&
           !start_.contains("target_bitrate");
  }

  // `iperf3 -s` of 3.13 to 3.16 keeps the rate of an earlier test, which paces only what it sends itself.
  [[nodiscard]] bool has_earlier_fq_rate() const {
    return of_server_ && minor_version_ >= 13 && minor_version_ <= 16 && only_client_sends();
  }

  // `iperf3 -s` keeps more of an earlier test where a client does not send it: up to 3.11 the number of bytes
  // or blocks, of which a test with a duration has none, and from 3.21 on what only a client of UDP sends.
  [[nodiscard]] bool may_be_of_earlier_test(std::string_view place) const {
    if (!of_server_) return false;
    if (place == "test_start.bytes" || place == "test_start.blocks") return is_set("duration");
    return (place == "test_start.gso" || place == "test_start.gro") && !is_of("UDP");
  }

  [[nodiscard]] bool is_set(const char* key) const {
    const std::string value = text_of(test_, key);
    return !value.empty() && value != "0";
  }

  [[nodiscard]] bool only_client_sends() const {
    return !is_set("reverse") && !is_set("bidir") && !is_of_both_directions();
  }

  // Without its sums, a test of both directions is read as one of a single direction.
  [[nodiscard]] bool is_of_both_directions() const {
    if (!end_.is_object()) return false;
    for (const auto& [key, value] : end_.items()) {
      if (key.ends_with("_bidir_reverse")) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_option(std::string_view place) const {
    // The import uses `bytes` if there is no duration, and `reverse` if only one side sends.
    if (place == "test_start.bytes") return !is_set("duration");
    if (place == "test_start.reverse") return !is_of_both_directions();
    return std::ranges::find(kOptions, place) != std::end(kOptions);
  }

  [[nodiscard]] bool may_differ(std::string_view place) const {
    const MayDiffer* exception = exception_for(place);
    if (exception == nullptr) return false;
    return exception->if_test_has.empty() ||
           (test_.is_object() && test_.contains(std::string(exception->if_test_has)));
  }

  void add_all_of(const json& object, const std::string& place) {
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items()) {
      const std::string inner = fmt::format("{}.{}", place, key);
      if (inner == "start.test_start" || may_differ(inner) || may_be_of_earlier_test(inner) ||
          is_option(inner))
        continue;
      if (value.is_object()) {
        add_all_of(value, inner);
        continue;
      }
      const std::string text = fact_text(value);
      // A server has 0, since it does not ask its socket.
      if (inner == "start.tcp_mss_default" && text == "0") continue;
      add(inner, text);
    }
  }

  const json& start_;
  const json& test_;
  const json& end_;
  const std::uint64_t minor_version_;
  const bool of_server_;
  std::vector<Fact> facts_;
};

}  // namespace

std::vector<Fact> document_facts(const json& start, const json& end) {
  return FactsOfDocument(start, end).take();
}

std::string_view why_may_differ(std::string_view place) {
  const MayDiffer* exception = exception_for(place);
  return exception == nullptr ? std::string_view() : exception->why;
}

}  // namespace netperfd::workload
