// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/allowed_places.hpp"
#include "daemon/workload/job/traits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace netperfd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

using Rules = std::vector<std::string>;

TEST(AllowedHost, is_an_address_of_a_network_however_it_is_written) {
  const Rules lab{"10.0.0.0/8", "192.0.2.7", "2001:db8::/33", "fe80::/10"};
  for (const char* host : {"10.0.0.1", "10.255.255.255", "192.0.2.7", "::ffff:10.1.2.3", "::FFFF:0a01:0203",
                           "10.1", "0xa.0x1", "167772161", "2001:db8:7fff::1", "fe80::1%eth0", "fe80::1"})
    EXPECT_TRUE(fits_host(lab, host)) << host;
  for (const char* host :
       {"11.0.0.1", "9.255.255.255", "192.0.2.8", "::ffff:11.0.0.1", "::10.0.0.1", "184549377",
        "2001:db8:8000::1", "fec0::1", "0.0.0.0", "::", "::ffff:0.0.0.0", "0", "localhost", "10.lab"})
    EXPECT_FALSE(fits_host(lab, host)) << host;
}

TEST(AllowedHost, of_no_host_is_the_loopback_address) {
  for (const char* host : {"0.0.0.0", "0", "::ffff:0.0.0.0"}) {
    EXPECT_TRUE(fits_host({"127.0.0.0/8"}, host)) << host;
    EXPECT_FALSE(fits_host({"0.0.0.0/32", "::/128", "::1"}, host)) << host;
  }
  EXPECT_TRUE(fits_host({"::1"}, "::"));
  EXPECT_FALSE(fits_host({"::/128"}, "::"));
}

TEST(AllowedHost, is_a_name_that_fits_a_pattern_and_never_by_what_it_resolves_to) {
  const Rules lab{"*.lab.example.net", "server", "127.0.0.0/8"};
  for (const char* host : {"a.lab.example.net", "A.LAB.example.NET.", "server", "Server."})
    EXPECT_TRUE(fits_host(lab, host)) << host;
  for (const char* host : {"lab.example.net", "a.lab.example.net.evil", "server2", "localhost"})
    EXPECT_FALSE(fits_host(lab, host)) << host;
}

TEST(AllowedHost, that_is_an_address_fits_no_pattern_of_names_but_the_one_for_all) {
  for (const char* host : {"10.0.0.1", "0x7f.1", "0x7f000001", "::1", "::ffff:10.0.0.1", "2130706433"}) {
    EXPECT_FALSE(fits_host({"*.*", "?*", "0x*", "1*", "2*"}, host)) << host;
    EXPECT_TRUE(fits_host({"*"}, host)) << host;
  }
  EXPECT_TRUE(fits_host({"*"}, "anything"));
  EXPECT_FALSE(fits_host({}, "anything"));
}

TEST(AllowedHost, of_the_whole_of_one_family_is_none_of_the_other) {
  EXPECT_TRUE(fits_host({"0.0.0.0/0"}, "203.0.113.1"));
  EXPECT_FALSE(fits_host({"0.0.0.0/0"}, "2001:db8::1"));
  EXPECT_TRUE(fits_host({"::/0"}, "2001:db8::1"));
}

TEST(HostRule, is_an_address_a_network_or_a_pattern_of_names) {
  for (const char* rule : {"10.0.0.0/8", "10.0.0.1", "0.0.0.0/0", "::/0", "2001:db8::/32", "fe80::/10", "*",
                           "*.lab", "host-1", "a?.example"})
    EXPECT_TRUE(is_host_rule(rule)) << rule;
  for (const char* rule : {"", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "10.0.0.256", "10.0.0.*",
                           "10.1", "::ffff:10.0.0.0/104", "::ffff:10.0.0.1", "2001:db8::1/32", "fe80::1%eth0",
                           "a b", "a/b", "[ab]", "-1/8"})
    EXPECT_FALSE(is_host_rule(rule)) << rule;
}

TEST(PortRule, is_a_port_or_a_range) {
  for (const char* rule : {"1", "5201", "65535", "5200-5299", "7-7"}) EXPECT_TRUE(is_port_rule(rule)) << rule;
  for (const char* rule : {"", "0", "65536", "5299-5200", "1-", "-1", "1-2-3", "a", "1 ", "+1"})
    EXPECT_FALSE(is_port_rule(rule)) << rule;
}

TEST(NamespaceRule, is_a_pattern_of_names) {
  for (const char* rule : {"lab", "lab-*", "*", "a?"}) EXPECT_TRUE(is_namespace_rule(rule)) << rule;
  for (const char* rule : {"", "a/b", "a b", "[a]"}) EXPECT_FALSE(is_namespace_rule(rule)) << rule;
}

JobSpec job() {
  JobSpec spec;
  spec.workload = workload::traits_of("iperf3");
  spec.test.path.server = "10.0.0.2";
  spec.test.path.netns = "left";
  return spec;
}

Rules keys(const std::vector<JobProblem>& problems) {
  Rules keys;
  for (const JobProblem& problem : problems) keys.push_back(problem.key);
  return keys;
}

TEST(AllowedPlaces, that_are_absent_allow_all) {
  EXPECT_THAT(check_allowed(job(), {}), IsEmpty());
  EXPECT_TRUE(AllowedPlaces{}.all());
}

TEST(AllowedPlaces, name_the_key_the_value_and_what_root_allows) {
  const auto problems = check_allowed(
      job(), {.namespaces = Rules{"lab-*"}, .hosts = Rules{"192.0.2.0/24", "*.lab"}, .ports = Rules{"80"}});
  ASSERT_THAT(keys(problems),
              ElementsAre("workload.iperf3.netns", "workload.iperf3.server", "workload.iperf3.port"));
  EXPECT_THAT(problems[0].message,
              AllOf(HasSubstr("\"left\""), HasSubstr("allow.namespaces"), HasSubstr("lab-*")));
  EXPECT_THAT(problems[1].message,
              AllOf(HasSubstr("\"10.0.0.2\""), HasSubstr("allow.hosts"), HasSubstr("192.0.2.0/24, *.lab")));
  EXPECT_THAT(problems[2].message, AllOf(HasSubstr("5201"), HasSubstr("allow.ports"), HasSubstr("80")));
}

TEST(AllowedPlaces, are_of_both_ends_of_a_local_server) {
  JobSpec spec = job();
  spec.test.path.local = LocalServer{.netns = "right", .bind = "10.0.0.2"};
  const AllowedPlaces none{.namespaces = Rules{}, .hosts = Rules{}, .ports = std::nullopt};
  const auto problems = check_allowed(spec, none);
  EXPECT_THAT(keys(problems), ElementsAre("workload.iperf3.netns", "workload.iperf3.local.netns",
                                          "workload.iperf3.local.bind"));
  EXPECT_THAT(problems[0].message, HasSubstr("allows nothing"));
}

TEST(AllowedPlaces, are_of_probes_too) {
  JobSpec spec = job();
  spec.latency = LatencySpec{.probes = {ProbeSpec{}}};
  const AllowedPlaces iperf3_only{.namespaces = {}, .hosts = {}, .ports = Rules{"5201"}};
  EXPECT_THAT(keys(check_allowed(spec, iperf3_only)), ElementsAre("with.latency.port"));
  spec.workload = workload::traits_of("latency");
  spec.test.iperf3.port = 1;
  const AllowedPlaces others{.namespaces = Rules{"x"}, .hosts = Rules{"x"}, .ports = Rules{"5201"}};
  EXPECT_THAT(keys(check_allowed(spec, others)),
              ElementsAre("workload.latency.netns", "workload.latency.server", "workload.latency.port"));
}

TEST(AllowedPlaces, have_no_port_for_probes_that_use_none) {
  const AllowedPlaces no_port{.namespaces = {}, .hosts = {}, .ports = Rules{}};
  JobSpec pings = job();
  pings.workload = workload::traits_of("latency");
  pings.latency = LatencySpec{.probes = {{.protocol = "icmp"}, {.protocol = "icmp"}}};
  EXPECT_THAT(check_allowed(pings, no_port), IsEmpty());
  JobSpec requests = pings;
  requests.latency->probes[1].protocol = "tcp";
  EXPECT_THAT(keys(check_allowed(requests, no_port)), ElementsAre("workload.latency.port"));
  EXPECT_FALSE(is_same_place(pings, requests)) << "who may ping has no port of the host";
  JobSpec other_port = pings;
  other_port.latency->port = 22;
  EXPECT_TRUE(is_same_place(pings, other_port));
  other_port.latency->probes = requests.latency->probes;
  EXPECT_FALSE(is_same_place(requests, other_port));
  // Its server listens on the port whatever the probes are.
  pings.test.path.local = LocalServer{.netns = "right", .bind = "10.0.0.2"};
  EXPECT_THAT(keys(check_allowed(pings, no_port)), ElementsAre("workload.latency.port"));
}

TEST(AllowedPlaces, always_have_the_hosts_own_namespace_and_jobs_without_traffic) {
  JobSpec spec = job();
  spec.test.path.netns = "";
  EXPECT_THAT(check_allowed(spec, {.namespaces = Rules{}, .hosts = {}, .ports = {}}), IsEmpty());
  spec.workload = workload::traits_of("none");
  EXPECT_THAT(check_allowed(spec, {.namespaces = Rules{}, .hosts = Rules{}, .ports = Rules{}}), IsEmpty());
}

TEST(AllowedPlaces, are_asked_of_the_ports_of_each_workload) {
  JobSpec spec = job();
  spec.workload.measures_path = false;
  spec.workload.ports = +[](const JobSpec&) { return std::vector<PortOfJob>{{"workload.own.port", 22}}; };
  EXPECT_THAT(keys(check_allowed(spec, {.namespaces = {}, .hosts = Rules{}, .ports = Rules{"5201"}})),
              ElementsAre("workload.own.port"));
}

TEST(AllowedPlaces, are_the_same_only_if_no_end_differs) {
  EXPECT_TRUE(is_same_place(job(), job()));
  JobSpec longer = job();
  longer.test.traffic.streams = 8;
  EXPECT_TRUE(is_same_place(job(), longer));
  const auto differs = [](auto change) {
    JobSpec other = job();
    change(other);
    return !is_same_place(job(), other);
  };
  EXPECT_TRUE(differs([](JobSpec& spec) { spec.test.path.server = "::ffff:10.0.0.2"; }));
  EXPECT_TRUE(differs([](JobSpec& spec) { spec.test.path.netns = ""; }));
  EXPECT_TRUE(differs([](JobSpec& spec) { spec.test.iperf3.port = 5202; }));
  EXPECT_TRUE(differs([](JobSpec& spec) { spec.test.path.bind = "10.0.0.1"; }));
  EXPECT_TRUE(differs([](JobSpec& spec) { spec.test.path.ip_version = IpVersion::v6; }));
  EXPECT_TRUE(differs(
      [](JobSpec& spec) { spec.test.path.local = LocalServer{.netns = "left", .bind = "10.0.0.2"}; }));
  EXPECT_TRUE(differs([](JobSpec& spec) { spec.latency = LatencySpec{.probes = {ProbeSpec{}}}; }));
}

TEST(AllowedPlaces, are_told_in_a_line) {
  EXPECT_EQ(describe({.namespaces = Rules{}, .hosts = Rules{"10.0.0.0/8", "*.lab"}, .ports = {}}),
            "no named namespace; hosts 10.0.0.0/8, *.lab; any port");
}

}  // namespace
}  // namespace netperfd
