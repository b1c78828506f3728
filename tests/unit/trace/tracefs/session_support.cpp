// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/tracefs/session_support.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace netperfd::trace {

namespace fs = std::filesystem;

ScratchDirectory::ScratchDirectory() {
  // In memory if possible, because the journal syncs every change.
  const fs::path place = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string name = (place / "netperfd-trace-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  path_ = name;
  fs::create_directory(path("proc"));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void ScratchDirectory::write(const std::string& file, const std::string& text) const {
  fs::create_directories(fs::path(path(file)).parent_path());
  std::ofstream(path(file), std::ios::binary) << text;
}

std::string ScratchDirectory::read(const std::string& file) const {
  std::ifstream stream(path(file), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool ScratchDirectory::has(const std::string& file) const {
  return fs::exists(path(file));
}

void add_process(const ScratchDirectory& scratch, long pid, const std::string& command,
                 const std::vector<std::string>& open_files) {
  const std::string process = fmt::format("proc/{}/", pid);
  scratch.write(process + "comm", command + "\n");
  fs::create_directory(scratch.path(process + "fd"));
  int number = 0;
  for (const auto& file : open_files) {
    fs::create_symlink(file, scratch.path(fmt::format("{}fd/{}", process, number++)));
  }
}

SessionSettings fake_settings(const ScratchDirectory& scratch) {
  SessionSettings settings;
  settings.journal = scratch.path("journal");
  settings.instance = "netperfd-4711";
  settings.proc = scratch.path("proc");
  settings.boot_id = "boot-1";
  settings.buffer_bytes = 4 << 20;
  return settings;
}

SessionSettings kernel_settings(const ScratchDirectory& scratch) {
  SessionSettings settings = fake_settings(scratch);
  settings.instance = fmt::format("netperfd-{}", ::getpid());
  settings.proc = "/proc";
  // Sessions of other test programs may be alive at the same time.
  settings.process = "trace_test";
  return settings;
}

TraceSpec whole_spec() {
  TraceSpec spec = event_spec();
  spec.function_graph = FunctionGraphSpec{
      .module = "hsr", .functions = {}, .exclude = {"hsr_get_node", "nobody_*"}, .depth = 3};
  return spec;
}

TraceSpec event_spec() {
  TraceSpec spec;
  spec.events = {
      {.name = "skb:kfree_skb", .filter = "", .stacktrace = true},
      {.name = "tcp:tcp_retransmit_skb", .filter = "sport > 1000", .stacktrace = true},
      {.name = "sched:sched_switch", .filter = "next_pid == 1", .stacktrace = false},
  };
  spec.workload_only = true;
  spec.cpus = {0};
  spec.buffer_bytes = 1 << 20;
  return spec;
}

FakeKernel kernel_of_old() {
  FakeKernel kernel;
  kernel.graph_in_instances = false;
  return kernel;
}

void use_settings(FakeTracefs& tracefs) {
  tracefs.set("buffer_percent", "10\n");
  tracefs.set("buffer_size_kb", "2051\n");
  tracefs.set("trace_clock", "local [global] counter uptime perf mono mono_raw boot x86-tsc\n");
  tracefs.set("tracing_cpumask", "2\n");
  tracefs.set("max_graph_depth", "7\n");
  tracefs.set("set_ftrace_filter", "ip_rcv\nhsr_dev_xmit [hsr]\n");
  tracefs.set("set_ftrace_notrace", "schedule\n");
  tracefs.set("set_ftrace_pid", "17\n18\n");
  tracefs.set("set_event_pid", "19\n");
  tracefs.set("events/skb/kfree_skb/filter", "reason == 2\n");
  tracefs.set("options/event-fork", "1\n");
}

std::string kernel_snapshot(Tracefs& tracefs, pid_t child) {
  std::vector<std::string> files = {"current_tracer",
                                    "trace_clock",
                                    "buffer_size_kb",
                                    "buffer_percent",
                                    "tracing_on",
                                    "tracing_cpumask",
                                    "tracing_thresh",
                                    "set_event",
                                    "set_event_pid",
                                    "set_ftrace_pid",
                                    "trace_options",
                                    "set_ftrace_filter",
                                    "set_ftrace_notrace",
                                    "max_graph_depth",
                                    "events/enable",
                                    "saved_cmdlines_size",
                                    "set_event_notrace_pid",
                                    "buffer_subbuf_size_kb"};
  for (const auto& event : event_spec().events) {
    const std::string directory = fmt::format("events/{}/{}/", event.name.substr(0, event.name.find(':')),
                                              event.name.substr(event.name.find(':') + 1));
    for (const char* file : {"enable", "filter", "trigger"}) files.push_back(directory + file);
  }
  for (const auto& option : tracefs.list("options").value_or(std::vector<std::string>{})) {
    files.push_back("options/" + option);
  }
  std::string text;
  for (const auto& file : files) {
    const auto content = tracefs.read(file);
    text += fmt::format("{} = {}\n", file, content ? *content : content.error().message);
  }
  for (const pid_t pid : {::getpid(), child}) {
    const std::string instance = fmt::format("instances/netperfd-{}", pid);
    if (tracefs.exists(instance)) text += instance + "/\n";
  }
  return text;
}

}  // namespace netperfd::trace
