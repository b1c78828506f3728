// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <functional>

#include "daemon/model/job_spec.hpp"
#include "daemon/workload/job/traits.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

JobSpec a_job() {
  JobSpec job;
  job.workload = workload::traits_of("iperf3");
  job.name = "veth-tcp";
  job.test.path.server = "10.0.0.2";
  job.test.traffic.duration = 10s;
  job.limits.timeout = 30s;
  return job;
}

using Change = std::function<void(JobSpec&)>;

std::vector<JobProblem> problems_of(const Change& change) {
  JobSpec job = a_job();
  change(job);
  return check(job);
}

// The keys with complaints; most tests expect exactly one.
std::vector<std::string> wrong(const Change& change) {
  std::vector<std::string> keys;
  for (auto& problem : problems_of(change)) keys.push_back(problem.key);
  return keys;
}

TEST(JobCheck, finds_nothing_in_a_right_job) {
  EXPECT_THAT(check(a_job()), IsEmpty());
}

TEST(JobCheck, wants_a_name_that_may_be_a_file) {
  for (const char* name : {"", "a b", "../etc", "-x", ".hidden", "a/b", "ä", "a\n"}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.name = name; }), ElementsAre("name")) << name;
  }
  EXPECT_THAT(wrong([](JobSpec& j) { j.name = std::string(65, 'a'); }), ElementsAre("name"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.name = std::string(64, 'a'); }), IsEmpty());
}

TEST(JobCheck, wants_short_printable_words) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.label = "\x1B[2J"; }), ElementsAre("label"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.label = std::string(65, 'x'); }), ElementsAre("label"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.description = "two\nlines"; }), ElementsAre("description"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.description = std::string(501, 'x'); }), ElementsAre("description"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.label = "vorher ±1"; }), IsEmpty());
}

TEST(JobCheck, wants_at_least_one_run) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.repeat = 0; }), ElementsAre("repeat"));
}

TEST(JobCheck, wants_exactly_one_of_duration_and_bytes) {
  EXPECT_THAT(wrong([](auto& j) { j.test.traffic.duration = {}; }), ElementsAre("workload.iperf3.duration"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.traffic.bytes = 1; }), ElementsAre("workload.iperf3.bytes"));
  const auto only_bytes = [](JobSpec& j) {
    j.test.traffic.duration.reset();
    j.test.traffic.bytes = 1;
  };
  EXPECT_THAT(wrong(only_bytes), IsEmpty());
}

TEST(JobCheck, bounds_times_as_iperf3_does) {
  struct Case {
    Change change;
    std::vector<std::string> keys;
  };
  const auto duration = [](std::chrono::milliseconds value) {
    return [value](JobSpec& j) {
      j.test.traffic.duration = value;
      j.limits.timeout = 48h;
    };
  };
  const auto omit = [](std::chrono::milliseconds value) {
    return [value](JobSpec& j) {
      j.test.traffic.omit = value;
      j.limits.timeout = 48h;
    };
  };
  const auto interval = [](std::chrono::milliseconds value) {
    return [value](JobSpec& j) { j.test.traffic.interval = value; };
  };
  const std::string d = "workload.iperf3.duration";
  const std::string o = "workload.iperf3.omit";
  const std::string i = "workload.iperf3.interval";
  const Case cases[] = {
      {duration(1s), {}},      {duration(24h), {}},   {duration(0s), {d}},   {duration(24h + 1s), {d}},
      {duration(1500ms), {d}}, {omit(600s), {}},      {omit(601s), {o}},     {omit(500ms), {o}},
      {interval(100ms), {}},   {interval(1min), {}},  {interval(99ms), {i}}, {interval(60'001ms), {i}},
      {interval(0ms), {i}},    {interval(150ms), {}},
  };
  for (const Case& c : cases) EXPECT_EQ(wrong(c.change), c.keys) << &c - cases;
}

TEST(JobCheck, says_value_and_range) {
  const auto problems = problems_of([](JobSpec& j) { j.test.traffic.streams = 200; });
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].message, "200 is out of range (1 to 128)");
}

TEST(JobCheck, wants_a_rate_for_udp) {
  const auto udp = [](JobSpec& j) { j.test.traffic.protocol = Protocol::udp; };
  EXPECT_THAT(problems_of(udp), ElementsAre(Field(&JobProblem::message, HasSubstr("1 Mbit/s"))));
  EXPECT_THAT(wrong([&](JobSpec& j) {
                udp(j);
                j.test.traffic.bitrate = 0;
              }),
              IsEmpty());
}

TEST(JobCheck, refuses_options_where_they_mean_nothing) {
  struct Case {
    Protocol protocol;
    Change change;
    std::vector<std::string> keys;
  };
  const Change mss = [](JobSpec& j) { j.test.iperf3.mss_bytes = 1000; };
  const Change no_delay = [](JobSpec& j) { j.test.iperf3.no_delay = true; };
  const Change congestion = [](JobSpec& j) { j.test.iperf3.congestion = "bbr"; };
  const Change zerocopy = [](JobSpec& j) { j.test.iperf3.zerocopy = true; };
  const Change dont_fragment = [](JobSpec& j) { j.test.iperf3.dont_fragment = true; };
  const Case cases[] = {
      {Protocol::tcp, mss, {}},
      {Protocol::sctp, mss, {}},
      {Protocol::udp, mss, {"workload.iperf3.mss"}},
      {Protocol::tcp, no_delay, {}},
      {Protocol::sctp, no_delay, {}},
      {Protocol::udp, no_delay, {"workload.iperf3.no_delay"}},
      {Protocol::tcp, congestion, {}},
      {Protocol::sctp, congestion, {"workload.iperf3.congestion"}},
      {Protocol::udp, congestion, {"workload.iperf3.congestion"}},
      {Protocol::tcp, zerocopy, {}},
      {Protocol::udp, zerocopy, {"workload.iperf3.zerocopy"}},
      {Protocol::tcp, dont_fragment, {"workload.iperf3.dont_fragment"}},
      {Protocol::udp, dont_fragment, {}},
  };
  for (const Case& c : cases) {
    const auto keys = wrong([&](JobSpec& j) {
      j.test.traffic.protocol = c.protocol;
      j.test.traffic.bitrate = 0;
      c.change(j);
    });
    EXPECT_EQ(keys, c.keys) << &c - cases;
  }
}

TEST(JobCheck, wants_ipv4_for_dont_fragment) {
  const auto job = [](const std::string& server, IpVersion version) {
    return [=](JobSpec& j) {
      j.test.traffic.protocol = Protocol::udp;
      j.test.traffic.bitrate = 0;
      j.test.iperf3.dont_fragment = true;
      j.test.path.server = server;
      j.test.path.ip_version = version;
    };
  };
  EXPECT_THAT(wrong(job("host", IpVersion::any)), ElementsAre("workload.iperf3.dont_fragment"));
  EXPECT_THAT(wrong(job("fd00::1", IpVersion::any)), ElementsAre("workload.iperf3.dont_fragment"));
  EXPECT_THAT(wrong(job("host", IpVersion::v4)), IsEmpty());
}

TEST(JobCheck, bounds_sizes_by_protocol) {
  const auto length = [](Protocol protocol, std::uint64_t bytes) {
    return [=](JobSpec& j) {
      j.test.traffic.protocol = protocol;
      j.test.traffic.bitrate = 0;
      j.test.iperf3.length_bytes = bytes;
    };
  };
  EXPECT_THAT(wrong(length(Protocol::tcp, 1U << 20U)), IsEmpty());
  EXPECT_THAT(wrong(length(Protocol::tcp, (1U << 20U) + 1)), SizeIs(1));
  EXPECT_THAT(wrong(length(Protocol::tcp, 0)), SizeIs(1));
  EXPECT_THAT(wrong(length(Protocol::udp, 16)), IsEmpty());
  EXPECT_THAT(wrong(length(Protocol::udp, 15)), SizeIs(1));
  EXPECT_THAT(wrong(length(Protocol::udp, 65'507)), IsEmpty());
  EXPECT_THAT(wrong(length(Protocol::udp, 65'508)), SizeIs(1));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.window_bytes = 512U << 20U; }), IsEmpty());
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.window_bytes = (512U << 20U) + 1; }), SizeIs(1));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.mss_bytes = 87; }), SizeIs(1));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.mss_bytes = 88; }), IsEmpty());
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.mss_bytes = 9217; }), SizeIs(1));
}

TEST(JobCheck, takes_host_names_and_addresses) {
  for (const char* server :
       {"10.0.0.2", "fd00::2", "fe80::1%eth0", "host", "host.example.org", "a-b_c.d1", "1host"}) {
    EXPECT_THAT(wrong([&](auto& j) { j.test.path.server = server; }), IsEmpty()) << server;
  }
}

TEST(JobCheck, refuses_a_server_that_could_be_anything_else) {
  using namespace std::string_literals;
  for (const auto& server : {"-s"s, "--help"s, "a b"s, "a/b"s, "host%eth0"s, "10.0.0.256"s, "10.0.0.2\0x"s,
                             "a..b"s, ".a"s, "a.-b"s, "fe80::1%"s, "fe80::1%-x"s, "fe80::1%a/b"s, "[::1]"s,
                             "host:80"s, "a;b"s, std::string(254, 'a'), std::string(64, 'a') + ".b"}) {
    EXPECT_THAT(wrong([&](auto& j) { j.test.path.server = server; }), ElementsAre("workload.iperf3.server"))
        << server;
  }
}

TEST(JobCheck, wants_numeric_addresses_to_bind) {
  for (const char* bind : {"host", "-B", "10.0.0", "0x7f.1", "10.0.0.1%eth0"}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.test.path.bind = bind; }), ElementsAre("workload.iperf3.bind"))
        << bind;
  }
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.path.bind = "fd00::1"; }), IsEmpty());
}

TEST(JobCheck, wants_a_server_or_a_local_one_with_one_address) {
  const auto local = [](const std::string& bind, const std::string& server) {
    return [=](JobSpec& j) {
      j.test.path.local = LocalServer{"right", bind};
      j.test.path.server = server;
    };
  };
  EXPECT_THAT(wrong(local("10.0.0.2", "10.0.0.2")), IsEmpty());
  EXPECT_THAT(wrong(local("10.0.0.2", "10.0.0.3")), ElementsAre("workload.iperf3.server"));
  EXPECT_THAT(wrong(local("0.0.0.0", "0.0.0.0")), ElementsAre("workload.iperf3.local.bind"));
  EXPECT_THAT(wrong(local("host", "host")), ElementsAre("workload.iperf3.local.bind"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.path.server.clear(); }), ElementsAre("workload.iperf3.server"));
}

TEST(JobCheck, refuses_an_address_of_the_other_ip_version) {
  const auto problems = problems_of([](JobSpec& j) { j.test.path.ip_version = IpVersion::v6; });
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].key, "workload.iperf3.server");
  EXPECT_THAT(problems[0].others, Contains("workload.iperf3.ip_version"));
}

TEST(JobCheck, takes_no_path_for_a_namespace) {
  for (const char* netns : {"..", ".", "a/b", "/run/netns/a", "-x", "a b", "a\n", "../../proc/1/ns/net"}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.test.path.netns = netns; }), ElementsAre("workload.iperf3.netns"))
        << netns;
    EXPECT_THAT(wrong([&](JobSpec& j) { j.test.path.local = LocalServer{netns, j.test.path.server}; }),
                ElementsAre("workload.iperf3.local.netns"))
        << netns;
  }
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.path.netns = "lab-1.left"; }), IsEmpty());
}

TEST(JobCheck, takes_names_that_are_no_options_for_congestion_and_dscp) {
  for (const char* congestion : {"-C", "a b", "../x", "sixteen_characte"}) {
    EXPECT_THAT(wrong([&](auto& j) { j.test.iperf3.congestion = congestion; }),
                ElementsAre("workload.iperf3.congestion"));
  }
  for (const char* dscp : {"64", "-1", "010", "0x10", "le", "EF", "1K", "46 "}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.test.iperf3.dscp = dscp; }), ElementsAre("workload.iperf3.dscp"))
        << dscp;
  }
  for (const char* dscp : {"0", "63", "ef", "af43", "cs0", "lowdelay"}) {
    EXPECT_THAT(wrong([&](JobSpec& j) { j.test.iperf3.dscp = dscp; }), IsEmpty()) << dscp;
  }
}

TEST(JobCheck, wants_ports_for_all_streams) {
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.port = 0; }), ElementsAre("workload.iperf3.port"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.client_port = 0; }), ElementsAre("workload.iperf3.cport"));
  const auto last_port = [](std::uint32_t streams, Direction direction) {
    return [=](JobSpec& j) {
      j.test.iperf3.client_port = 65'534;
      j.test.traffic.streams = streams;
      j.test.traffic.direction = direction;
    };
  };
  EXPECT_THAT(wrong(last_port(2, Direction::send)), IsEmpty());
  EXPECT_THAT(wrong(last_port(1, Direction::both)), IsEmpty());
  EXPECT_THAT(wrong(last_port(3, Direction::send)), ElementsAre("workload.iperf3.cport"));
  EXPECT_THAT(wrong(last_port(2, Direction::both)), ElementsAre("workload.iperf3.cport"));
}

TEST(JobCheck, wants_a_cpu_for_the_client_and_one_for_a_local_server) {
  const auto local = [](const std::vector<std::uint32_t>& cpus) {
    return [=](JobSpec& j) {
      j.test.path.local = LocalServer{"", j.test.path.server};
      j.test.iperf3.affinity = cpus;
    };
  };
  EXPECT_THAT(wrong(local({0, 1023})), IsEmpty());
  EXPECT_THAT(wrong(local({1024})), ElementsAre("workload.iperf3.affinity"));
  EXPECT_THAT(wrong(local({0, 1, 2})), ElementsAre("workload.iperf3.affinity"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.test.iperf3.affinity = {3}; }), IsEmpty());
  EXPECT_THAT(wrong([](auto& j) { j.test.iperf3.affinity = {3, 4}; }),
              ElementsAre("workload.iperf3.affinity"));
}

TEST(JobCheck, refuses_amounts_that_no_signed_number_holds) {
  const auto bytes = [](std::uint64_t value) {
    return [=](JobSpec& j) {
      j.test.traffic.duration.reset();
      j.test.traffic.bytes = value;
    };
  };
  EXPECT_THAT(wrong(bytes(0)), ElementsAre("workload.iperf3.bytes"));
  EXPECT_THAT(wrong(bytes(UINT64_MAX)), ElementsAre("workload.iperf3.bytes"));
  EXPECT_THAT(wrong([](auto& j) { j.test.traffic.bitrate = UINT64_MAX; }),
              ElementsAre("workload.iperf3.bitrate"));
}

TEST(JobCheck, bounds_what_a_run_stores) {
  const auto job = [](std::uint32_t streams, std::chrono::milliseconds interval, Direction direction) {
    return [=](JobSpec& j) {
      j.test.traffic.duration = 1h;
      j.limits.timeout = 2h;
      j.test.traffic.streams = streams;
      j.test.traffic.interval = interval;
      j.test.traffic.direction = direction;
    };
  };
  EXPECT_THAT(wrong(job(128, 1s, Direction::send)), IsEmpty());  // 3601 x 129
  EXPECT_THAT(wrong(job(128, 1s, Direction::both)), ElementsAre("workload.iperf3.interval"));
  EXPECT_THAT(wrong(job(15, 100ms, Direction::send)), ElementsAre("workload.iperf3.interval"));
}

TEST(JobCheck, bounds_a_job_of_bytes_by_its_timeout) {
  const auto job = [](std::chrono::milliseconds timeout) {
    return [=](JobSpec& j) {
      j.test.traffic.duration.reset();
      j.test.traffic.bytes = 1000;
      j.test.traffic.interval = 100ms;
      j.limits.timeout = timeout;
    };
  };
  EXPECT_THAT(wrong(job(6h)), IsEmpty());
  EXPECT_THAT(wrong(job(12h)), ElementsAre("workload.iperf3.interval"));
}

TEST(JobCheck, wants_a_timeout_that_leaves_time_for_the_run) {
  const auto timeout = [](std::chrono::milliseconds value) {
    return [=](JobSpec& j) {
      j.test.traffic.omit = 5s;
      j.limits.timeout = value;
    };
  };
  EXPECT_THAT(wrong(timeout(15s)), IsEmpty());
  EXPECT_THAT(wrong(timeout(14'999ms)), ElementsAre("limits.timeout"));
  EXPECT_THAT(wrong([](JobSpec& j) { j.limits.timeout = 0s; }), ElementsAre("limits.timeout"));
}

TEST(JobCheck, finds_everything_at_once_even_in_absurd_values) {
  const auto keys = wrong([](JobSpec& j) {
    j.repeat = 0;
    j.test.traffic.streams = UINT32_MAX;
    j.test.iperf3.client_port = UINT16_MAX;
    j.test.traffic.duration = std::chrono::years{100};
    j.test.traffic.interval = 0ms;
    j.test.traffic.direction = Direction::both;
  });
  EXPECT_THAT(keys,
              testing::UnorderedElementsAre("repeat", "workload.iperf3.streams", "workload.iperf3.duration",
                                            "workload.iperf3.interval", "limits.timeout"));
}

TEST(JobSpecTest, plans_duration_and_omitted_part) {
  JobSpec job = a_job();
  job.test.traffic.omit = 2s;
  EXPECT_EQ(planned_duration(job), 12s);
  job.test.traffic.duration.reset();
  EXPECT_EQ(planned_duration(job), std::nullopt);
}

TEST(JobSpecTest, plans_no_time_for_a_job_that_its_caller_ends) {
  JobSpec job = a_job();
  job.workload = workload::traits_of("none");
  EXPECT_EQ(planned_duration(job), std::nullopt);
}

TEST(JobSpecTest, words_go_both_ways) {
  for (const auto value : {Protocol::tcp, Protocol::udp, Protocol::sctp}) {
    EXPECT_EQ(parse_protocol(to_string(value)), value);
  }
  for (const auto value : {Direction::send, Direction::receive, Direction::both}) {
    EXPECT_EQ(parse_direction(to_string(value)), value);
  }
  for (const auto value : {IpVersion::any, IpVersion::v4, IpVersion::v6}) {
    EXPECT_EQ(parse_ip_version(to_string(value)), value);
  }
  EXPECT_EQ(parse_protocol("TCP"), std::nullopt);
  EXPECT_EQ(parse_direction(""), std::nullopt);
  EXPECT_EQ(parse_ip_version("v4"), std::nullopt);
}

}  // namespace
}  // namespace netperfd
