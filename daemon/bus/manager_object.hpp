// org.netperfd1.Manager: each method is a task for the scheduler, the scenarios, the store or the catalogue.
// Those about traces are in manager_trace.cpp, manager_functions.cpp and manager_recording.cpp, those about
// what the kernel offers in manager_catalogue.cpp, Compare, CompareJob and PlanRuns in
// manager_compare.cpp, GetFingerprint in manager_fingerprint.cpp.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/bus/authorization.hpp"
#include "daemon/bus/callers.hpp"
#include "daemon/bus/deferred.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/service.hpp"
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
};

class ManagerObject final
    : public sdbus::AdaptorInterfaces<sdbus::ObjectManager_adaptor, org::netperfd1::Manager_adaptor> {
 public:
  // Throws sdbus::Error.
  ManagerObject(sdbus::IConnection& connection, ManagerPorts ports, ServiceSettings settings);
  ManagerObject(const ManagerObject&) = delete;
  ManagerObject& operator=(const ManagerObject&) = delete;
  ~ManagerObject() { unregisterAdaptor(); }

  void set_group(gid_t group);

  // Implement StopJob and Mark, also for the methods of a job's object; `caller` is the caller's unique name.
  void stop_job(sdbus::Result<>&& result, std::uint64_t job, const std::string& caller);
  void mark_job(sdbus::Result<>&& result, std::uint64_t job, const std::string& text,
                const std::string& caller);

 private:
  using Dict = std::map<std::string, sdbus::Variant>;
  using Dicts = std::vector<Dict>;
  // Rows, the cursor of the next page, and the total number of rows.
  using ListPage = std::tuple<Dicts, std::string, std::uint64_t>;

  void StartScenario(sdbus::Result<sdbus::ObjectPath>&& result, std::string scenario, Dict options) override;
  void StartJob(sdbus::Result<sdbus::ObjectPath>&& result, std::string text, std::string origin,
                Dict options) override;
  void StopJob(sdbus::Result<>&& result, std::uint64_t job) override;
  Dicts ListScenarios() override;
  std::tuple<Dicts, std::string> ListRuns(const Dict& filter, const std::string& cursor,
                                          const std::uint32_t& limit) override;
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
  void OpenTraceText(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run) override;
  void ImportRun(sdbus::Result<std::uint64_t>&& result, std::vector<sdbus::UnixFd> files,
                 std::vector<std::string> names, Dict options) override;
  void Mark(sdbus::Result<>&& result, std::uint64_t job, std::string text) override;
  void ListCapabilities(sdbus::Result<Dicts>&& result, bool fresh) override;
  Dicts ListModules(const std::string& pattern) override;
  std::tuple<Dicts, std::string, std::uint64_t, std::vector<std::string>> ListFunctions(
      const Dict& filter, const std::string& cursor, const std::uint32_t& limit) override;
  std::vector<std::string> ListEvents(const std::string& pattern) override;
  std::tuple<Dict, Dicts> GetEvent(const std::string& name) override;
  Dicts ListTracers() override;
  std::tuple<Dict, Dicts, Dicts, Dicts> Compare(const std::string& a, const std::string& b,
                                                const Dict& options) override;
  std::tuple<Dict, Dicts, Dicts, Dicts> CompareJob(const std::uint64_t& job, const Dict& options) override;
  Dict PlanRuns(const std::string& runs, const Dict& options) override;
  std::tuple<Dict, Dicts> GetJob(const std::uint64_t& id) override;
  void OpenDocument(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run, std::string name) override;
  void DeleteRun(sdbus::Result<>&& result, std::uint64_t run) override;
  void Subscribe() override;
  void Unsubscribe() override;
  std::string Version() override;
  std::string Iperf3Version() override;
  bool LiveIntervals() override;

  // Asks for the caller's credentials, then calls `work(credentials, unique_name)`. Its exceptions are sent
  // to the caller.
  template <class... Values, class Work>
  void with_credentials(const SharedReply<Values...>& reply, Work work) {
    with_credentials_of(dbus::caller_of(getObject()), reply, std::move(work));
  }
  template <class... Values, class Work>
  void with_credentials_of(const std::string& unique_name, const SharedReply<Values...>& reply, Work work);
  // Throws AccessDenied unless the caller may measure; `deed` names the refused action.
  void require_may_measure(const Credentials& caller, const std::string& unique_name,
                           const std::string& deed) const;
  // The same, unless the caller is `owner` or root.
  static void require_may_act_as(uid_t owner, const Credentials& caller, const std::string& unique_name,
                                 const std::string& deed);
  // The run, only for its owner and root; throws NotFound or, naming `parts`, AccessDenied.
  [[nodiscard]] core::RunRow readable_run(std::uint64_t run, const Credentials& caller,
                                          const std::string& unique_name, const char* parts) const;
  [[nodiscard]] sdbus::ObjectPath start(Result<JobSpec> spec, const StartOptions& options,
                                        const Credentials& caller, const std::string& unique_name);
  void require_idle(const std::string& unique_name) const;  // throws
  // Ends, with the answer, when `unique_name` leaves; throws.
  void import_files(const SharedReply<std::uint64_t>& reply, std::vector<core::NamedFile> files,
                    const core::ImportRequest& request, const std::string& unique_name);

  ManagerPorts ports_;
  ServiceSettings settings_;
  std::string group_;  // settings_.group in words
};

template <class... Values, class Work>
void ManagerObject::with_credentials_of(const std::string& unique_name, const SharedReply<Values...>& reply,
                                        Work work) {
  ports_.authorization.ask(unique_name, [reply, work, unique_name](const Result<Credentials>& caller) {
    answer(reply, [&] {
      if (!caller) {
        log::warn(fmt::format("refused {}: {}", unique_name, caller.error().message));
        throw to_dbus(caller.error());
      }
      work(*caller, unique_name);
    });
  });
}

}  // namespace netperfd::bus
