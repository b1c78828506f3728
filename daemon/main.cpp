// SPDX-License-Identifier: GPL-2.0-or-later
// netperfd: connects the modules and serves until SIGTERM. Only this file sees all modules.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/base/aside.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/bus/reboot_report.hpp"
#include "daemon/bus/service.hpp"
#include "daemon/child_processes.hpp"
#include "daemon/command/commands.hpp"
#include "daemon/command/side_journal_file.hpp"
#include "daemon/command/unit_programs.hpp"
#include "daemon/config/daemon_config.hpp"
#include "daemon/config/scenario.hpp"
#include "daemon/core/audit_trail.hpp"
#include "daemon/core/comparison/job_comparison.hpp"
#include "daemon/core/deferred_ends.hpp"
#include "daemon/core/event_clock.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/core/ports/retention_store.hpp"
#include "daemon/core/queue/resumption.hpp"
#include "daemon/core/queue/scheduler.hpp"
#include "daemon/core/retention/retention.hpp"
#include "daemon/counters/device_packets.hpp"
#include "daemon/counters/fingerprint.hpp"
#include "daemon/counters/host_watch.hpp"
#include "daemon/counters/machine_parts.hpp"
#include "daemon/counters/run_counters.hpp"
#include "daemon/import/child_import.hpp"
#include "daemon/kept_store.hpp"
#include "daemon/log/log.hpp"
#include "daemon/missing_programs.hpp"
#include "daemon/options.hpp"
#include "daemon/query/query_pool.hpp"
#include "daemon/reading/child_reports.hpp"
#include "daemon/recovery.hpp"
#include "daemon/reread.hpp"
#include "daemon/run_log.hpp"
#include "daemon/sampling/kernel_sampler.hpp"
#include "daemon/settings.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/trace/catalogue/catalogue.hpp"
#include "daemon/trace/kernel_tracer.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"
#include "daemon/trace_settings.hpp"
#include "daemon/workload/iperf3/probe.hpp"
#include "daemon/workload/run_group.hpp"
#include "daemon/workload/workloads.hpp"

namespace netperfd {
namespace {

// State of the machine that is found out before the daemon serves.
struct Machine {
  std::unique_ptr<store::SqliteStore> store;
  workload::Iperf3Features iperf3;
  std::unique_ptr<trace::Tracefs> tracefs;
  trace::SessionSettings tracing;
  workload::GroupSite groups;
  std::unique_ptr<command::Commands> commands;
  std::unique_ptr<command::UnitPrograms> units;
  std::optional<command::SideJournalFile> sides;
  std::optional<command::BootJournalFile> boots;
};

// The running daemon: every module's object, in order of dependence.
class Program {
 public:
  Program(EventLoop& loop, Options options, Settings settings, Machine machine)
      : loop_(loop),
        options_(std::move(options)),
        settings_(std::move(settings)),
        began_with_(settings_.config),
        machine_(std::move(machine)),
        clock_(loop),
        reports_(loop, settings_.readers),
        workload_({.loop = loop,
                   .clock = clock_,
                   .reports = reports_,
                   .latency_reports = reports_,
                   .figures = reports_,
                   .iperf3 = settings_.iperf3,
                   .features = machine_.iperf3,
                   .echo_path = settings_.config.echo_path}),
        catalogue_(*machine_.tracefs,
                   catalogue_settings(settings_.config, machine_.tracing, machine_.iperf3, machine_.groups,
                                      [this] { return missing_programs(scenarios_); })),
        tracer_(clock_, *machine_.tracefs, catalogue_, machine_.tracing),
        run_counters_(clock_),
        sampler_(loop),
        fingerprints_(machine_.iperf3.version),
        scenarios_(scenario_directories(settings_.config)),
        ends_(*machine_.store, clock_),
        audit_(*machine_.store, clock_),
        judge_(*machine_.store),
        scheduler_({workload_,
                    tracer_,
                    ends_,
                    clock_,
                    packets_,
                    run_counters_,
                    fingerprints_,
                    *machine_.commands,
                    *machine_.sides,
                    *machine_.boots,
                    &sampler_,
                    &host_watch_,
                    {.path = settings_.config.switch_path, .note = settings_.config.database + ".switch"},
                    &judge_,
                    &parts_},
                   settings_.config.queue_limit),
        retention_(
            {*machine_.store, ends_, audit_, clock_},
            {.may_work = [this] { return scheduler_.is_idle(); },
             .is_needed = [this](JobId job) { return scheduler_.has_left_side(job); },
             .removed =
                 [this](const core::RunOfJob& removed) { service_->run_deleted(removed.run, removed.job); }}),
        store_keeper_({*machine_.store, ends_, audit_, retention_, clock_, settings_.config}),
        trace_import_(loop, {.reader = settings_.readers}),
        query_runner_(loop, {.uid = settings_.readers.uid,
                             .gid = settings_.readers.gid,
                             .database = settings_.config.database}),
        reboot_report_(*machine_.store, query_runner_,
                       [](const std::string& text, JobId job) { log::info(text, {.job = job}); }),
        importer_(ends_, trace_import_, clock_) {
    scheduler_.set_user_limits(settings_.config.user_limits);
    scheduler_.add_observer(run_log_);
    scheduler_.add_observer(retention_);
    scheduler_.add_observer(reboot_report_);
  }

  [[nodiscard]] Result<int> serve();

 private:
  [[nodiscard]] Status watch_signals();
  [[nodiscard]] Status resume_jobs();
  void end_reboots_of_ended_job();
  void reload();
  void apply(Settings settings);
  void shut_down();

  EventLoop& loop_;
  Options options_;
  Settings settings_;
  const config::DaemonConfig began_with_;  // a reload changes settings_, not what the modules were given
  Machine machine_;
  core::EventClock clock_;
  reading::ChildReports reports_;
  workload::Workloads workload_;
  trace::KernelCatalogue catalogue_;
  trace::KernelTracer tracer_;
  counters::DevicePacketCounter packets_;
  counters::RunCounters run_counters_;
  sampling::KernelSampler sampler_;
  counters::KernelHostWatch host_watch_;
  counters::KernelMachineParts parts_;
  counters::EnvironmentFingerprint fingerprints_;
  config::ScenarioDirectories scenarios_;
  RunLog run_log_;
  core::DeferredEnds ends_;
  core::AuditTrail audit_;
  core::StoredJobJudge judge_;
  core::Scheduler scheduler_;
  core::Retention retention_;
  KeptStore store_keeper_;
  import::ChildImport trace_import_;
  query::QueryPool query_runner_;
  bus::RebootReport reboot_report_;
  core::Importer importer_;
  std::unique_ptr<bus::Service> service_;
  std::array<EventSource, 3> signals_;
  bool stopping_ = false;
};

Status Program::watch_signals() {
  auto terminate = loop_.on_signal(SIGTERM, [this] { shut_down(); });
  if (!terminate) return std::unexpected(std::move(terminate.error()));
  auto interrupt = loop_.on_signal(SIGINT, [this] { shut_down(); });
  if (!interrupt) return std::unexpected(std::move(interrupt.error()));
  auto hang_up = loop_.on_signal(SIGHUP, [this] { reload(); });
  if (!hang_up) return std::unexpected(std::move(hang_up.error()));
  signals_ = {std::move(*terminate), std::move(*interrupt), std::move(*hang_up)};
  return {};
}

Status Program::resume_jobs() {
  const auto note = machine_.boots->read();
  auto report = core::resume_jobs(ends_, scenarios_, scheduler_,
                                  note && *note ? std::optional{(*note)->job} : std::nullopt);
  if (!report) return std::unexpected(std::move(report.error()));
  for (const std::string& line : *report) log::warn(line);
  end_reboots_of_ended_job();
  return {};
}

// The last daemon ended with the reboot back to the original side, or the job cannot go on.
void Program::end_reboots_of_ended_job() {
  const auto is_live = [this](JobId job) { return scheduler_.job(job).has_value(); };
  core::BootJournal& journal = *machine_.boots;
  const auto note = journal.read();
  const Status back = end_reboots(loop_, *machine_.commands, journal, is_live);
  if (!note || !*note || is_live((*note)->job)) return;
  const core::BootNote& left = **note;
  if (left.letter == 0) {
    BootArrival arrival{
        .settled = {}, .boot_id = journal.boot_id(), .kernel = journal.kernel(), .failure = {}};
    if (back) arrival.settled = clock_.now();
    if (!back) arrival.failure = back.error().message;
    (void)ends_.end_boot(left.job, left.boots, arrival);
  }
  reboot_report_.tell(left.job);
}

Result<int> Program::serve() {
  if (auto watched = watch_signals(); !watched) return std::unexpected(std::move(watched.error()));
  if (auto watched = loop_.enable_watchdog(); !watched) return std::unexpected(std::move(watched.error()));
  if (auto resumed = resume_jobs(); !resumed) return std::unexpected(std::move(resumed.error()));
  auto service = bus::Service::create(loop_,
                                      {.scheduler = scheduler_,
                                       .scenarios = scenarios_,
                                       .catalogue = catalogue_,
                                       .store = ends_,
                                       .audit = audit_,
                                       .queries = *machine_.store,
                                       .importer = importer_,
                                       .trace_import = trace_import_,
                                       .query_runner = query_runner_,
                                       .store_keeper = store_keeper_},
                                      {.version = NETPERFD_VERSION,
                                       .iperf3_version = machine_.iperf3.version,
                                       .iperf3_intervals = machine_.iperf3.json_stream(),
                                       .group = settings_.group,
                                       .trace_events = settings_.config.trace_events,
                                       .run_limit = settings_.config.repeat_limit});
  if (!service) return std::unexpected(std::move(service.error()));
  service_ = std::move(*service);
  retention_.set_rules(settings_.config.keep);
  log::info(fmt::format("netperfd {} ready, iperf3 {}", NETPERFD_VERSION,
                        machine_.iperf3.version.empty() ? "not found" : machine_.iperf3.version));
  (void)sd_notify(0, "READY=1\nSTATUS=idle");
  const int code = loop_.run();
  if (const std::string saved = machine_.store->rescue(); !saved.empty()) log::error(saved);
  return code;
}

void Program::reload() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  (void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
                   static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000);
  if (auto settings = load_settings(options_)) {
    apply(std::move(*settings));
    audit_.record({.uid = std::nullopt, .action = "reload"});
    log::info("configuration reloaded");
  } else {
    audit_.record({.uid = std::nullopt,
                   .action = "reload",
                   .outcome = core::AuditOutcome::failed,
                   .detail = settings.error().message});
    log::error(fmt::format("configuration not reloaded, the old one stays: {}", settings.error().message));
  }
  (void)sd_notify(0, "READY=1");
}

void Program::apply(Settings settings) {
  const auto& config = settings.config;
  if (const auto later = config::keys_of_next_start(began_with_, config); !later.empty()) {
    log::warn(fmt::format("the new value of {} takes effect at the next start of netperfd: restart it",
                          fmt::join(later, ", ")));
  }
  log::set_log_level(settings.level);
  scenarios_ = scenario_directories(config);
  scheduler_.set_queue_limit(config.queue_limit);
  scheduler_.set_user_limits(config.user_limits);
  retention_.set_rules(config.keep);
  service_->set_group(settings.group);
  service_->set_trace_events(config.trace_events);
  service_->set_run_limit(config.repeat_limit);
  settings_ = std::move(settings);
}

void Program::shut_down() {
  if (std::exchange(stopping_, true)) return;
  (void)sd_notify(0, "STOPPING=1\nSTATUS=stopping");
  log::info("stopping");
  scheduler_.shut_down("netperfd was stopped", [this] { loop_.exit(EXIT_SUCCESS); });
}

// Must run before any library starts a thread of its own. The launcher gives children an empty mask.
void block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  (void)pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  (void)std::signal(SIGPIPE, SIG_IGN);  // a child may die before it reads its release
}

Result<int> run(const Options& options) {
  if (auto begun = begin_looks(); !begun) return std::unexpected(std::move(begun.error()));
  if (options.clean_up) {
    const auto config = load_config(options);
    return config ? clean_up(*config) : std::unexpected(config.error());
  }
  auto settings = load_settings(options);
  if (!settings) return std::unexpected(std::move(settings.error()));
  if (options.check) return check_settings(*settings);
  if (options.reread) return reread(*settings, options.apply);
  if (auto started = log::start_logging(settings->level); !started) return std::unexpected(started.error());
  tell_end_of_looks([] {
    log::error(
        "the process netperfd-looks has ended: until netperfd is restarted, nothing is known of the "
        "processes of others, and no server is found to be ready by its port");
  });
  auto loop = EventLoop::create();
  if (!loop) return std::unexpected(std::move(loop.error()));
  auto store = store::SqliteStore::open(settings->config.database, settings->config.min_free_bytes);
  if (!store) return std::unexpected(std::move(store.error()));
  if (const auto& copy = (*store)->copy_path(); !copy.empty()) {
    log::info(fmt::format("the database was migrated; as it was before, it is in {}", copy));
  }
  if (const auto count = (*store)->interrupted_runs(); count > 0) {
    log::warn(fmt::format("{} run(s) were under way when netperfd last ended; they are now \"interrupted\"",
                          count));
  }
  if (auto room = (*store)->expect_room(); !room)
    log::warn(fmt::format("no run can begin: {}", room.error().message));
  Machine machine;
  machine.store = std::move(*store);
  auto tracing = session_settings(settings->config);
  if (!tracing) return std::unexpected(std::move(tracing.error()));
  machine.tracing = std::move(*tracing);
  machine.tracefs = trace::make_real_tracefs(tracefs_root());
  put_tracefs_back(*machine.tracefs, machine.tracing);
  auto sides = open_side_journal(settings->config, machine.tracing.boot_id);
  if (!sides) return std::unexpected(std::move(sides.error()));
  machine.sides = std::move(*sides);
  auto owner = machine.sides->owner();
  if (!owner) return std::unexpected(std::move(owner.error()));
  machine.units = std::make_unique<command::UnitPrograms>(*loop, *owner);
  end_left_units(*machine.units);
  settings->iperf3.units = machine.units.get();
  machine.commands = command::make_commands(*loop, *std::move(owner));
  put_side_back(*loop, *machine.commands, *machine.sides, counters::KernelMachineParts{});
  machine.boots = boot_journal(settings->config, machine.tracing.boot_id);
  machine.groups = find_run_groups();
  settings->iperf3.group_site = machine.groups.directory;
  remove_left_directories(settings->iperf3);
  // Without iperf3 the store can still be read; jobs then fail with this reason.
  auto features = workload::probe_iperf3(*loop, settings->iperf3);
  if (!features) log::warn(features.error().message);
  if (features) machine.iperf3 = std::move(*features);
  Program program{*loop, options, std::move(*settings), std::move(machine)};
  return program.serve();
}

}  // namespace
}  // namespace netperfd

int main(int argc, char** argv) {
  netperfd::run_as_child(argc, argv);
  const auto options = netperfd::parse_options(argc, argv);
  if (!options) return options.error();
  if (!options->reread) netperfd::block_signals();  // a signal ends that at once
  const auto code = netperfd::run(*options);
  if (!code) {
    fmt::print(stderr, "netperfd: {}\n", code.error().message);
    return EXIT_FAILURE;
  }
  return *code;
}
