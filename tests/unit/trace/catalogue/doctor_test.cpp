// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "daemon/trace/catalogue/capability_cache.hpp"
#include "daemon/trace/catalogue/probes_machine.hpp"
#include "tests/unit/trace/catalogue/catalogue_support.hpp"

namespace netperfd::trace {
namespace {

using core::Ability;
using core::Capability;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr auto kGraph = "function_graph";
constexpr auto kGraphInstance = "function_graph_instance";

class DoctorTest : public testing::Test {
 protected:
  void use(const FakeKernel& kernel) { tracefs = std::make_unique<FakeTracefs>(kernel); }
  std::vector<Capability> examine(bool fresh) {
    Reasons reasons(machine.settings);
    return Doctor(*tracefs, reasons, machine.settings).examine(fresh);
  }
  Capability ask(const std::string& name) { return capability(examine(true), name); }
  // Whether an operation other than reading was done on `path`.
  [[nodiscard]] bool touched(const std::string& path) const {
    for (const auto& one : tracefs->operations()) {
      if (one.path == path && !one.text.empty() && one.kind != FakeTracefs::Operation::Kind::open)
        return true;
    }
    return false;
  }

  FakeMachine machine;
  std::unique_ptr<FakeTracefs> tracefs = std::make_unique<FakeTracefs>(able_kernel());
};

TEST_F(DoctorTest, answers_everything_in_its_order_whatever_the_kernel) {
  const auto names = [&] {
    std::vector<std::string> result;
    for (const Capability& one : examine(true)) {
      result.push_back(one.name);
      EXPECT_FALSE(one.detail.empty()) << one.name;
    }
    return result;
  };
  const auto all =
      ElementsAre("tracefs", kGraph, kGraphInstance, "function", "tracepoints", "event_filters",
                  "stack_traces", "uprobes", "kprobes", "histogram_triggers", "trace_marker",
                  "trace_instances", "trace_clocks", "tracing_free", "pid_namespace", "perf_events",
                  "network_namespaces", "sctp", "iperf3", "latency_probes", "benchmarks", "kernel_symbols",
                  "reader_priority", "run_cgroup", "boot_loader", "kexec", "start_at_boot");
  EXPECT_THAT(names(), all);
  tracefs->erase("current_tracer");
  EXPECT_THAT(names(), all);
  use({.function = false, .function_graph = false, .events = {}});
  tracefs->fail_path("available_events", EIO);
  EXPECT_THAT(names(), all);
}

TEST_F(DoctorTest, leaves_tracefs_as_it_was) {
  const std::string before = tracefs->snapshot();
  static_cast<void>(examine(true));
  EXPECT_EQ(tracefs->snapshot(), before);
  EXPECT_EQ(tracefs->open_files(), 0U);
}

TEST_F(DoctorTest, leaves_tracefs_as_it_was_whichever_operation_is_refused) {
  const std::string before = tracefs->snapshot();
  static_cast<void>(examine(true));
  const std::size_t operations = tracefs->operations().size();
  ASSERT_GT(operations, 10U);
  for (std::size_t at = 1; at <= operations; ++at) {
    use(able_kernel());
    tracefs->fail_at(at, EIO);
    static_cast<void>(examine(true));
    const std::string after = tracefs->snapshot();
    // The instance stays only if its removal was refused; then clean_up() finds it.
    const auto removal = std::find_if(
        tracefs->operations().begin(), tracefs->operations().end(),
        [](const auto& one) { return one.kind == FakeTracefs::Operation::Kind::remove_directory; });
    if (removal != tracefs->operations().end() && removal->refused) continue;
    EXPECT_EQ(after, before) << "after refusing operation " << at;
  }
}

TEST_F(DoctorTest, tries_function_tracing_with_one_function_and_never_at_the_top) {
  std::string filter_when_on;
  tracefs->before_each([&](const FakeTracefs::Operation& one) {
    if (one.path.ends_with("current_tracer") && one.text != "nop") {
      const auto directory = one.path.substr(0, one.path.rfind('/') + 1);
      filter_when_on += tracefs->get(directory + "set_ftrace_filter");
    }
  });
  EXPECT_EQ(ask(kGraph).ability, Ability::yes);
  EXPECT_EQ(filter_when_on, "schedule\nschedule\n");
  for (const auto* file : {"current_tracer", "set_ftrace_filter", "tracing_on"}) {
    EXPECT_FALSE(touched(file)) << file;
  }
}

TEST_F(DoctorTest, tries_in_an_instance_that_the_clean_up_would_find) {
  const std::string before = tracefs->snapshot();
  static_cast<void>(examine(true));
  const auto& first = tracefs->operations();
  const auto made = std::find_if(first.begin(), first.end(), [](const auto& one) {
    return one.kind == FakeTracefs::Operation::Kind::make_directory;
  });
  ASSERT_NE(made, first.end());
  // Simulates a daemon that dies right after that.
  tracefs->add_instance(made->path.substr(made->path.find('/') + 1));
  ASSERT_TRUE(clean_up(*tracefs, fake_settings(machine.files())).has_value());
  EXPECT_EQ(tracefs->snapshot(), before);
}

TEST_F(DoctorTest, never_starts_a_tracer_whose_filter_stayed_empty) {
  FakeKernel kernel = able_kernel();
  kernel.functions = {{"", {"nothing_of_the_canaries"}}};
  use(kernel);
  tracefs->before_each([](const FakeTracefs::Operation& one) {
    EXPECT_FALSE(one.path.ends_with("/current_tracer")) << one.text;
  });
  EXPECT_EQ(ask("function").ability, Ability::no);
}

TEST_F(DoctorTest, an_able_kernel_has_all_of_tracing) {
  const auto answers = examine(true);
  for (const auto* name :
       {"tracefs", kGraph, kGraphInstance, "function", "tracepoints", "event_filters", "stack_traces",
        "trace_marker", "trace_instances", "trace_clocks", "tracing_free"}) {
    EXPECT_EQ(capability(answers, name).ability, Ability::yes) << name;
  }
  EXPECT_EQ(capability(answers, "tracepoints").detail, "4 events in 3 systems");
}

TEST_F(DoctorTest, function_graph_that_instances_may_not_have_is_said_to_be_for_the_top) {
  FakeKernel kernel = able_kernel();
  kernel.graph_in_instances = false;
  use(kernel);
  EXPECT_EQ(ask(kGraph).ability, Ability::yes);
  EXPECT_EQ(ask(kGraphInstance).ability, Ability::no);
  EXPECT_THAT(ask(kGraphInstance).detail, HasSubstr("top instance only"));
}

TEST_F(DoctorTest, a_tracer_that_is_not_listed_is_not_built_and_the_option_is_named) {
  FakeKernel kernel = able_kernel();
  kernel.function_graph = false;
  use(kernel);
  EXPECT_THAT(ask(kGraph).detail, HasSubstr("CONFIG_FUNCTION_GRAPH_TRACER"));
  machine.write("boot/config-6.18", "CONFIG_FUNCTION_TRACER=y\n# CONFIG_FUNCTION_GRAPH_TRACER is not set\n");
  EXPECT_EQ(ask(kGraph).detail, "not built into this kernel (CONFIG_FUNCTION_GRAPH_TRACER is not set)");
  EXPECT_THAT(ask(kGraph).advice, HasSubstr("events work"));
}

TEST_F(DoctorTest, reads_a_gzipped_configuration_first) {
  const std::string path = machine.files().path("proc/config.gz");
  const gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzputs(file, "CONFIG_FTRACE=y\n# CONFIG_KPROBES is not set\n");
  ::gzclose(file);
  machine.write("boot/config-6.18", "CONFIG_KPROBES=y\n");
  EXPECT_EQ(ask("kprobes").detail,
            "not built into this kernel (CONFIG_KPROBES is not set); not used by netperfd");
}

TEST_F(DoctorTest, a_refusal_to_root_is_told_by_what_lockdown_says) {
  FakeKernel kernel = able_kernel();
  kernel.lockdown = true;
  use(kernel);
  EXPECT_THAT(ask("function").detail, HasSubstr("lockdown or a security module"));
  EXPECT_EQ(ask(kGraph).detail, ask("function").detail);
  machine.write("boot/config-6.18", "CONFIG_LOCK_DOWN_KERNEL_FORCE_INTEGRITY=y\n");
  EXPECT_THAT(ask("function").detail, HasSubstr("CONFIG_LOCK_DOWN_KERNEL_FORCE_INTEGRITY is set"));
  machine.write("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
  EXPECT_THAT(ask("function").detail, HasSubstr("locked down (confidentiality)"));
  machine.write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
  EXPECT_THAT(ask("function").detail, HasSubstr("at \"none\""));
  EXPECT_THAT(ask("function").detail, HasSubstr("a security module is the usual cause"));
}

TEST_F(DoctorTest, a_sandbox_is_told_from_the_kernels_own_refusal) {
  const std::string directory = "instances/" + machine.settings.own_instance;
  tracefs->fail_path(directory, EROFS);
  EXPECT_THAT(ask("trace_instances").detail, HasSubstr("read-only"));
  EXPECT_THAT(ask("trace_instances").advice, HasSubstr("ProtectKernelTunables"));
  EXPECT_EQ(ask("tracepoints").ability, Ability::no);
  tracefs->fail_path(directory, EACCES);
  EXPECT_THAT(ask("function").detail, HasSubstr("sandbox"));
}

TEST_F(DoctorTest, without_tracefs_all_that_needs_it_says_how_to_mount_it) {
  tracefs->erase("current_tracer");
  for (const auto* name : {"tracefs", kGraph, "tracepoints", "trace_clocks", "tracing_free"}) {
    EXPECT_EQ(ask(name).ability, Ability::no) << name;
    EXPECT_EQ(ask(name).detail, "tracefs is not mounted");
    EXPECT_EQ(ask(name).advice, "mount -t tracefs nodev /sys/kernel/tracing");
  }
  EXPECT_NE(ask("perf_events").detail, "tracefs is not mounted");
  machine.write("proc/filesystems", "\text4\n");
  EXPECT_EQ(ask("tracefs").detail, "this kernel has no tracefs");
}

TEST_F(DoctorTest, answers_that_last_are_tried_once_a_boot) {
  const auto first = examine(false);
  tracefs->forget_operations();
  const auto second = examine(false);
  EXPECT_TRUE(tracefs->operations().empty());
  ASSERT_EQ(second.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(second[i].name, first[i].name);
    EXPECT_EQ(second[i].detail, first[i].detail);
    EXPECT_EQ(second[i].ability, first[i].ability);
  }
  static_cast<void>(examine(true));
  EXPECT_FALSE(tracefs->operations().empty());
}

TEST_F(DoctorTest, what_can_change_within_a_boot_is_never_cached) {
  static_cast<void>(examine(false));
  tracefs->set("available_events", "a:b\n");
  tracefs->set("current_tracer", "function\n");
  machine.settings.iperf3.found = false;
  machine.write("netns/left", "");
  const auto answers = examine(false);
  EXPECT_EQ(capability(answers, "tracepoints").detail, "1 events in 1 systems");
  EXPECT_EQ(capability(answers, "tracing_free").ability, Ability::no) << "a job would be refused";
  EXPECT_EQ(capability(answers, "iperf3").ability, Ability::no);
  EXPECT_THAT(capability(answers, "network_namespaces").detail, HasSubstr("1 named in"));
}

TEST_F(DoctorTest, another_boot_kernel_or_netperfd_tries_again) {
  for (std::string CatalogueSettings::* key :
       {&CatalogueSettings::boot_id, &CatalogueSettings::kernel_release, &CatalogueSettings::version}) {
    static_cast<void>(examine(false));
    machine.settings.*key += "x";
    tracefs->forget_operations();
    static_cast<void>(examine(false));
    EXPECT_FALSE(tracefs->operations().empty());
  }
}

TEST_F(DoctorTest, an_answer_of_the_sandbox_is_not_kept) {
  const std::string directory = "instances/" + machine.settings.own_instance;
  tracefs->fail_path(directory, EACCES);
  EXPECT_EQ(capability(examine(false), "tracepoints").ability, Ability::no);
  tracefs->fail_path(directory, 0);
  EXPECT_EQ(capability(examine(false), "tracepoints").ability, Ability::yes);
}

TEST_F(DoctorTest, function_tracing_is_not_tried_while_somebody_traces) {
  tracefs->add_instance("other");
  tracefs->set("instances/other/current_tracer", "function\n");
  tracefs->before_each([](const FakeTracefs::Operation& one) {
    EXPECT_FALSE(one.path.ends_with("current_tracer") || one.path.ends_with("set_ftrace_filter")) << one.path;
  });
  EXPECT_EQ(ask(kGraph).ability, Ability::limited);
  EXPECT_THAT(ask("function").detail, HasSubstr("instances/other"));
  EXPECT_EQ(ask("event_filters").ability, Ability::yes);
}

TEST_F(DoctorTest, while_a_job_is_traced_the_known_answer_stands) {
  static_cast<void>(examine(false));
  tracefs->add_instance(machine.settings.own_instance);
  EXPECT_EQ(ask(kGraph).ability, Ability::yes);
  machine.settings.boot_id += "x";
  EXPECT_EQ(ask(kGraph).ability, Ability::limited);
  EXPECT_THAT(ask(kGraph).detail, HasSubstr("a job is being traced"));
  EXPECT_EQ(ask("event_filters").ability, Ability::limited) << "the job has the instance";
  EXPECT_EQ(ask("tracing_free").ability, Ability::yes) << "netperfd is not in its own way";
}

TEST_F(DoctorTest, uprobes_and_kprobes_are_asked_for_without_defining_any) {
  tracefs->set("uprobe_events", "p:mine/x /bin/true:0x1\n");
  tracefs->set("kprobe_events", "");
  EXPECT_EQ(ask("uprobes").ability, Ability::yes);
  EXPECT_EQ(ask("kprobes").ability, Ability::yes);
  EXPECT_FALSE(touched("uprobe_events"));
  tracefs->fail_path("kprobe_events", EPERM);
  EXPECT_EQ(ask("kprobes").ability, Ability::no);
}

TEST_F(DoctorTest, symbols_without_addresses_are_of_little_use) {
  EXPECT_EQ(ask("kernel_symbols").ability, Ability::yes);
  machine.write("proc/kallsyms", "0000000000000000 A fixed_percpu_data\n0000000000000000 T _text\n");
  EXPECT_EQ(ask("kernel_symbols").ability, Ability::limited);
  EXPECT_THAT(ask("kernel_symbols").advice, HasSubstr("CAP_SYSLOG"));
  machine.write("proc/kallsyms", "");
  EXPECT_EQ(ask("kernel_symbols").ability, Ability::no);
}

TEST_F(DoctorTest, iperf3_says_its_version_and_what_it_lacks) {
  EXPECT_THAT(ask("iperf3").detail, StartsWith("3.12; has no --json-stream"));
  EXPECT_EQ(ask("iperf3").ability, Ability::limited);
  machine.settings.iperf3.json_stream = true;
  EXPECT_EQ(ask("iperf3").ability, Ability::yes);
}

// ---- The cache file ---------------------------------------------------------------------------------------

class CapabilityCacheTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return scratch.path("capabilities"); }
  [[nodiscard]] std::vector<std::string> load(const CacheKey& asked) const {
    std::vector<std::string> names;
    for (const Capability& one : load_capabilities(path(), asked))
      names.push_back(one.name + "=" + one.detail);
    return names;
  }
  ScratchDirectory scratch;
  const CacheKey key{"boot", "6.18", "0.1.0"};
  const std::vector<Capability> two{{"a", Ability::limited, "half of it", "wait"},
                                    {"b", Ability::no, "", ""}};
};

TEST_F(CapabilityCacheTest, gives_back_what_was_saved_to_the_same_key_only) {
  ASSERT_TRUE(save_capabilities(path(), key, two));
  EXPECT_THAT(load(key), ElementsAre("a=half of it", "b="));
  EXPECT_EQ(load_capabilities(path(), key).front().ability, Ability::limited);
  EXPECT_EQ(load_capabilities(path(), key).front().advice, "wait");
  EXPECT_THAT(load({"boot2", "6.18", "0.1.0"}), IsEmpty());
  EXPECT_THAT(load({"boot", "6.18", "0.1"}), IsEmpty());
}

TEST_F(CapabilityCacheTest, a_damaged_file_is_as_none) {
  ASSERT_TRUE(save_capabilities(path(), key, two));
  const std::string whole = scratch.read("capabilities");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    scratch.write("capabilities", whole.substr(0, at));
    EXPECT_THAT(load(key), IsEmpty()) << "cut at " << at;
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    scratch.write("capabilities", changed);
    EXPECT_THAT(load(key), IsEmpty()) << "changed at " << at;
  }
  scratch.write("capabilities", whole);
  EXPECT_EQ(load(key).size(), 2U);
}

TEST_F(CapabilityCacheTest, replaces_the_file_as_a_whole_and_follows_no_link) {
  scratch.write("precious", "as it was");
  ASSERT_EQ(::symlink(scratch.path("precious").c_str(), (path() + ".new").c_str()), 0);
  ASSERT_TRUE(save_capabilities(path(), key, two));
  EXPECT_EQ(scratch.read("precious"), "as it was");
  EXPECT_FALSE(scratch.has("capabilities.new"));
  EXPECT_FALSE(save_capabilities(scratch.path("nowhere/x"), key, two));
}

TEST_F(CapabilityCacheTest, keeps_a_text_with_a_tab_in_one_field) {
  ASSERT_TRUE(save_capabilities(path(), key, {{"a", Ability::no, "one\ttwo\nthree", ""}}));
  EXPECT_THAT(load(key), ElementsAre("a=one two three"));
}

// ---- This machine

TEST(KernelsDoctor, knows_this_kernel_and_leaves_its_tracefs_as_it_was) {
  const ScratchDirectory scratch;
  const auto tracefs = make_real_tracefs("/sys/kernel/tracing");
  const auto tracers = tracefs->read("available_tracers");
  ASSERT_TRUE(tracers.has_value()) << "needs root and tracefs: " << tracers.error().message;
  const auto settings = real_settings(scratch);
  const std::string before = kernel_snapshot(*tracefs);
  Reasons reasons(settings);
  const auto answers = Doctor(*tracefs, reasons, settings).examine(true);
  EXPECT_EQ(kernel_snapshot(*tracefs), before);
  EXPECT_FALSE(tracefs->exists("instances/" + settings.own_instance));
  for (const auto* name : {"tracefs", "tracepoints", "event_filters", "stack_traces", "trace_marker",
                           "trace_instances", "trace_clocks"}) {
    EXPECT_EQ(capability(answers, name).ability, Ability::yes) << name << capability(answers, name).detail;
  }
  if (tracers->find(kGraph) == std::string::npos) {
    EXPECT_EQ(capability(answers, kGraph).ability, Ability::no);
    EXPECT_THAT(capability(answers, kGraph).detail, HasSubstr("CONFIG_FUNCTION_GRAPH_TRACER"));
  }
  if (!tracefs->read("available_filter_functions")) {
    EXPECT_NE(capability(answers, "function").ability, Ability::yes);
  }
}

}  // namespace
}  // namespace netperfd::trace
