// SPDX-License-Identifier: GPL-2.0-or-later
// Names that are planted wherever a run can carry them are in no byte of a redacted bundle.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/bundle/names.hpp"
#include "daemon/bundle/redact.hpp"
#include "daemon/bundle/redact_texts.hpp"
#include "daemon/model/sample_codec.hpp"
#include "tests/unit/bundle/support.hpp"

namespace netperfd::bundle {
namespace {

using testing::HasSubstr;

// By the column that a name has for itself; texts have all that netperfd would write into them.
struct Planted {
  std::string_view column, name;
};
constexpr std::array kNames = std::to_array<Planted>({
    {"jobs.name", "heron-scenario"},
    {"jobs.description", "ibis-description"},
    {"jobs.label", "wombat-label"},
    {"jobs.server", "quokka.example.org"},
    {"jobs.client_netns", "dingo-ns"},
    {"jobs.server_netns", "dingo-other"},
    {"jobs.variant_a", "echidna-side"},
    {"jobs.variant_b", "echidna-rest"},
    {"runs.error", "lynx-output"},
    {"runs.client_host", "198.51.100.77"},
    {"runs.server_host", "2001:db8::77:1"},
    {"runs.build", "lynx-build"},
    {"runs.point_name", "streams=4, label=wombat-label, mtu.numbat0@dingo-ns=9000"},
    {"runs.note", "possum-note"},
    {"trace_events.filter", "comm == tapir"},
    {"trace_samples.task", "koala-task"},
    {"trace_sample_fields.value", "ocelot-value"},
    {"trace_sample_fields.text", "ocelot-text"},
    {"trace_marks.text", "puffin-mark"},
    {"traffic.device", "numbat0"},
    {"traffic.netns", "dingo-ns"},
    {"counters.netns", "dingo-ns"},
    {"queue_samples.device", "numbat0"},
    {"queue_samples.netns", "dingo-ns"},
    {"environments.boot_id", "b0a7-caracal"},
    {"imported_files.name", "serval-file.json"},
    {"imported_files.sha256", "5ha-margay"},
    {"boots.boot_id", "b0a7-caracal"},
    {"boots.failure", "lynx-output"},
    {"latency_probes.name", "condor-probe"},
    {"latency_phases.probe", "condor-probe"},
    {"latency_spans.probe", "condor-probe"},
    {"latency_intervals.probe", "condor-probe"},
});
constexpr std::array kSentences{"flags.message",
                                "traces.skipped",
                                "traces.broken",
                                "function_profiles.not_calibrated",
                                "facts.value",
                                "facts.key",
                                "environment_unknown.clause",
                                "counters.name",
                                "counters_unknown.clause",
                                "cpu_samples.skipped",
                                "budgets.failure",
                                "job_figures.figure",
                                "run_figures.name",
                                "run_figures.unit"};
// Nothing of them may be found.
constexpr std::array kParts{"heron",  "ibis",   "wombat", "quokka", "198.51", "2001:db8", "dingo",  "echidna",
                            "lynx",   "possum", "tapir",  "koala",  "ocelot", "puffin",   "numbat", "caracal",
                            "serval", "margay", "zebra",  "bilby",  "02:42",  "emu",      "condor"};

std::string sentence() {
  return "zebra-host reads /srv/bilby/secret.yaml of heron-scenario (wombat-label): numbat0@dingo-ns, "
         "dingo-other, "
         "198.51.100.77:5201 to quokka.example.org [2001:db8::77:1], 02:42:ac:77:88:99, echidna-side, "
         "serval-file.json";
}

std::string document() {
  return fmt::format(
      R"({{"start":{{"system_info":"Linux zebra-host 6.12","connecting_to":{{"host":"quokka.example.org"}},)"
      R"("cookie":"zebra-cookie","tests":["{0}"]}},"end":{{"bytes":12345678901234567,"title":"{0} emu"}}}})",
      sentence());
}

std::string job() {
  return "name: heron-scenario\ndescription: ibis-description\nworkload:\n  iperf3:\n    server: "
         "quokka.example.org\n"
         "    duration: 10s\n    netns: dingo-ns\ndesign:\n  a:\n    name: echidna-side\n    apply:\n"
         "      - [\"/srv/bilby/secret.yaml\", numbat0]\n      - emu --run\n    machine:\n"
         "      mtu.numbat0@dingo-ns: 9000\n      module.emu: /srv/bilby/emu.ko\n\n      ring:\n        rx:\n"
         "          emu: 64\n  # emu\n";
}

std::optional<StoredValue> planted(const std::string& column, const StoredValue& value) {
  if (const auto* bytes = std::get_if<StoredBytes>(&value)) {
    if (column == "documents.content") return StoredBytes{document()};
    SampleProfile profile;
    must(decode_stacks(bytes->bytes, profile));
    if (!profile.frames.empty()) profile.frames[0].name = "emu";
    return StoredBytes{must(encode_stacks(profile))};
  }
  if (!std::holds_alternative<std::string>(value)) return std::nullopt;
  if (column == "jobs.text") return job();
  const auto found = std::ranges::find(kNames, column, &Planted::column);
  if (found != kNames.end()) return std::string{found->name};
  if (std::ranges::find(kSentences, column) == kSentences.end()) return std::nullopt;
  return "numbat0@dingo-ns " + std::get<std::string>(value) + " " + sentence();
}

StoredTables with_names(StoredTables content) {
  for (StoredTable& table : content.tables) {
    const StoredTable was = std::exchange(table, {table.name, table.columns, {}});
    StoredRows rows{was};
    std::vector<StoredValue> row;
    while (rows.next(row)) {
      // netperfd's own marks are words that stay.
      const bool stays = was.name == "trace_marks" && row.back() == StoredValue{std::int64_t{0}};
      for (std::size_t i = 0; i < row.size(); ++i)
        table.add(stays ? row[i] : planted(was.name + "." + was.columns[i], row[i]).value_or(row[i]));
    }
  }
  return content;
}

// What is around a part of a name; empty if it is nowhere.
std::string around(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  constexpr std::size_t kSide = 60;
  return at == std::string::npos ? "" : text.substr(at - std::min(at, kSide), 2 * kSide);
}

TEST_F(BundleTest, has_none_of_the_names_that_were_planted) {
  const StoredTables before = with_names(whole().content);
  const StoredTables after = must(redacted(before, "zebra-host"));
  const auto tar_of = [](const StoredTables& content) {
    return unpacked(must(write({.origin = kOrigin, .content = content}, "")));
  };
  const std::string tar = tar_of(after);
  for (const char* part : kParts) {
    EXPECT_NE(around(tar_of(before), part), "") << part;
    EXPECT_EQ(around(tar, part), "");
  }
  EXPECT_THAT(tar, HasSubstr("12345678901234567"));
  EXPECT_TRUE(read_text(tar));
}

TEST_F(BundleTest, keeps_the_words_of_a_figure_whatever_else_has_their_name) {
  StoredTables content = whole().content;
  for (StoredTable& table : content.tables) {
    const StoredTable was = std::exchange(table, {table.name, table.columns, {}});
    StoredRows rows{was};
    std::vector<StoredValue> row;
    while (rows.next(row)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string column = was.name + "." + was.columns[i];
        if (column == "jobs.name") row[i] = std::string{"latency"};
        if (column == "jobs.label") row[i] = std::string{"received"};
        if (column == "job_figures.figure") row[i] = std::string{"latency.x.load.p99"};
        table.add(row[i]);
      }
    }
  }
  std::set<std::string> figures;
  for (const StoredTable& table : must(redacted(content, "zebra-host")).tables) {
    if (table.name != "job_figures") continue;
    StoredRows rows{table};
    std::vector<StoredValue> row;
    const auto column = std::ranges::find(table.columns, "figure") - table.columns.begin();
    while (rows.next(row)) figures.insert(std::get<std::string>(row.at(static_cast<std::size_t>(column))));
  }
  EXPECT_THAT(figures, testing::ElementsAre(testing::MatchesRegex("latency\\.probe-[0-9]+\\.load\\.p99")));
}

TEST(RedactedPoint, keeps_keys_numbers_and_words_of_the_scenario_language) {
  Names names;
  EXPECT_EQ(redacted_point("streams=4, length=64K, congestion=bbr", names),
            "streams=4, length=64K, congestion=bbr");
  EXPECT_EQ(redacted_point("streams=4, mode=heron, mtu.numbat0=9000", names),
            "streams=4, mode=text-1, setting-1");
  EXPECT_EQ(redacted_point("mode=heron", names), "mode=text-1");
  EXPECT_EQ(redacted_point("mode=ibis", names), "mode=text-2");
  EXPECT_EQ(redacted_point("lynx", names), "setting-2");
  EXPECT_EQ(redacted_point("", names), "");
}

TEST_F(BundleTest, replaces_the_device_and_the_namespace_in_the_figure_of_a_counter) {
  StoredTables content = whole().content;
  for (StoredTable& table : content.tables) {
    const StoredTable was = std::exchange(table, {table.name, table.columns, {}});
    StoredRows rows{was};
    std::vector<StoredValue> row;
    while (rows.next(row)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string column = was.name + "." + was.columns[i];
        if (column == "jobs.name") row[i] = std::string{"counter"};
        if (column == "jobs.label") row[i] = std::string{"rx_packets"};
        if (column == "counters.source") row[i] = std::string{"nic"};
        if (column == "counters.netns") row[i] = std::string{"zebra-net"};
        if (column == "counters.name") row[i] = std::string{"zebra-port rx_packets"};
        if (column == "job_figures.figure") row[i] = std::string{"counter.zebra-port@zebra-net.rx_packets"};
        table.add(row[i]);
      }
    }
  }
  std::set<std::string> figures;
  for (const StoredTable& table : must(redacted(content, "zebra-host")).tables) {
    if (table.name != "job_figures") continue;
    StoredRows rows{table};
    std::vector<StoredValue> row;
    const auto column = std::ranges::find(table.columns, "figure") - table.columns.begin();
    while (rows.next(row)) figures.insert(std::get<std::string>(row.at(static_cast<std::size_t>(column))));
  }
  EXPECT_THAT(figures, testing::ElementsAre(
                           testing::MatchesRegex("counter\\.device-[0-9]+@netns-[0-9]+\\.rx_packets")));
}

// Every text of the schema is planted, or is of a vocabulary that this list decides to keep.
TEST_F(BundleTest, has_a_plan_for_every_text) {
  const std::set<std::string> kept{"jobs.workload",
                                   "jobs.protocol",
                                   "jobs.direction",
                                   "jobs.purpose",
                                   "jobs.seed",
                                   "jobs.changed",
                                   "jobs.text",
                                   "runs.state",
                                   "runs.iperf3_version",
                                   "runs.congestion",
                                   "runs.variant",
                                   "sums.direction",
                                   "streams.direction",
                                   "intervals.direction",
                                   "flags.code",
                                   "documents.name",
                                   "traces.clock",
                                   "trace_missing_functions.name",
                                   "trace_events.name",
                                   "trace_samples.event",
                                   "trace_sample_fields.name",
                                   "trace_stacks.event",
                                   "trace_stacks.frames",
                                   "trace_drops.reason",
                                   "trace_drops.location",
                                   "traffic.direction",
                                   "functions.name",
                                   "functions.module",
                                   "functions.histogram",
                                   "functions.slice_hits",
                                   "functions.slice_self_ns",
                                   "builds.module",
                                   "builds.release",
                                   "builds.build_id",
                                   "builds.srcversion",
                                   "facts.fact_group",
                                   "counters.source",
                                   "counters.unit",
                                   "queue_samples.kind",
                                   "run_figures.better",
                                   "queue_samples.handle",
                                   "queue_samples.parent",
                                   "boots.side",
                                   "boots.kernel",
                                   "cpu_samples.event",
                                   "budget_functions.function",
                                   "latency_probes.protocol",
                                   "latency_probes.timestamps",
                                   "latency_phases.phase",
                                   "latency_spans.phase",
                                   "latency_spans.span",
                                   "latency_spans.histogram",
                                   "latency_intervals.phase"};
  for (const StoredTable& table : whole().content.tables) {
    StoredRows rows{table};
    std::vector<StoredValue> row;
    while (rows.next(row)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string column = table.name + "." + table.columns[i];
        if (!std::holds_alternative<std::string>(row[i]) || kept.contains(column)) continue;
        EXPECT_TRUE(planted(column, row[i])) << column;
      }
    }
  }
}

// Else a later column could show what nobody decided about.
TEST_F(BundleTest, replaces_every_text_of_an_unknown_column) {
  StoredTables content{.schema = 1, .tables = {{"new_table", {"run", "words"}, {}}}};
  content.tables[0].add(std::int64_t{1});
  content.tables[0].add(std::string{"who knows"});
  StoredTable expected{"new_table", {"run", "words"}, {}};
  expected.add(std::int64_t{1});
  expected.add(std::string{"text-1"});
  EXPECT_EQ(must(redacted(content, "host")).tables.front(), expected);
}

TEST_F(BundleTest, keeps_all_figures_and_what_belongs_together) {
  const Bundle before = whole();
  Bundle after{.origin = kOrigin, .content = must(redacted(before.content, "lab7"))};
  const Bundle read = must(read_file(must(write(after, ""))));
  auto other = must(store::SqliteStore::open((folder / "other.db").string(), 0));
  must(other->add_bundle(read.content, 1, "", store::kMorning));
  EXPECT_EQ(must(other->run(1)).sums, must(store->run(1)).sums);
  EXPECT_EQ(must(other->counters(1)).tcp, must(store->counters(1)).tcp);
  auto queues = must(store->counters(1)).queues;
  ASSERT_EQ(queues.size(), 1U);
  const auto redacted_queues = must(other->counters(1)).queues;
  ASSERT_EQ(redacted_queues.size(), 1U);
  EXPECT_TRUE(redacted_queues[0].device.starts_with("device-")) << redacted_queues[0].device;
  EXPECT_TRUE(redacted_queues[0].netns.starts_with("netns-")) << redacted_queues[0].netns;
  queues[0].device = redacted_queues[0].device;
  queues[0].netns = redacted_queues[0].netns;
  EXPECT_EQ(redacted_queues, queues);
  EXPECT_EQ(must(other->samples(store::kFirstOfDesign)).nodes,
            must(store->samples(store::kFirstOfDesign)).nodes);
  const auto row = must(other->run(1));
  EXPECT_EQ(row.spec.label, "label-1");
  EXPECT_EQ(must(other->run(store::kFirstOfDesign)).spec.design->a->name, "side-1");
  EXPECT_EQ(must(other->run(store::kFirstOfDesign)).spec.design->b->name, "side-2");
}

TEST(Names, are_replaced_as_words) {
  Names names;
  EXPECT_EQ(names.replace("device", "eth0"), "device-1");
  EXPECT_EQ(names.replace("device", "eth0"), "device-1");
  EXPECT_EQ(names.replace("netns", "left"), "netns-1");
  EXPECT_EQ(names.replace("netns", ""), "");
  EXPECT_EQ(names.replace_all("eth0@left, veth0 leftover eth0.5"),
            "device-1@netns-1, veth0 leftover device-1.5");
  EXPECT_EQ(names.replace_all("10.0.0.1:5201 to fe80::1%eth0, 10.0.0.1; 1.2.3 at 12:30:45"),
            "address-1:5201 to address-2%device-1, address-1; 1.2.3 at 12:30:45");
  EXPECT_EQ(names.replace_all("aa:bb:cc:dd:ee:ff"), "address-3");
  EXPECT_EQ(names.replace_all("read /etc/x.yaml: 5 bits/s"), "read path-1: 5 bits/s");
}

TEST(Redacted, has_no_name_of_a_file_of_a_scenario) {
  StoredTable table{.name = "documents", .columns = {"run", "name"}, .values = {}};
  for (const char* name : {"client.stdout", "file.heron.json"}) {
    table.add(std::int64_t{1});
    table.add(std::string{name});
  }
  const StoredTable after = must(redacted({.tables = {table}}, "host")).tables.front();
  StoredRows rows{after};
  std::vector<StoredValue> row;
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row[1], StoredValue{std::string{"client.stdout"}});
  ASSERT_TRUE(rows.next(row));
  EXPECT_EQ(row[1], StoredValue{std::string{"file.file-1"}});
}

TEST(RedactedJob, keeps_numbers_and_the_words_of_the_language) {
  Names names;
  EXPECT_EQ(
      redacted_job("name: secret\nworkload:\n  iperf3:\n    protocol: tcp\n    duration: 10s\n    server: h\n"
                   "    local:\n      netns: \"ring-b\"\ndesign:\n  a:\n    apply:\n      - ip link\n",
                   names),
      "name: text-1\nworkload:\n  iperf3:\n    protocol: tcp\n    duration: 10s\n    server: address-1\n"
      "    local:\n      netns: netns-1\ndesign:\n  a:\n    apply:\n      - text-2\n");
}

TEST(RedactedDocument, keeps_numbers) {
  Names names;
  EXPECT_EQ(redacted_document(R"({"start":{"version":"iperf 3.12","host":"h1"},"end":{"bytes":1.5}})", names),
            R"({"start":{"version":"iperf 3.12","host":"address-1"},"end":{"bytes":1.5}})"
            "\n");
  EXPECT_EQ(
      redacted_document("{\"event\":\"start\",\"data\":\"x\"}\n{\"event\":\"end\",\"data\":1}\n", names),
      "{\"event\":\"start\",\"data\":\"text-1\"}\n{\"event\":\"end\",\"data\":1}\n");
  EXPECT_EQ(redacted_document("iperf3: error at h1", names), "");
  EXPECT_EQ(redacted_document(R"({"hosts":{"db7":{"rate":1}}})", names), "") << "of another program";
  EXPECT_EQ(redacted_document("{\"event\":\"start\",\"data\":1}\n{\"db7\":1}\n", names), "");
  EXPECT_EQ(redacted_document(R"({"data":{"db7":1}})", names), "");
  EXPECT_EQ(redacted_document(R"([{"db7":1}])", names), "");
}

}  // namespace
}  // namespace netperfd::bundle
