// SPDX-License-Identifier: GPL-2.0-or-later
// Stored figures that no longer are what their document says: they are named, and nothing else is touched.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "daemon/store/compression.hpp"
#include "tests/unit/reread/reread_fixture.hpp"
#include "tests/unit/workload/iperf3_cases.hpp"

namespace netperfd::import::test {
namespace {

using store::ask;
using store::must;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;
using workload::test::both;
using workload::test::streams;
using workload::test::tcp;
using workload::test::udp;

std::string file_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string gzipped(const std::filesystem::path& folder, const std::string& bytes) {
  const std::string path = folder / "packed.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
  gzclose(file);
  return file_bytes(path);
}

std::string in_utf16(const std::string& ascii) {
  std::string wide = "\xff\xfe";
  for (const char c : ascii) wide.append({c, '\0'});
  return wide;
}

class RereadingTest : public RereadTest {
 protected:
  using RereadTest::RereadTest;
  RunId live_tcp(RunState state = RunState::finished, const std::string& error = "",
                 const std::vector<QualityFlag>& more = {}) {
    return live(tcp(), data("iperf3/3.12/tcp-send.out"), "", state, error, more);
  }
  [[nodiscard]] std::string at(RunId run, const std::string& sql) const {
    return ask(path(), fmt::format("{} WHERE run = {}", sql, run));
  }
  // Looks, which must name exactly `lines` and leave the file as it is; then applies this, which must bring
  // back `before`.
  void expect_repair(const std::string& before, const std::vector<std::string>& lines) {
    const std::string altered = everything();
    ASSERT_NE(altered, before);
    const std::string bytes = file_bytes(path());
    const Outcome outcome = look();
    EXPECT_THAT(outcome.lines, testing::UnorderedElementsAreArray(lines));
    EXPECT_EQ(file_bytes(path()), bytes);
    EXPECT_EQ(everything(), altered);
    EXPECT_THAT(apply().lines, testing::UnorderedElementsAreArray(lines));
    EXPECT_EQ(everything(), before);
    EXPECT_THAT(look().lines, IsEmpty());
    EXPECT_EQ(look().counts.changed, 0U);
  }
};

TEST_F(RereadingTest, names_and_repairs_a_wrong_sum_of_a_live_run) {
  const RunId run = live_tcp();
  const std::string before = everything();
  const std::string right = at(run, "SELECT received_bytes FROM sums");
  alter("UPDATE sums SET received_bytes = 12345, retransmits = NULL");
  const std::string retransmits = ask(path(), "SELECT 1 FROM sums WHERE retransmits IS NULL");
  ASSERT_EQ(retransmits, "1");
  const auto lines = look().lines;
  ASSERT_EQ(lines.size(), 2U);
  expect_repair(before, {fmt::format("run {}: sum send received_bytes: 12345 -> {}", run, right), lines[1]});
  EXPECT_THAT(lines[1], StartsWith(fmt::format("run {}: sum send retransmits: unknown -> ", run)));
}

TEST_F(RereadingTest, names_and_repairs_a_missing_stream_and_one_too_many) {
  const RunId run = live(streams(tcp(), 4), data("iperf3/3.12/tcp-send-4.out"), "");
  const std::string before = everything();
  const std::string gone = at(run, "SELECT stream FROM streams");
  alter(
      "INSERT INTO streams (run, position, direction, stream) VALUES (1, 9, 'receive', 77);"
      "DELETE FROM streams WHERE position = 0");
  expect_repair(before, {fmt::format("run 1: stream {} send: none -> a row", gone),
                         "run 1: stream 77 receive: a row -> none"});
}

TEST_F(RereadingTest, names_and_repairs_an_interval_of_a_udp_run_both_ways) {
  (void)live(both(udp()), data("iperf3/3.18/udp-both.out"), "");
  const std::string before = everything();
  const std::string packets = ask(path(),
                                  "SELECT packets FROM intervals WHERE direction = 'receive' AND stream IS "
                                  "NULL AND start_s = 0 AND NOT omitted");
  ASSERT_NE(packets, "");
  alter(
      "UPDATE intervals SET packets = 1 WHERE direction = 'receive' AND stream IS NULL AND start_s = 0 AND "
      "NOT omitted");
  expect_repair(before, {fmt::format("run 1: interval receive sum from 0 s: packets: 1 -> {}", packets)});
}

TEST_F(RereadingTest, names_and_repairs_rows_in_another_order) {
  (void)live(streams(tcp(), 4), data("iperf3/3.12/tcp-send-4.out"), "");
  const std::string before = everything();
  alter(
      "UPDATE streams SET position = 100 + (CASE position WHEN 0 THEN 1 WHEN 1 THEN 0 ELSE position END);"
      "UPDATE streams SET position = position - 100");
  expect_repair(before, {"run 1: streams order: another -> iperf3's"});
}

TEST_F(RereadingTest, repairs_flags_of_the_document_and_leaves_those_of_other_origin_in_their_place) {
  (void)live_tcp(RunState::finished, "", {{"other-load", "a neighbour"}, {"server-waited", "a while"}});
  (void)import({data("iperf3/of-server/3.18/tcp-send.out")});
  const std::string before = everything();
  const std::string message = ask(path(), "SELECT message FROM flags WHERE code = 'server-document'");
  ASSERT_NE(message, "");
  alter(
      "INSERT INTO flags VALUES (1, 7, 'sums-disagree', 'stale');"
      "UPDATE flags SET message = 'older words' WHERE code = 'server-document'");
  expect_repair(before, {"run 1: flag sums-disagree: stale -> none",
                         "run 2: flag server-document: older words -> " + message});
}

TEST_F(RereadingTest, repairs_what_an_import_has_from_its_document_beside_the_figures) {
  ASSERT_TRUE(import({data("iperf3/3.12/udp-send.out")}));
  const std::string before = everything();
  const std::string started = ask(path(), "SELECT started_us FROM runs");
  alter(
      "UPDATE jobs SET protocol = 'tcp', server = 'nowhere'; UPDATE runs SET started_us = 5, mss = 9;"
      "UPDATE traffic SET goodput_bytes = 3; UPDATE facts SET value = 'tcp' WHERE key = 'protocol'");
  const auto lines = look().lines;
  EXPECT_THAT(lines, Contains("run 1: asked protocol: tcp -> udp"));
  EXPECT_THAT(lines, Contains(StartsWith("run 1: asked server: nowhere -> ")));
  EXPECT_THAT(lines, Contains(fmt::format("run 1: started: 5 us -> {} us", started)));
  EXPECT_THAT(lines, Contains("run 1: mss_bytes: 9 -> unknown"));
  EXPECT_THAT(lines, Contains(StartsWith("run 1: goodput_bytes: 3 -> ")));
  EXPECT_THAT(lines, Contains("run 1: fact iperf3 protocol: tcp -> udp"));
  EXPECT_EQ(lines.size(), 6U);
  expect_repair(before, lines);
}

TEST_F(RereadingTest, keeps_the_state_and_error_of_a_run_that_failed) {
  const std::string error = "stopped before its end; the local server says: something";
  const RunId run = live(tcp(), data("iperf3/3.12/client-sigterm.out"),
                         data("iperf3/3.12/client-sigterm.err"), RunState::failed, error);
  const std::string before = everything();
  ASSERT_NE(at(run, "SELECT count(*) FROM intervals"), "0");
  alter("DELETE FROM intervals WHERE run = 1");
  const auto lines = look().lines;
  EXPECT_THAT(lines, testing::Each(testing::EndsWith("none -> a row")));
  expect_repair(before, lines);
  EXPECT_EQ(ask(path(), "SELECT state || ': ' || error FROM runs"), "failed: " + error);
}

TEST_F(RereadingTest, counts_a_run_without_a_document_and_leaves_it) {
  open();
  (void)store_job(store::a_watching_job());
  const RunId run = live_tcp(RunState::interrupted, "netperfd ended while this run was running.");
  alter(fmt::format("DELETE FROM documents WHERE run = {}; UPDATE sums SET retransmits = 7", run));
  const Outcome outcome = look();
  EXPECT_THAT(outcome.lines, IsEmpty());
  EXPECT_EQ(outcome.counts.without, 2U);
  EXPECT_EQ(outcome.counts.read, 0U);
}

TEST_F(RereadingTest, tells_why_a_damaged_document_cannot_be_read_and_goes_on) {
  const RunId first = live_tcp();
  const RunId damaged = live_tcp();
  const RunId last = live_tcp();
  alter(
      fmt::format("UPDATE documents SET content = x'0011' WHERE run = {}; UPDATE sums SET retransmits = "
                  "777; UPDATE flags SET message = 'x' WHERE run = {}",
                  damaged, damaged));
  const std::string kept = at(damaged, "SELECT * FROM sums");
  const Outcome outcome = apply();
  EXPECT_EQ(outcome.counts.unreadable, 1U);
  EXPECT_EQ(outcome.counts.read, 2U);
  EXPECT_EQ(outcome.counts.changed, 2U);
  EXPECT_THAT(outcome.lines,
              ElementsAre(StartsWith(fmt::format("run {}: sum send retransmits: 777 -> ", last)),
                          testing::AllOf(StartsWith(fmt::format("run {}: cannot be read: ", damaged)),
                                         HasSubstr("document client.stdout")),
                          StartsWith(fmt::format("run {}: sum send retransmits: 777 -> ", first))));
  EXPECT_EQ(at(damaged, "SELECT retransmits FROM sums"), "777");
}

TEST_F(RereadingTest, keeps_a_measurement_whose_document_is_none_now) {
  const RunId run = live(tcp(), data("iperf3/3.12/refused.out"), "");
  const Outcome outcome = look();
  EXPECT_THAT(outcome.lines,
              ElementsAre(StartsWith(fmt::format(
                  "run {}: cannot be read: it is stored as a measurement, and read as none: ", run))));
}

TEST_F(RereadingTest, keeps_a_run_whose_job_can_no_longer_be_read) {
  const RunId run = live_tcp();
  alter("UPDATE jobs SET text = 'name: test\nsurprise: 1\n'");
  EXPECT_THAT(look().lines, ElementsAre(StartsWith(fmt::format(
                                "run {}: cannot be read: its job's text can no longer be read: ", run))));
}

TEST_F(RereadingTest, of_a_document_with_a_trace_repairs_the_document_alone) {
  for (const bool trace_first : {false, true}) {
    std::vector<std::string> files{data("iperf3/3.12/tcp-send.out"),
                                   data("trace-functions/6.12/module/trace.txt")};
    if (trace_first) std::swap(files[0], files[1]);
    ASSERT_TRUE(import(files));
  }
  ASSERT_TRUE(import({data("trace-functions/6.12/module/trace.txt")}));
  const std::string before = everything();
  alter("UPDATE sums SET retransmits = 777");
  const Outcome outcome = look();
  EXPECT_EQ(outcome.counts.without, 1U) << "a trace alone";
  EXPECT_EQ(outcome.lines.size(), 2U);
  expect_repair(before, outcome.lines);
  alter("UPDATE functions SET hits = hits + 1");
  EXPECT_THAT(look().lines, IsEmpty()) << "a trace is not read again";
}

TEST_F(RereadingTest, leaves_an_entry_in_the_audit_trail_for_each_run_that_changed) {
  const RunId changed = live_tcp();
  (void)live_tcp();
  alter(fmt::format("UPDATE sums SET retransmits = 777 WHERE run = {}", changed));
  (void)look();
  EXPECT_EQ(ask(path(), "SELECT count(*) FROM audit"), "0");
  (void)apply();
  EXPECT_EQ(ask(path(), "SELECT group_concat(action || ' ' || run) FROM audit"),
            fmt::format("reread {}", changed));
}

TEST_F(RereadingTest, reads_beside_the_owner_of_the_database) {
  (void)live_tcp();
  const auto opened = must(store::SqliteStore::open_to_look(path()));
  EXPECT_EQ(must(opened->run(1)).state, RunState::finished) << "its last write is in the log";
  EXPECT_FALSE(opened->replace_reading(1, {}, {}));
  EXPECT_TRUE(store->set_note(1, "the owner writes"));
}

// By the processes without privileges, as the program does it.
class ConfinedRereading : public RereadingTest {
 protected:
  ConfinedRereading() : RereadingTest(Readers::confined) {}
};

TEST_F(ConfinedRereading, repairs_packed_and_encoded_imports_and_live_runs) {
  const std::string document = data("iperf3/3.18/tcp-send.out");
  ASSERT_TRUE(import({gzipped(folder, document)}));
  ASSERT_TRUE(import({must(store::compress(document, 3))}));
  ASSERT_TRUE(import({in_utf16(document)}));
  ASSERT_TRUE(import({data("iperf3/of-server/3.22/udp-receive.out")}));
  (void)live(both(tcp()), data("iperf3/3.12/tcp-both.out"), "");
  const std::string before = everything();
  alter("UPDATE sums SET seconds = 777");
  const Outcome outcome = look();
  EXPECT_EQ(outcome.lines.size(), 6U);
  EXPECT_EQ(apply().lines, outcome.lines);
  EXPECT_EQ(everything(), before);
}

TEST_F(ConfinedRereading, tells_what_the_reader_of_a_file_says) {
  ASSERT_TRUE(import({data("iperf3/3.18/tcp-send.out")}));
  const std::string frame = must(store::compress("{\"start\": ", 3));
  std::string hex;
  for (const char c : frame) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  alter(fmt::format("UPDATE documents SET size = 10, content = x'{}'", hex));
  EXPECT_THAT(look().lines, ElementsAre(StartsWith("run 1: cannot be read: ")));
}

}  // namespace
}  // namespace netperfd::import::test
