// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of a run, as `show --environment` lists it.
#include <gtest/gtest.h>

#include <string>

#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

ShowView with_environment() {
  ShowView view = samples::tcp();
  view.list_environment = true;
  view.environment = EnvironmentView{
      .boot_id = "f82f6326-ae1e-4c2a-89bf-2193da7f8464",
      .facts = {{"clock", "clocksource", "tsc"},
                {"cpu", "governor", "performance (policy0 policy1), powersave (policy2 policy3)"},
                {"cpu", "isolated", ""},
                {"cpu", "model", "Intel(R) Xeon(R) Gold 6252 CPU @ 2.10GHz"},
                {"kernel", "command line",
                 "BOOT_IMAGE=/boot/vmlinuz-6.1.0-40-amd64 root=/dev/vda1 ro quiet mitigations=auto"},
                {"kernel", "mitigation spectre_v2", "Mitigation: Retpolines; STIBP: disabled; RSB filling"},
                {"kernel", "release", "6.1.0-40-amd64"},
                {"module:hsr", "build-id", "4a5a9b0affb66c437abcd455d2738af879985fa9"},
                {"module:hsr", "state", "loaded"},
                {"nic", "hsr0@ring-a driver", "hsr"},
                {"nic", "hsr0@ring-a feature tx-scatter-gather-fraglist", "off, though asked for"},
                {"sysctl:net.core.rmem_max", "value", "212992"},
                {"sysctl:net.ipv4.tcp_rmem", "value", "4096 131072 6291456"},
                {"sysctl:net.ipv4.tcp_rmem", "value@ring-a", "4096 131072 6291456"},
                {"trace", "tracer", "none"}},
      .unknown = {"irq: eth0 virtio3: Operation not permitted"}};
  return view;
}

TEST(EnvironmentPages, list_facts_in_their_groups) {
  expect_golden("show_environment_80.txt", show_text(samples::terminal(80), with_environment()));
  expect_golden("show_environment_pipe.txt", show_text(samples::pipe(), with_environment()));
}

TEST(EnvironmentPages, list_nothing_where_it_was_not_asked_for) {
  ShowView view = with_environment();
  view.list_environment = false;
  EXPECT_EQ(show_text(samples::terminal(80), view), show_text(samples::terminal(80), samples::tcp()));
}

TEST(EnvironmentPages, say_where_nothing_was_looked_at) {
  ShowView view = with_environment();
  view.environment.reset();
  EXPECT_NE(show_text(samples::terminal(80), view).find("The environment of this run was not looked at.\n"),
            std::string::npos);
  EXPECT_EQ(show_csv(view), "run,group,key,value\r\n");
  EXPECT_EQ(show_json(view), show_json(samples::tcp()));
}

TEST(EnvironmentPages, let_no_control_character_through) {
  ShowView view = with_environment();
  view.environment->boot_id = "a\x1b[2J";
  view.environment->facts[0].value = "b\x1b[2J";
  view.environment->unknown[0] = "c\x1b[2J";
  EXPECT_EQ(show_text(samples::pipe(), view).find('\x1b'), std::string::npos);
}

TEST(EnvironmentDocuments, hold_every_fact) {
  expect_golden("show_environment.json", show_json(with_environment()));
  expect_golden("show_environment.csv", show_csv(with_environment()));
}

}  // namespace
}  // namespace netperfctl
