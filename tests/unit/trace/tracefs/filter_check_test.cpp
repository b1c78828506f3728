// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/filter_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace netperfd::trace {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFilteredFormat =
    "name: packet\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
    "\n"
    "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:unsigned long location;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:u64 data;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:u64 cookie;\toffset:32;\tsize:8;\tsigned:0;\n"
    "\tfield:u64 bytes;\toffset:40;\tsize:8;\tsigned:0;\n"
    "\tfield:s64 delta;\toffset:48;\tsize:8;\tsigned:1;\n"
    "\tfield:unsigned short protocol;\toffset:56;\tsize:2;\tsigned:0;\n"
    "\tfield:int err;\toffset:60;\tsize:4;\tsigned:1;\n"
    "\tfield:char comm_of[16];\toffset:64;\tsize:16;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:80;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc u8[] payload;\toffset:84;\tsize:4;\tsigned:0;\n"
    "\tfield:unsigned long args[6];\toffset:88;\tsize:48;\tsigned:0;\n"
    "\n"
    "print fmt: \"skbaddr=%p location=%pS data=%p cookie=%llx bytes=%llu delta=%lld protocol=0x%04x "
    "err=%d\", "
    "REC->skbaddr, (void *)REC->location, (void *)REC->data, REC->cookie, REC->bytes, REC->delta, "
    "REC->protocol, REC->err\n";

// Empty if the filter is accepted.
std::string refusal(const std::string& filter) {
  const auto format = parse_event_format(kFilteredFormat);
  if (!format) return format.error().message;
  const Status status = check_filter({.name = "net:packet", .filter = filter, .stacktrace = false}, *format);
  if (status) return "";
  EXPECT_EQ(status.error().kind, ErrorKind::invalid_argument) << filter;
  EXPECT_THAT(status.error().message, HasSubstr("net:packet: filter \"" + filter + "\" ")) << filter;
  return status.error().message;
}

TEST(FilterCheck, takes_what_a_job_has_reason_to_ask) {
  for (const char* filter :
       {"", "protocol == 8", "protocol==0x0800&&err!=-11", "!(err == 0) || (bytes > 1500 && delta < -1)",
        "comm_of ~ \"iperf*\"", "name == 'eth0'", "common_pid != 0", "CPU == 1", "cpu & CPUS{0-1}",
        "comm == \"iperf3\"", "err < -100000", "bytes < 0xffffffffff", "protocol & 4", "cookie == 0"}) {
    EXPECT_EQ(refusal(filter), "") << filter;
  }
}

TEST(FilterCheck, refuses_to_compare_addresses_with_anything_but_zero) {
  for (const char* field : {"skbaddr", "location", "data", "cookie"}) {
    const std::string name = field;
    for (const char* rest : {" >= 1", " < 7", " & 1", " == 1", " != 17", " >= 0", " < 0", " & 0", " ~ \"x*\"",
                             "==0x00001", " == \"0\"", " & CPUS{1}"}) {
      EXPECT_THAT(refusal(name + rest), HasSubstr("names " + name)) << rest;
      EXPECT_THAT(refusal("protocol == 8 && (err == 1 || !(" + name + rest + "))"),
                  HasSubstr("kernel address"))
          << rest;
    }
    EXPECT_EQ(refusal(name + " != 0 && " + name + " == 0x0"), "");
  }
}

TEST(FilterCheck, refuses_numbers_as_large_as_addresses_of_any_field) {
  for (const char* number : {"0xffffffff82000000", "18446744071595556864", "0x10000000000", "1099511627776",
                             "-2113994752", "-4096", "01777777777770200000000", "-0x7e000000"}) {
    for (const char* operation : {">=", "==", "<", "&"}) {
      const std::string filter = std::string("delta ") + operation + " " + number;
      EXPECT_NE(refusal(filter), "") << filter;
    }
    EXPECT_THAT(refusal(std::string("bytes > ") + number), HasSubstr(number));
  }
  EXPECT_THAT(refusal("bytes > 99999999999999999999999"), HasSubstr("no number of 64 bits"));
  EXPECT_THAT(refusal("err > 1099511627776"), HasSubstr("below 2^40"));
}

TEST(FilterCheck, refuses_to_test_bits_of_a_wide_number) {
  EXPECT_THAT(refusal("bytes & 0x200000"), HasSubstr("tests bits of bytes"));
  EXPECT_THAT(refusal("delta&1"), HasSubstr("tests bits of delta"));
}

TEST(FilterCheck, refuses_fields_that_are_neither_number_nor_text) {
  EXPECT_THAT(refusal("payload == 1"), HasSubstr("names payload, which is neither"));
  EXPECT_THAT(refusal("args == 0"), HasSubstr("names args, which is neither"));
}

TEST(FilterCheck, names_the_nearest_of_a_field_that_is_not_there) {
  EXPECT_THAT(refusal("protocl == 8"),
              HasSubstr("a field protocl that the event does not have; the nearest is "
                        "protocol."));
  EXPECT_THAT(refusal("zzzz == 8"), HasSubstr("`netperfctl events net:packet` shows those it has"));
  EXPECT_THAT(refusal("stacktrace == 8"), HasSubstr("does not have"));
}

TEST(FilterCheck, refuses_what_it_cannot_read) {
  for (const char* filter : {"((err == 2",
                             "err == 2)",
                             "err == 2 err == 3",
                             "err",
                             "err ==",
                             "== 2",
                             "err == 2 &&",
                             "&& err == 2",
                             "err == ENOENT",
                             "err = 2",
                             "name == \"eth0",
                             "cpu & CPUS{0",
                             "cpu & CPUS{'} || comm == 'x'",
                             "cpu & CPUS{a}",
                             "cpu & CPUS{0 1}",
                             "skbaddr.function == tcp_v4_rcv",
                             "name.ustring == \"x\"",
                             "err == 2; x",
                             "err == 0x",
                             "!",
                             "()",
                             " ",
                             "err & & 1",
                             "err == 2 | err"}) {
    EXPECT_NE(refusal(filter), "") << filter;
  }
}

TEST(FilterCheck, finds_the_newest_of_the_kernels_errors) {
  EXPECT_EQ(newest_error("[   1.5] first\n  Command: a\n[   2.5] second\n  Command: b\n     ^\n"),
            "second\n  Command: b\n     ^");
  EXPECT_EQ(newest_error(""), "");
}

}  // namespace
}  // namespace netperfd::trace
