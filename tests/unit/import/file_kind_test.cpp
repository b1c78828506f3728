// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/file_kind.hpp"

#include <gmock/gmock.h>

#include <string>
#include <string_view>

namespace netperfd::import {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

FileKind kind_of(std::string_view text) {
  const auto kind = recognize(bytes_of(text));
  if (!kind) throw std::runtime_error(kind.error().message);
  return *kind;
}

std::string error_of(std::string_view text) {
  const auto kind = recognize(bytes_of(text));
  if (kind) return "recognized";
  EXPECT_EQ(kind.error().kind, ErrorKind::invalid_argument);
  return kind.error().message;
}

TEST(FileKind, is_told_by_the_content) {
  EXPECT_EQ(kind_of(std::string_view("\x17\x08\x44tracing6\0", 12)), FileKind::trace_dat);
  EXPECT_EQ(kind_of("{\n\t\"start\":\t{}, \"intervals\": [], \"end\": {}}"), FileKind::iperf3);
  EXPECT_EQ(kind_of("{\"event\":\"start\",\"data\":{}}\n"), FileKind::iperf3);
  EXPECT_EQ(kind_of("Control connection MSS 1448\n{\n\"start\": {}}"), FileKind::iperf3) << "as with -V";
  EXPECT_EQ(kind_of("{\"title\": \"lab (b);\", \"start\": {\"connecting_to\": {}}}"), FileKind::iperf3);
  EXPECT_EQ(kind_of("# tracer: function_graph\n#\n"), FileKind::graph_text);
  EXPECT_EQ(kind_of(" 0)   1.000 us    |  ip_rcv();\n"), FileKind::graph_text);
  EXPECT_EQ(kind_of(" 0)               |  ip_rcv(skb=0x1) {\n"), FileKind::graph_text);
  EXPECT_EQ(kind_of("cpus=2\n a-1 [000] 1.0: funcgraph_entry: 1.0 us | ip_rcv();\n"), FileKind::graph_text);
}

TEST(FileKind, of_a_document_behind_any_amount_of_debug_output_is_iperf3s) {
  std::string debug;
  for (int i = 0; i < 5'000; ++i) debug += "sent 131072 bytes (of a lot); pending 0\n";
  EXPECT_EQ(kind_of(debug + "{\n\t\"start\":\t{}}"), FileKind::iperf3);
  EXPECT_EQ(kind_of(debug + "{\"event\":\"start\"}\n"), FileKind::iperf3);
  EXPECT_EQ(kind_of(debug + "{\n\"stop\": 1}\n"), FileKind::graph_text) << "as before: calls";
}

TEST(FileKind, of_what_iperf_prints_for_people_is_told_by_its_name) {
  EXPECT_THAT(error_of("Connecting to host a, port 5201\n[ ID] Interval           Transfer     Bitrate\n"),
              AllOf(HasSubstr("prints for people"), HasSubstr("-J or --json-stream")));
}

TEST(FileKind, of_anything_else_is_told_by_what_was_found_and_what_is_expected) {
  EXPECT_THAT(error_of("Dear diary\nno\n"),
              AllOf(HasSubstr("its first line is \"Dear diary\""), HasSubstr("a JSON document of iperf3"),
                    HasSubstr("trace.dat of trace-cmd")));
  EXPECT_THAT(error_of(std::string_view("\x7f"
                                        "ELF\0\1\2\3\4",
                                        9)),
              HasSubstr("it begins with the bytes 7f 45 4c 46 00 01 02 03;"));
  EXPECT_THAT(error_of("{\"name\": 1}"), HasSubstr("none of iperf3's keys"));
  EXPECT_THAT(error_of(" \n\n"), HasSubstr("there is nothing in it"));
  EXPECT_THAT(error_of(std::string(1U << 20U, 'x')).size(), testing::Lt(500U));
  EXPECT_EQ(error_of("a\x1b[2J\n").find('\x1b'), std::string::npos);
}

TEST(FileKind, decides_who_reads_the_file) {
  FileReaders readers;
  readers.trace_dat = [](auto) {
    ImportedFile imported;
    imported.trace.emplace().clock = "local";
    return imported;
  };
  readers.iperf3 = [](auto) -> Result<ImportedFile> { return fail(ErrorKind::invalid_argument, "iperf3"); };
  readers.graph_text = [](auto) -> Result<ImportedFile> { return fail(ErrorKind::invalid_argument, "text"); };
  const auto dat = read_by_kind(bytes_of("\x17\x08\x44tracing6"), readers);
  ASSERT_TRUE(dat);
  EXPECT_EQ(dat->trace->clock, "local");
  EXPECT_EQ(read_by_kind(bytes_of("{\"start\": 1}"), readers).error().message, "iperf3");
  EXPECT_EQ(read_by_kind(bytes_of("# tracer: function_graph"), readers).error().message, "text");
  EXPECT_THAT(read_by_kind(bytes_of("nothing"), readers).error().message, HasSubstr("its first line"));
}

}  // namespace
}  // namespace netperfd::import
