// SPDX-License-Identifier: GPL-2.0-or-later
// Two tests of iperf3 are the same if their documents agree in every key but the few that may differ. What
// keys there are is told by the recorded documents, not by the code.
#include "daemon/workload/iperf3/document_facts.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/core/run/iperf3_facts.hpp"
#include "daemon/workload/iperf3/argv.hpp"
#include "daemon/workload/iperf3/import.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"
#include "tests/unit/workload/iperf3_document_maker.hpp"

namespace netperfd::workload::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A document, or the events of --json-stream.
using DocumentParts = std::vector<json>;

DocumentParts parts_of_document(const std::string& bytes) {
  if (json whole = json::parse(bytes, nullptr, false); whole.is_object())
    return DocumentParts(1, std::move(whole));
  DocumentParts parts;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    json line = json::parse(bytes.substr(at, end - at), nullptr, false);
    if (!line.is_object()) return {};  // text is around it
    parts.push_back(std::move(line));
    at = end + 1;
  }
  return parts;
}

// The `start`; null if there is none.
json* start_in(DocumentParts& parts) {
  for (json& part : parts) {
    if (part.contains("start") && part["start"].is_object()) return &part["start"];
    if (part.contains("data") && part.contains("event") && part["event"] == json("start"))
      return &part["data"];
  }
  return nullptr;
}

std::optional<Fingerprint> fingerprint_of_bytes(const std::string& bytes) {
  const auto file = read_iperf3_file(std::as_bytes(std::span(bytes)));
  if (!file || !file->workload) return std::nullopt;
  return core::fingerprint_of_document(*file->workload);
}

std::optional<Fingerprint> fingerprint_of_parts(const DocumentParts& parts) {
  std::string bytes;
  for (const json& part : parts) bytes += part.dump() + "\n";
  return fingerprint_of_bytes(bytes);
}

// "congestion: cubic -> bbr", for each fact that both know and that differs.
std::vector<std::string> differing_between(const Fingerprint& a, const Fingerprint& b) {
  std::vector<std::string> differing;
  for (const Fact& of_a : a.facts) {
    for (const Fact& of_b : b.facts) {
      if (of_a.group == of_b.group && of_a.key == of_b.key && of_a.value != of_b.value)
        differing.push_back(of_a.key + ": " + of_a.value + " -> " + of_b.value);
    }
  }
  return differing;
}

struct KeyPlace {
  std::string name;  // "test_start.tos", "start.connecting_to.host"
  json::json_pointer in_start;
};

void add_places(const json& object, const std::string& name, const json::json_pointer& at,
                std::vector<KeyPlace>& places) {
  for (const auto& [key, value] : object.items()) {
    const std::string inner = name == "start" && key == "test_start" ? key : name + "." + key;
    if (value.is_object()) {
      add_places(value, inner, at / key, places);
    } else {
      places.push_back({inner, at / key});
    }
  }
}

// Itself, or the object that it is in: "start.timestamp.time".
bool is_exception(const std::string& name) {
  for (std::size_t end = name.find('.'); end != std::string::npos;) {
    end = name.find('.', end + 1);
    if (!why_may_differ(name.substr(0, end)).empty()) return true;
  }
  return false;
}

std::vector<json> other_values(const std::string& name, const json& value) {
  std::vector<json> others;
  if (name == "test_start.protocol") {
    for (const char* protocol : {"TCP", "UDP", "SCTP"}) others.emplace_back(protocol);
  } else if (value.is_string()) {
    others.emplace_back("x" + value.get<std::string>());
  } else if (value.is_number_float()) {
    for (const double step : {1.0, -1.0}) others.emplace_back(value.get<double>() + step);
  } else if (value.is_number()) {
    const auto number = value.get<std::int64_t>();
    const bool is_switch = name == "test_start.reverse" || name == "test_start.bidir";
    others.emplace_back(is_switch ? 1 - number : number + 1);
    if (number > 1) others.emplace_back(number - 1);
  }
  return others;
}

// What an `iperf3 -s` has from an earlier test where its client does not send it.
bool may_be_of_earlier_test(const std::string& name, const json& start) {
  const json test = start.value("test_start", json::object());
  if (!start.contains("accepted_connection")) return false;
  if (name == "test_start.bytes" || name == "test_start.blocks") return test.value("duration", 0.0) > 0;
  return (name == "test_start.gso" || name == "test_start.gro") && test.value("protocol", "") != "UDP";
}

// What the keys of a document mean depends on this alone.
std::string kind_of_document(DocumentParts& parts) {
  const json& start = *start_in(parts);
  const json test = start.value("test_start", json::object());
  std::string kind = start.value("version", "") + test.value("protocol", "");
  if (start.contains("accepted_connection")) kind += " server";
  if (!(test.value("duration", 0.0) > 0)) kind += " bytes";
  const bool both = std::ranges::any_of(
      parts, [](const json& part) { return part.dump().find("_bidir_reverse") != std::string::npos; });
  return both ? kind + " both" : kind;
}

std::vector<DocumentParts> recorded_documents() {
  std::vector<DocumentParts> documents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(recordings_directory())) {
    if (!entry.is_regular_file() || entry.path().extension() == ".err") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    DocumentParts parts = parts_of_document({std::istreambuf_iterator<char>(file), {}});
    if (start_in(parts) != nullptr && fingerprint_of_parts(parts)) documents.push_back(std::move(parts));
  }
  return documents;
}

TEST(Iperf3DocumentFacts, differ_with_every_key_of_the_recorded_documents_that_is_no_exception) {
  std::set<std::string> done, keys, compared;
  std::vector<DocumentParts> documents = recorded_documents();
  EXPECT_GT(documents.size(), 100U);
  for (DocumentParts& parts : documents) {
    const std::string kind = kind_of_document(parts);
    const Fingerprint before = *fingerprint_of_parts(parts);
    std::vector<KeyPlace> places;
    add_places(*start_in(parts), "start", json::json_pointer(), places);
    for (const KeyPlace& place : places) {
      if (is_exception(place.name) || may_be_of_earlier_test(place.name, *start_in(parts))) continue;
      if (!done.insert(kind + place.name).second) continue;
      keys.insert(place.name);
      json& value = (*start_in(parts))[place.in_start];
      const json was = value;
      for (const json& other : other_values(place.name, was)) {
        if (other == was) continue;
        value = other;
        const auto after = fingerprint_of_parts(parts);
        if (!after) continue;  // it contradicts the figures
        compared.insert(place.name);
        // A server does not know it.
        if (place.name == "start.tcp_mss_default" && (was == json(0) || other == json(0))) continue;
        EXPECT_FALSE(differing_between(before, *after).empty())
            << kind << ": " << place.name << " " << was << " -> " << other;
      }
      value = was;
    }
  }
  EXPECT_THAT(keys, Contains("test_start.gro"));
  EXPECT_THAT(keys, Contains("start.sock_bufsize"));
  keys.erase("test_start.protocol");  // the figures of a document are of one protocol
  std::vector<std::string> never;
  std::ranges::set_difference(keys, compared, std::back_inserter(never));
  EXPECT_THAT(never, IsEmpty()) << "no other value of these can be imported";
}

TEST(Iperf3DocumentFacts, leave_out_few_keys_with_a_reason) {
  std::set<std::string> exceptions;
  for (DocumentParts& parts : recorded_documents()) {
    std::vector<KeyPlace> places;
    add_places(*start_in(parts), "start", json::json_pointer(), places);
    for (const KeyPlace& place : places) {
      if (is_exception(place.name)) exceptions.insert(place.name);
    }
  }
  EXPECT_THAT(exceptions,
              UnorderedElementsAre("start.accepted_connection.host", "start.accepted_connection.port",
                                   "start.connected", "start.connecting_to.port", "start.cookie",
                                   "start.fq_rate", "start.target_bitrate", "start.timestamp.time",
                                   "start.timestamp.timemillisecs", "start.timestamp.timesecs"));
}

TEST(Iperf3DocumentFacts, of_a_key_that_a_version_does_not_write_are_unknown) {
  DocumentParts parts = parts_of_document(recorded("3.22/tcp-send"));
  ASSERT_EQ(parts.size(), 1U);
  const Fingerprint whole = *fingerprint_of_parts(parts);
  json& start = *start_in(parts);
  for (const char* key : {"bidir", "fqrate", "gro", "gso", "interval", "target_bitrate"}) {
    ASSERT_EQ(start["test_start"].erase(key), 1U) << key;
    EXPECT_THAT(differing_between(whole, *fingerprint_of_parts(parts)), IsEmpty()) << key;
  }
  for (const char* key : {"fq_rate", "target_bitrate", "tcp_mss_default"}) {
    ASSERT_EQ(start.erase(key), 1U) << key;
    EXPECT_THAT(differing_between(whole, *fingerprint_of_parts(parts)), IsEmpty()) << key;
  }
}

TEST(Iperf3DocumentFacts, of_keys_of_start_count_where_test_start_lacks_them) {
  DocumentParts parts(1, make_document(3));
  json& start = *start_in(parts);
  start["target_bitrate"] = 10'000'000;
  start["fq_rate"] = 0;
  const Fingerprint before = *fingerprint_of_parts(parts);
  start["target_bitrate"] = 20'000'000;
  start["fq_rate"] = 500'000'000;
  EXPECT_THAT(differing_between(before, *fingerprint_of_parts(parts)),
              UnorderedElementsAre("bitrate: 10000000 -> 20000000", "fq_rate: (absent) -> 500000000"));
}

// Also one that a later iperf3 adds.
TEST(Iperf3DocumentFacts, have_every_new_key_as_iperf3_or_a_tool_wrote_it) {
  DocumentParts parts(1, make_document(3));
  json& start = *start_in(parts);
  start["extra"] = {{"deep", {{"er", 3}}}};
  start["list"] = {1, "two"};
  start["test_start"]["flag"] = true;
  start["test_start"]["real"] = 10.0;
  start["test_start"]["text"] = " 7 ";
  start["test_start"]["nothing"] = nullptr;
  start["test_start"]["unprintable"] = "\x1b[2J";
  start["test_start"]["long"] = std::string(201, 'x');
  start["test_start"]["\x1b[2J"] = 1;
  std::vector<std::string> told;
  for (const Fact& fact : document_facts(start, json::object())) told.push_back(fact.key + "=" + fact.value);
  EXPECT_THAT(told,
              UnorderedElementsAre("mss=(absent)", "start.extra.deep.er=3", "start.list=[1,\"two\"]",
                                   "start.tcp_mss_default=1448", "test_start.bytes=0", "test_start.flag=1",
                                   "test_start.long=digest 3631500d06f3bba7", "test_start.real=10",
                                   "test_start.text=7", "test_start.unprintable=digest e90ada4e53d60d9b"));
}

TEST(Iperf3DocumentFacts, are_bounded_whatever_the_document_has) {
  json start = make_document(3)["start"];
  for (int i = 0; i < 1'000; ++i) start["test_start"]["key" + std::to_string(i)] = i;
  start["test_start"][std::string(300, 'k')] = 1;
  EXPECT_EQ(document_facts(start, json()).size(), kMostFactsOfTool);
  EXPECT_THAT(document_facts(json::array(), json(1)), IsEmpty());
  start["test_start"]["interval"] = 1;
  DocumentParts parts(1, make_document(3));
  *start_in(parts) = start;
  EXPECT_TRUE(fingerprint_of_parts(parts));
}

TEST(Iperf3DocumentFacts, tell_one_congestion_control_and_pacing_rate_from_another) {
  const auto fingerprint_of_file = [](const std::string& name) {
    std::ifstream file(recordings_directory() / "foreign" / name, std::ios::binary);
    return fingerprint_of_bytes({std::istreambuf_iterator<char>(file), {}});
  };
  const auto cubic = fingerprint_of_file("congestion-cubic.json");
  const auto bbr = fingerprint_of_file("congestion-bbr.json");
  const auto paced = fingerprint_of_file("fq-rate-500M.json");
  ASSERT_TRUE(cubic && bbr && paced);
  EXPECT_THAT(differing_between(*cubic, *bbr),
              UnorderedElementsAre("congestion: cubic -> bbr", "end.receiver_tcp_congestion: cubic -> bbr"));
  EXPECT_THAT(differing_between(*cubic, *paced), ElementsAre("fq_rate: (absent) -> 500000000"));
  EXPECT_THAT(differing_between(*cubic, *cubic), IsEmpty());
}

TEST(Iperf3DocumentFacts, of_a_text_for_people_are_what_it_prints_of_the_options) {
  std::ifstream file(recordings_directory() / "text" / "tcp-omit.client.txt", std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const auto text = read_iperf3_text(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(text && text->workload);
  EXPECT_THAT(text->workload->facts,
              UnorderedElementsAre(
                  Fact{"iperf3", "dscp", "(absent)"}, Fact{"iperf3", "end.receiver_tcp_congestion", "bbr"},
                  Fact{"iperf3", "mss", "(absent)"}, Fact{"iperf3", "start.tcp_mss_default", "1448"}));
}

// An option that netperfd gives goes by one name, whether netperfd gave it or a document tells it.
TEST(Iperf3DocumentFacts, have_the_names_of_netperfds_own_options) {
  json document = make_document(3);
  document["start"]["sock_bufsize"] = 262'144;
  document["start"]["tcp_mss"] = 1'400;
  document["start"]["test_start"]["interval"] = 0.5;
  document["start"]["test_start"]["target_bitrate"] = 10'000'000;
  TestSpec spec = tcp(3);
  spec.traffic.interval = std::chrono::milliseconds{500};
  spec.traffic.bitrate = 10'000'000;
  spec.iperf3.length_bytes = 1'000;
  spec.iperf3.window_bytes = 262'144;
  spec.iperf3.mss_bytes = 1'400;
  spec.iperf3.congestion = "cubic";
  const Fingerprint own{.boot_id = {}, .facts = core::iperf3_facts(spec, "3.12"), .unknown = {}};
  const auto told = fingerprint_of_parts(DocumentParts(1, document));
  ASSERT_TRUE(told);
  EXPECT_THAT(differing_between(own, *told), IsEmpty());
  for (const char* key : {"interval", "bitrate", "length", "window", "mss", "congestion"}) {
    EXPECT_THAT(told->facts, Contains(testing::Field(&Fact::key, key)));
    EXPECT_THAT(own.facts, Contains(testing::Field(&Fact::key, key)));
  }
}

TEST(Iperf3OwnFacts, are_all_options_that_iperf3_is_given) {
  TestSpec spec = both(omit(udp(3)));
  spec.path.ip_version = IpVersion::v4;
  spec.path.bind = "10.0.0.1";
  spec.path.local = LocalServer{};
  spec.path.local->bind = "10.0.0.2";
  spec.traffic.bytes = 1'000;
  spec.traffic.bitrate = 1'000;
  spec.iperf3 = {.length_bytes = 1'000,
                 .window_bytes = 1'000,
                 .mss_bytes = 1'000,
                 .congestion = "bbr",
                 .dscp = "ef",
                 .port = 5'201,
                 .client_port = 6'000,
                 .affinity = {0},
                 .zerocopy = true,
                 .no_delay = true,
                 .dont_fragment = true};
  // The next job may need another port, and its server's address is that of the client's option.
  const std::set<std::string_view> exceptions{"port", "local", "local.bind"};
  std::vector<Iperf3Option> options = client_options(spec, Iperf3Features{.version = "3.12", .options = {}});
  const std::vector<Iperf3Option> more = server_options(spec);
  options.insert(options.end(), more.begin(), more.end());
  const std::vector<Fact> facts = core::iperf3_facts(spec, "3.12");
  for (const Iperf3Option& option : options) {
    if (exceptions.contains(option.key)) continue;
    const std::string key(option.key == "cport" ? "client_port" : option.key);
    EXPECT_THAT(facts, Contains(testing::Field(&Fact::key, key)));
  }
}

}  // namespace
}  // namespace netperfd::workload::test
