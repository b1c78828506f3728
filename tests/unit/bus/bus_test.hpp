// SPDX-License-Identifier: GPL-2.0-or-later
// The service on a private bus, and its callers: in this process, or as another user in a process of their
// own.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/bus/service.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/core/queue/scheduler.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"
#include "tests/unit/bus/fake_query_runner.hpp"
#include "tests/unit/bus/fakes.hpp"
#include "tests/unit/bus/private_bus.hpp"
#include "tests/unit/core/audit_fakes.hpp"
#include "tests/unit/core/command_fakes.hpp"
#include "tests/unit/core/import_fakes.hpp"

namespace netperfd::bus {

inline constexpr uid_t kOwner = 1;  // `daemon`: dbus-daemon rejects users that the system does not know
inline constexpr const char* kHostile = "\xFF\x1b[2J\xEF\xBF\xBE";  // a broken byte, a terminal's control
                                                                    // sequence, and a noncharacter

// The answer to a method call.
template <class... Values>
struct Answered {
  std::string error;  // its D-Bus name; empty if there is none
  std::string text;
  std::tuple<Values...> values;
};

// A method call whose answer may still be pending.
template <class... Values>
struct Asked {
  std::unique_ptr<sdbus::IProxy> proxy;  // must live until the answer comes
  std::shared_ptr<std::optional<Answered<Values...>>> answered;
};

// Runs the loop until `done`; false if nothing more happens for ten seconds.
[[nodiscard]] bool run_until(EventLoop& loop, const std::function<bool()>& done);

// A connection in this process, on the loop of the service: all its calls are asynchronous.
class Client {
 public:
  explicit Client(EventLoop& loop);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  template <class... Values, class... Arguments>
  Answered<Values...> call(const char* method, const Arguments&... arguments) {
    return call_on<Values...>(dbus::kManagerPath, dbus::kManagerInterface, method, arguments...);
  }

  template <class... Values, class... Arguments>
  Answered<Values...> call_on(const std::string& path, const char* interface, const char* method,
                              const Arguments&... arguments) {
    return answer_to(ask_on<Values...>(path, interface, method, arguments...));
  }

  template <class... Values, class... Arguments>
  Asked<Values...> ask(const char* method, const Arguments&... arguments) {
    return ask_on<Values...>(dbus::kManagerPath, dbus::kManagerInterface, method, arguments...);
  }

  template <class... Values, class... Arguments>
  Asked<Values...> ask_on(const std::string& path, const char* interface, const char* method,
                          const Arguments&... arguments) {
    Asked<Values...> asked;
    asked.answered = std::make_shared<std::optional<Answered<Values...>>>();
    asked.proxy =
        sdbus::createProxy(*connection_, dbus::ServiceName{dbus::kService}, sdbus::ObjectPath{path});
    asked.proxy->callMethodAsync(method)
        .onInterface(interface)
        .withArguments(arguments...)
        .uponReplyInvoke([answered = asked.answered](dbus::ReplyError error, const Values&... values) {
          answered->emplace();
          if (error) {
            (*answered)->error = error->getName();
            (*answered)->text = error->getMessage();
          } else {
            (*answered)->values = std::tuple<Values...>{values...};
          }
        });
    return asked;
  }

  template <class... Values>
  Answered<Values...> answer_to(const Asked<Values...>& asked) {
    if (!run_until(loop_, [&] { return asked.answered->has_value(); }))
      return {.error = "no answer", .text = {}, .values = {}};
    return **asked.answered;
  }

  // Does not wait for the answer.
  template <class... Values, class... Arguments>
  void send(const char* method, const Arguments&... arguments) {
    const auto proxy = sdbus::createProxy(*connection_, dbus::ServiceName{dbus::kService},
                                          sdbus::ObjectPath{dbus::kManagerPath});
    proxy->callMethodAsync(method)
        .onInterface(dbus::kManagerInterface)
        .withArguments(arguments...)
        .uponReplyInvoke([](dbus::ReplyError, const Values&...) {});
  }

  // Records each signal of netperfd from now on as "MEMBER PATH"; for Interval, TraceProgress and
  // PropertiesChanged also their contents.
  void listen();
  [[nodiscard]] const std::vector<std::string>& heard() const { return heard_; }
  [[nodiscard]] long count_heard(const std::string& signal) const;
  [[nodiscard]] std::string name() const;

 private:
  EventLoop& loop_;
  std::unique_ptr<sdbus::IConnection> connection_;
  sd_bus_slot* listening_ = nullptr;
  std::vector<std::string> heard_;
};

struct User {
  uid_t uid = 65534;
  gid_t gid = 65534;
  std::vector<gid_t> groups = {};
};

// If this is root: becomes the user for good, or ends the process.
void become(const User& user);

class BusTest : public testing::Test {
 protected:
  static constexpr gid_t kGroup = 54321;  // the group that may measure

  void SetUp() override;
  void TearDown() override;

  // Of the bus that SetUp() starts.
  [[nodiscard]] virtual PrivateBus::Rules rules() { return PrivateBus::Rules::of_the_system; }
  // Of the service that SetUp() creates.
  [[nodiscard]] virtual ServiceSettings settings();
  [[nodiscard]] ServicePorts ports() {
    return {*scheduler, scenarios, catalogue,    store,         audit,
            queries,    importer,  trace_import, *query_runner, store_keeper};
  }

  // Runs `body` with a proxy of the Manager as `user`, in a process of its own. Returns its result; an error
  // fails the test.
  std::string as(const User& user, const std::function<std::string(sdbus::IProxy& manager)>& body);

  // What the audit trail has of refused calls.
  [[nodiscard]] std::vector<std::string> refused() const;

  std::optional<PrivateBus> bus;
  std::optional<EventLoop> loop;
  core::FakeClock clock;
  core::FakeWorkload workload;
  core::FakeTracer tracer;
  core::FakeStore store;
  core::FakeAuditStore audit_store;
  core::AuditTrail audit{audit_store, clock};
  core::FakePacketCounter packets;
  core::FakeCounterSource counters;
  core::FakeFingerprintSource fingerprints;
  core::FakeCommands commands;
  core::FakeSideJournal sides;
  core::FakeBootJournal boots;
  FakeScenarios scenarios;
  FakeCatalogue catalogue;
  FakeQueries queries;
  FakeStoreKeeper store_keeper;
  core::FakeFileImport trace_import;
  core::Importer importer{store, trace_import, clock};
  std::optional<FakeQueryRunner> query_runner;
  std::optional<core::Scheduler> scheduler;
  std::unique_ptr<Service> service;
};

// A test with a caller in this process.
class ClientTest : public BusTest {
 protected:
  void SetUp() override {
    BusTest::SetUp();
    if (!IsSkipped()) client.emplace(*loop);
  }
  void TearDown() override {
    client.reset();
    BusTest::TearDown();
  }

  std::optional<Client> client;
};

// The D-Bus name of the error that `call` throws, or "ok".
std::string outcome_of(const std::function<void()>& call);
// The same for StartScenario.
std::string start_fake(sdbus::IProxy& manager);

}  // namespace netperfd::bus
