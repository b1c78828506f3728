// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/file_kind.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <span>
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
  EXPECT_EQ(
      kind_of(R"({"metadata": {"NAME": "x"}, "raw_values": {"start": []}, "results": {}, "x_values": []})"),
      FileKind::flent);
  EXPECT_EQ(kind_of(R"({"metadata": {"x": 1}, "start": {"connecting_to": {}}})"), FileKind::iperf3);
  EXPECT_EQ(kind_of("# tracer: function_graph\n#\n"), FileKind::graph_text);
  EXPECT_EQ(kind_of(" 0)   1.000 us    |  ip_rcv();\n"), FileKind::graph_text);
  EXPECT_EQ(kind_of(" 0)               |  ip_rcv(skb=0x1) {\n"), FileKind::graph_text);
  EXPECT_EQ(kind_of("cpus=2\n a-1 [000] 1.0: funcgraph_entry: 1.0 us | ip_rcv();\n"), FileKind::graph_text);
}

TEST(FileKind, of_a_table_is_told_by_the_names_of_its_columns) {
  EXPECT_EQ(kind_of("figure,side,value\n"), FileKind::table);
  EXPECT_EQ(kind_of("\r\n,,\r\nunit, value ,\"side\",better,figure\r\nx,1,a,higher,x();\r\n"),
            FileKind::table)
      << "in any order";
  EXPECT_EQ(kind_of("figure,side,value,THROUGHPUT\nsockperf: x"), FileKind::table);
  EXPECT_THAT(error_of("figure,side,values\n"), HasSubstr("none of the files"));
  EXPECT_THAT(error_of("x\nfigure,side,value\n"),
              HasSubstr("a table with the columns figure, side and value"));
}

TEST(FileKind, of_events_alone_is_a_text_of_a_trace) {
  const std::string event = "          iperf3-312   [001]    11.275768: napi_poll:    work 3 budget 64\n";
  EXPECT_EQ(kind_of("cpus=2\n" + event), FileKind::graph_text);
  EXPECT_EQ(kind_of("root@dut:~# trace-cmd report\ncpus=2\n" + event), FileKind::graph_text);
  EXPECT_EQ(kind_of("a.dat: cpus=2\nb.dat: cpus=2\na.dat: " + event), FileKind::graph_text);
  EXPECT_EQ(kind_of(event), FileKind::graph_text) << "as trace_pipe has them";
  EXPECT_EQ(kind_of(" iperf3-312     [001] ..s1.    11.275768: napi_poll: work 3\n"), FileKind::graph_text);
  EXPECT_THAT(error_of("[    1.234567] usb 1-1: a line of dmesg\n"), HasSubstr("looks like JSON"));
  EXPECT_THAT(error_of("see [1] and [2] 3.4: not so\n"), HasSubstr("none of the files"));
}

TEST(FileKind, of_a_document_behind_any_amount_of_debug_output_is_iperf3s) {
  std::string debug;
  for (int i = 0; i < 5'000; ++i) debug += "sent 131072 bytes (of a lot); pending 0\n";
  EXPECT_EQ(kind_of(debug + "{\n\t\"start\":\t{}}"), FileKind::iperf3);
  EXPECT_EQ(kind_of(debug + "{\"event\":\"start\"}\n"), FileKind::iperf3);
  EXPECT_EQ(kind_of(debug + "{\n\"stop\": 1}\n"), FileKind::graph_text) << "as before: calls";
}

TEST(FileKind, of_what_iperf3_prints_for_people_is_told_by_a_head_or_a_row_anywhere) {
  const std::string row = "[  5]   0.00-1.00   sec  1.17 GBytes  10.1 Gbits/sec    1   3.90 MBytes       \n";
  EXPECT_EQ(kind_of("Connecting to host a, port 5201\n[ ID] Interval           Transfer     Bitrate\n"),
            FileKind::iperf3_text);
  EXPECT_EQ(kind_of(row), FileKind::iperf3_text);
  EXPECT_EQ(kind_of("10:00:00 lab (b); " + row), FileKind::iperf3_text) << "a title that looks like a call";
  EXPECT_EQ(kind_of("{\"stdout\": \"" + row.substr(0, row.size() - 1) + "\\n\"}"), FileKind::iperf3_text);
  EXPECT_EQ(kind_of("[SUM][TX-C]   0.00-1.00   sec  1 GBytes  557953 KBytes/sec\n"), FileKind::iperf3_text);
  EXPECT_EQ(kind_of(row + "# tracer: function_graph\n"), FileKind::graph_text) << "text before a trace";
  EXPECT_EQ(kind_of(row + "{\n\"start\": {}}"), FileKind::iperf3) << "the document is exact";
  EXPECT_THAT(error_of("it took 3 sec in all, at 1 Gbits/sec\n"), HasSubstr("none of the files"));
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
  readers.iperf3_text = [](auto) -> Result<ImportedFile> {
    return fail(ErrorKind::invalid_argument, "rows");
  };
  const auto dat = read_by_kind(bytes_of("\x17\x08\x44tracing6"), readers);
  ASSERT_TRUE(dat);
  EXPECT_EQ(dat->trace->clock, "local");
  EXPECT_EQ(read_by_kind(bytes_of("{\"start\": 1}"), readers).error().message, "iperf3");
  EXPECT_EQ(read_by_kind(bytes_of("# tracer: function_graph"), readers).error().message, "text");
  EXPECT_EQ(read_by_kind(bytes_of("[ ID] Interval "), readers).error().message, "rows");
  EXPECT_THAT(read_by_kind(bytes_of("nothing"), readers).error().message, HasSubstr("its first line"));
}

TEST(FileKind, of_a_quoted_mail_is_named_as_one_if_its_reader_refuses_it) {
  const std::string trace =
      "> # tracer: function_graph\n> #\n> # CPU  DURATION                  FUNCTION CALLS\n"
      ">  0)               |  ip_rcv() {\n>  0)   1.000 us    |    ip_rcv_core();\n>  0)   3.000 us    |  "
      "}\n";
  const std::string table = ">> figure,side,value\n>> received,a,1\n";
  FileReaders readers;
  readers.graph_text = [](std::span<const std::byte> file) -> Result<ImportedFile> {
    if (std::ranges::find(file, std::byte{'>'}) == file.end()) return ImportedFile{};
    return fail(ErrorKind::invalid_argument, "text");
  };
  readers.table = [](auto) -> Result<ImportedFile> { return fail(ErrorKind::invalid_argument, "table"); };
  readers.iperf3_text = [](auto) -> Result<ImportedFile> {
    return fail(ErrorKind::invalid_argument, "rows");
  };
  const auto refusal = [&](const std::string& text) {
    const auto file = read_by_kind(bytes_of(text), readers);
    return file ? std::string("imported") : file.error().message;
  };
  EXPECT_EQ(
      refusal(trace),
      "line 1 and most others begin with \">\", as in a quoted mail: take that off each line and import it "
      "again; as it is, text");
  EXPECT_THAT(refusal("On Monday, Ann wrote:\n\n" + trace), HasSubstr("line 3 and most others"));
  EXPECT_THAT(refusal(table), AllOf(HasSubstr("quoted mail"), HasSubstr("none of the files")));
  EXPECT_EQ(refusal("# tracer: function_graph\n> a\nb\nc\n"), "text") << "most lines are not quoted";
  EXPECT_EQ(refusal("> [ ID] Interval \n> [  5] \n"), "rows") << "it would be refused all the same";
  readers.graph_text = [](auto) { return ImportedFile{}; };
  EXPECT_EQ(refusal(trace), "imported") << "whoever can read it may";
}

}  // namespace
}  // namespace netperfd::import
