// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/document_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "daemon/model/imported_file.hpp"
#include "daemon/workload/iperf3/json_values.hpp"
#include "daemon/workload/iperf3/text_facts.hpp"

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
};

const MayDiffer* exception_for(std::string_view place) {
  const auto* found = std::ranges::find(kMayDiffer, place, &MayDiffer::place);
  return found == std::end(kMayDiffer) ? nullptr : found;
}

// Alike whatever tool wrote the document anew: 10 for 10.0, 1 for true. Empty if it tells nothing.
std::string fact_text(const json& value) {
  constexpr std::size_t kMostElements = 32;
  if (value.is_string()) return short_text(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return value.dump();
  if (!value.is_array() || value.size() > kMostElements) return {};
  return short_text(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

class FactsOfDocument {
 public:
  FactsOfDocument(const json& start, const json& end)
      : start_(start), test_(member(start, "test_start")), end_(end) {}

  [[nodiscard]] std::vector<Fact> take() {
    add_options();
    add("end.receiver_tcp_congestion", text_of(end_, "receiver_tcp_congestion"));
    add_all_of(start_, "start");
    add_all_of(test_, "test_start");
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
    add_option("fq_rate", rate.empty() ? text_of(start_, "fq_rate") : rate);
    // It has one of both.
    const std::string mss = text_of(start_, "tcp_mss");
    if (!mss.empty() || !text_of(start_, "tcp_mss_default").empty())
      add_option("mss", mss.empty() ? "0" : mss);
    // Other values have several names, so only their absence can be compared with a run of netperfd.
    if (text_of(test_, "tos") == "0") add_option("dscp", "0");
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
    if (place == "test_start.bytes") {
      const std::string duration = text_of(test_, "duration");
      return duration.empty() || duration == "0";
    }
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
      if (inner == "start.test_start" || may_differ(inner) || is_option(inner)) continue;
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
