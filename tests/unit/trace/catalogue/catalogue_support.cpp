// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/catalogue/catalogue_support.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace netperfd::trace {

FakeMachine::FakeMachine() {
  settings.proc = scratch_.path("proc");
  settings.sys = scratch_.path("sys");
  settings.boot = scratch_.path("boot");
  settings.root = scratch_.path("root");
  settings.netns = scratch_.path("netns");
  settings.modules_root = scratch_.path("modules");
  settings.cache_file = scratch_.path("capabilities");
  settings.boot_id = "0b00f-1";
  settings.kernel_release = "6.18";
  settings.version = "0.1.0";
  settings.own_instance = "netperfd-4711";
  settings.echo = "/bin/sh";
  settings.iperf3 = {.found = true, .version = "3.12", .json_stream = false, .sctp = true};
  write("proc/modules", "hsr 65536 0 - Live 0xffffffffc0a00000\n");
  write("proc/filesystems", "nodev\tsysfs\nnodev\ttracefs\n\text4\n");
  write("proc/kallsyms", "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n");
  std::filesystem::create_directories(scratch_.path("proc/self/ns"));
  std::filesystem::create_symlink("/proc/self/ns/net", scratch_.path("proc/self/ns/net"));
  write("sys/module/hsr/initstate", "live\n");
  write("sys/devices/system/cpu/online", "0-1\n");
  write("sys/devices/system/cpu/possible", "0-3\n");
  write("modules/modules.dep",
        "kernel/net/hsr/hsr.ko.xz:\nkernel/net/netfilter/nf-tables.ko: kernel/lib/libcrc32c.ko\n");
  write("modules/modules.builtin", "kernel/net/ipv4/tcp_cubic.ko\n");
}

FakeKernel able_kernel() {
  FakeKernel kernel;
  kernel.events["skb:kfree_skb"].push_back("common_pid");
  return kernel;
}

CatalogueSettings real_settings(const ScratchDirectory& scratch) {
  CatalogueSettings settings;
  utsname names{};
  if (::uname(&names) != 0) throw std::runtime_error("uname");
  settings.kernel_release = names.release;
  settings.modules_root = "/lib/modules/" + settings.kernel_release;
  settings.cache_file = scratch.path("capabilities");
  settings.boot_id = "a boot";
  settings.version = "0.1.0";
  settings.own_instance = fmt::format("netperfd-{}", ::getpid());
  return settings;
}

core::Capability capability(const std::vector<core::Capability>& all, const std::string& name) {
  const core::Capability* found = find_capability(all, name);
  if (found == nullptr) throw std::runtime_error("no capability " + name);
  return *found;
}

}  // namespace netperfd::trace
