// SPDX-License-Identifier: GPL-2.0-or-later
// org.netperfd1.Manager: each method is a task for the scheduler, the scenarios, the store or the catalogue.
// Those about traces are in manager_trace.cpp, manager_functions.cpp and manager_recording.cpp, those about
// what the kernel offers in manager_catalogue.cpp, GetFingerprint in manager_fingerprint.cpp, and the queries
// that a process of their own answers in manager_queries.cpp.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/base/received_fds.hpp"
#include "daemon/bus/authorization.hpp"
#include "daemon/bus/callers.hpp"
#include "daemon/bus/deferred.hpp"
#include "daemon/bus/documents.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/service.hpp"
#include "daemon/core/action.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/log/log.hpp"
#include "dbus/compat.hpp"
#include "netperfd-dbus/Manager_adaptor.hpp"

namespace netperfd::bus {

// All must outlive the object.
struct ManagerPorts : ServicePorts {
  Authorization& authorization;
  Callers& callers;
  ReceivedFds& received;
  Documents& documents;
};

class ManagerObject final
    : public sdbus::AdaptorInterfaces<sdbus::ObjectManager_adaptor, org::netperfd1::Manager_adaptor> {
 public:
  // Throws sdbus::Error.
  ManagerObject(sdbus::IConnection& connection, ManagerPorts ports, ServiceSettings settings);
  ManagerObject(const ManagerObject&) = delete;
  ManagerObject& operator=(const ManagerObject&) = delete;
  ~ManagerObject() { unregisterAdaptor(); }

  void set_trace_events(std::vector<std::string> patterns) { settings_.trace_events = std::move(patterns); }

  // Implement StopJob and Mark, also for the methods of a job's object.
  void stop_job(sdbus::Result<>&& result, std::uint64_t job, const dbus::Sender& sender);
  void mark_job(sdbus::Result<>&& result, std::uint64_t job, const std::string& text,
                const dbus::Sender& sender);

 private:
  using Dict = std::map<std::string, sdbus::Variant>;
  using Dicts = std::vector<Dict>;
  // Rows, the cursor of the next page, and the total number of rows.
  using ListPage = std::tuple<Dicts, std::string, std::uint64_t>;

  void StartScenario(sdbus::Result<sdbus::ObjectPath>&& result, std::string scenario, Dict options) override;
  void StartJob(sdbus::Result<sdbus::ObjectPath>&& result, std::string text, std::string origin,
                Dict options) override;
  void CheckScenario(sdbus::Result<std::uint32_t, std::uint32_t>&& result, std::string scenario,
                     Dict options) override;
  void CheckJob(sdbus::Result<std::uint32_t, std::uint32_t>&& result, std::string text, std::string origin,
                Dict options) override;
  void CheckBoots(sdbus::Result<std::uint32_t, double>&& result, std::string scenario, Dict options) override;
  Dicts ListBoots(const std::uint64_t& job) override;
  void StopJob(sdbus::Result<>&& result, std::uint64_t job) override;
  void HoldJob(sdbus::Result<>&& result, std::uint64_t job) override;
  void ReleaseJob(sdbus::Result<>&& result, std::uint64_t job) override;
  Dicts ListScenarios() override;
  void ListRuns(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                std::uint32_t limit) override;
  void ListJobs(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                std::uint32_t limit) override;
  void SetLabel(sdbus::Result<>&& result, std::uint64_t job, std::string label) override;
  void SetNote(sdbus::Result<>&& result, std::uint64_t run, std::string note) override;
  std::tuple<Dict, Dicts, Dicts> GetRun(const std::uint64_t& id) override;
  Dicts ListStreams(const std::uint64_t& run) override;
  std::tuple<Dicts, std::string> ListIntervals(const std::uint64_t& run, const std::string& cursor,
                                               const std::uint32_t& limit) override;
  std::tuple<Dict, Dicts, Dicts, Dicts, Dicts> GetTrace(const std::uint64_t& run) override;
  void ListTraceSamples(sdbus::Result<Dicts, std::string>&& result, std::uint64_t run, std::string event,
                        std::string cursor, std::uint32_t limit) override;
  std::tuple<Dicts, std::string> ListTraceStacks(const std::uint64_t& run, const std::string& cursor,
                                                 const std::uint32_t& limit) override;
  std::tuple<std::string, Dicts, std::vector<std::string>> GetFingerprint(const std::uint64_t& run) override;
  std::tuple<Dict, Dicts> GetBudget(const std::uint64_t& job) override;
  std::tuple<Dict, Dicts> GetFunctionProfile(const std::uint64_t& run) override;
  ListPage ListFunctionProfile(const std::uint64_t& run, const std::string& cursor,
                               const std::uint32_t& limit) override;
  ListPage ListFunctionSlices(const std::uint64_t& run, const std::string& cursor,
                              const std::uint32_t& limit) override;
  ListPage ListCallEdges(const std::uint64_t& run, const std::string& cursor,
                         const std::uint32_t& limit) override;
  ListPage ListCallTree(const std::uint64_t& run, const std::string& cursor,
                        const std::uint32_t& limit) override;
  std::tuple<Dicts, std::string, std::uint64_t, std::vector<std::string>> ListCounters(
      const std::uint64_t& run, const std::string& cursor, const std::uint32_t& limit) override;
  ListPage ListTcpSamples(const std::uint64_t& run, const std::string& cursor,
                          const std::uint32_t& limit) override;
  ListPage ListQueueSamples(const std::uint64_t& run, const std::string& cursor,
                            const std::uint32_t& limit) override;
  std::tuple<Dicts, Dicts, Dicts> GetLatency(const std::uint64_t& run) override;
  ListPage ListLatencyIntervals(const std::uint64_t& run, const std::string& cursor,
                                const std::uint32_t& limit) override;
  Dicts GetLatencyHistogram(const std::uint64_t& run, const std::string& probe, const std::string& phase,
                            const std::string& span) override;
  std::tuple<Dict, Dicts> GetSampleProfile(const std::uint64_t& run) override;
  ListPage ListSampledFunctions(const std::uint64_t& run, const std::string& cursor,
                                const std::uint32_t& limit) override;
  ListPage ListSampledStacks(const std::uint64_t& run, const std::string& cursor,
                             const std::uint32_t& limit) override;
  void ListAuditLog(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                    std::uint32_t limit) override;
  void OpenTraceText(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run) override;
  void ImportRun(sdbus::Result<std::uint64_t>&& result, std::vector<sdbus::UnixFd> files,
                 std::vector<std::string> names, Dict options) override;
  void Mark(sdbus::Result<>&& result, std::uint64_t job, std::string text) override;
  void ListCapabilities(sdbus::Result<Dicts>&& result, bool fresh) override;
  Dicts ListModules(const std::string& pattern) override;
  std::tuple<Dicts, std::string, std::uint64_t, std::vector<std::string>> ListFunctions(
      const Dict& filter, const std::string& cursor, const std::uint32_t& limit) override;
  std::vector<std::string> ListEvents(const std::string& pattern) override;
  std::vector<std::string> ListAllowedEvents(const std::string& pattern) override;
  std::tuple<Dict, Dicts> GetEvent(const std::string& name) override;
  Dicts ListTracers() override;
  void Compare(sdbus::Result<Dict, Dicts, Dicts, Dicts>&& result, std::string a, std::string b,
               Dict options) override;
  void CompareJob(sdbus::Result<Dict, Dicts, Dicts, Dicts>&& result, std::uint64_t job,
                  Dict options) override;
  void CompareSamples(sdbus::Result<Dict, Dicts>&& result, std::vector<std::uint64_t> a,
                      std::vector<std::uint64_t> b, Dict options) override;
  void PlanRuns(sdbus::Result<Dict>&& result, std::string runs, Dict options) override;
  void GetJob(sdbus::Result<Dict, Dicts>&& result, std::uint64_t id) override;
  void OpenDocument(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run, std::string name) override;
  void OpenBundle(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t job, Dict options) override;
  void CheckStore(sdbus::Result<Dict>&& result) override;
  void OpenBackup(sdbus::Result<sdbus::UnixFd>&& result) override;
  void RestoreStore(sdbus::Result<Dict>&& result, sdbus::UnixFd file) override;
  void ListOldJobs(sdbus::Result<Dicts, std::string>&& result, Dict rule, std::string cursor,
                   std::uint32_t limit) override;
  void DeleteJob(sdbus::Result<std::uint64_t>&& result, std::uint64_t job) override;
  void DeleteRun(sdbus::Result<>&& result, std::uint64_t run) override;
  void Subscribe(sdbus::Result<>&& result) override;
  void Unsubscribe() override;
  std::string Version() override;
  std::string Iperf3Version() override;
  bool LiveIntervals() override;
  std::string LiveSource() override;
  std::string AuthorizedGroup() override;

  // Finds out who calls, then calls `work(caller)`. Its exceptions are sent to the caller.
  template <class... Values, class Work>
  void with_caller(const dbus::Sender& sender, const SharedReply<Values...>& reply, Work work);
  template <class... Values, class Work>
  void with_caller(const SharedReply<Values...>& reply, Work work) {
    with_caller(dbus::sender_of(getObject()), reply, std::move(work));
  }
  // Calls `work()` if the caller may do it. That may be minutes later: whatever `work` needs may have changed
  // by then, so it looks it up. Its exceptions and a refusal are sent to the caller.
  template <class... Values, class Work>
  void when_allowed(const Caller& caller, const Wanted& wanted, const SharedReply<Values...>& reply,
                    Work work, Authorization::Ask ask = Authorization::Ask::now);
  // Both in one, for what does not depend on the caller: calls `work(caller)`.
  template <class... Values, class Work>
  void with_allowed(Wanted wanted, const SharedReply<Values...>& reply, Work work) {
    with_caller(reply,
                [this, wanted = std::move(wanted), reply, work = std::move(work)](const Caller& caller) {
                  when_allowed(caller, wanted, reply, [work, caller] { work(caller); });
                });
  }
  // Calls `work(run, caller)` with the row of the run, whose raw data the caller may read; `parts` names
  // them. NotFound if there is no such run.
  enum class Raw {
    of_owner,         // readable for the owner of the run
    kernel_addresses  // not even for him: any member could then defeat address space randomisation
  };
  template <class... Values, class Work>
  void with_readable_run(std::uint64_t run, const std::string& parts, Raw raw,
                         const SharedReply<Values...>& reply, Work work);
  // Answers with the values that a process of its own gives for the request's bytes (query_bytes.hpp), which
  // `make(uid)` makes once it is known who calls. Ends when the caller leaves.
  template <class... Values, class MakeRequest>
  void query(const SharedReply<Values...>& reply, MakeRequest make);
  // The same for other bytes than those of values: calls `give(bytes)`, whose exceptions are sent.
  template <class... Values, class Give>
  void query_bytes(const SharedReply<Values...>& reply, const Caller& caller, const std::string& request,
                   std::size_t most_bytes, Give give, std::chrono::milliseconds deadline = {});
  [[nodiscard]] Dict restored(core::Deed deed, const Result<std::string>& checked);
  using StartReply = SharedReply<sdbus::ObjectPath>;
  using LoadJob = std::function<Result<JobSpec>(const Caller& caller)>;
  // How the arguments become a job; throw if they are too long.
  [[nodiscard]] LoadJob loading_scenario(std::string name, core::JobOptions options);
  [[nodiscard]] LoadJob parsing_job(std::string text, std::string origin, core::JobOptions options);
  void expect_may_check(const Caller& caller) const;
  // Answers how many runs the job has, and which `repeat` is the largest.
  void check_for_member(const SharedReply<std::uint32_t, std::uint32_t>& reply, const LoadJob& load);
  // Starts the job if the caller may do all that it needs.
  void start_if_allowed(const StartReply& reply, const LoadJob& load, const StartOptions& options,
                        core::TraceSource source);
  [[nodiscard]] sdbus::ObjectPath start(const JobSpec& spec, const StartOptions& options,
                                        const Caller& caller);
  // Calls `change` with the live job if the caller may manage it, and records it as `action`.
  using ChangeJob = std::function<void(JobId job, uid_t uid)>;
  void change_job(sdbus::Result<>&& result, std::uint64_t job, const dbus::Sender& sender,
                  const std::string& action, const ChangeJob& change);
  // Records that `deed` was refused or has failed with this error.
  void record_failure(core::Deed deed, const sdbus::Error& error);
  // If `status` is an error, records and throws it.
  void refuse_recorded(const core::Deed& deed, const Status& status);
  // Calls `work(deed)`, which may add to `deed`, and records how it ended.
  template <class Work>
  void recorded(core::Deed deed, Work work) {
    try {
      work(deed);
    } catch (const sdbus::Error& error) {
      record_failure(deed, error);
      throw;
    }
    ports_.audit.record(deed);
  }
  void require_idle(const std::string& unique_name) const;  // throws
  // Ends, with the answer, when `unique_name` leaves; throws.
  void import_files(const SharedReply<std::uint64_t>& reply, std::vector<core::NamedFile> files,
                    const core::ImportRequest& request, const std::string& unique_name);

  ManagerPorts ports_;
  ServiceSettings settings_;
  std::uint64_t bundles_ = 0;  // made so far
};

template <class... Values, class Work>
void ManagerObject::with_caller(const dbus::Sender& sender, const SharedReply<Values...>& reply, Work work) {
  ports_.authorization.identify(sender, [reply, work = std::move(work)](const Result<Caller>& caller) {
    answer(reply, [&] {
      if (!caller) throw to_dbus(caller.error());
      work(*caller);
    });
  });
}

template <class... Values, class Work>
void ManagerObject::when_allowed(const Caller& caller, const Wanted& wanted,
                                 const SharedReply<Values...>& reply, Work work, Authorization::Ask ask) {
  ports_.authorization.authorize(caller, wanted, ask,
                                 [reply, work = std::move(work)](const Status& decision) {
                                   answer(reply, [&] {
                                     throw_if_failed(decision);
                                     work();
                                   });
                                 });
}

template <class... Values, class Work>
void ManagerObject::with_readable_run(std::uint64_t run, const std::string& parts, Raw raw,
                                      const SharedReply<Values...>& reply, Work work) {
  with_caller(reply, [this, run, parts, raw, reply, work = std::move(work)](const Caller& caller) {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const uid_t owner = value_or_throw(ports_.queries.run(id)).owner;
    Wanted wanted{.actions = {}, .deed = fmt::format("read {} of run {} of uid {}", parts, id, owner)};
    if (raw == Raw::kernel_addresses || caller.uid != owner) wanted.actions = {core::Action::read_raw};
    // The run may be deleted while somebody is asked.
    when_allowed(caller, wanted, reply, [this, id, caller, work, parts] {
      recorded({.uid = caller.uid, .action = "read", .run = id, .detail = parts},
               [&](core::Deed&) { work(value_or_throw(ports_.queries.run(id)), caller); });
    });
  });
}

template <class... Values, class Give>
void ManagerObject::query_bytes(const SharedReply<Values...>& reply, const Caller& caller,
                                const std::string& request, std::size_t most_bytes, Give give,
                                std::chrono::milliseconds deadline) {
  const auto number = std::make_shared<std::uint64_t>();
  const auto done = [this, reply, name = caller.name, number,
                     give = std::move(give)](const Result<std::string>& bytes) {
    answer(reply, [&] { give(value_or_throw(bytes)); });
    ports_.callers.forget(name, *number);  // last: it destroys the query
  };
  const core::QueryCaller user{.uid = caller.uid,
                               .may_measure = ports_.authorization.is_member(caller),
                               .answer_bytes = most_bytes,
                               .deadline = deadline};
  auto running = value_or_throw(ports_.query_runner.run(user, request, done));
  // What keeps the query is destroyed when the caller leaves, or when it is forgotten.
  *number = value_or_throw(ports_.callers.on_leaving(caller.name, [running = std::move(running)] {}));
}

}  // namespace netperfd::bus
