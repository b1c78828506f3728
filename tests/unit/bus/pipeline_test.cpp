// SPDX-License-Identifier: GPL-2.0-or-later
// The way of a call, with methods that no table has.
#include "daemon/bus/call/pipeline.hpp"

#include <stdexcept>

#include "daemon/bus/access/callers.hpp"
#include "daemon/bus/access/refusals.hpp"
#include "daemon/bus/access/under_way.hpp"
#include "daemon/bus/documents.hpp"
#include "daemon/bus/manager_object.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

std::uint32_t answers(Call& /*call*/) {
  return 7;
}

Task<std::uint32_t> asks(Call& call) {
  co_await call.allow(core::Action::measure, "try");
  co_return 8;
}

std::uint32_t fails(Call& /*call*/) {
  throw std::runtime_error{"no memory"};
}

std::function<void()> g_never;

Task<std::uint32_t> waits(Call& /*call*/) {
  auto never = later<int>([](const auto& done) { g_never = [done] { done(1); }; });
  (void)co_await never;
  co_return 9;
}

// The service's own parts, on the bus in its place.
class Pipeline : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    service.reset();
    connection = dbus::connect(dbus::Peers::Use::serving, {Polkit::kService});
    dbus::attach(*connection->bus, loop->raw());
    sd_bus* const raw = dbus::raw(*connection->bus);
    refusals.emplace(*loop, [](const Refused&) {});
    callers.emplace(raw, [](JobId) {});
    authorization.emplace(*connection, *callers, *refusals);
    received.emplace(*loop);
    documents.emplace(*loop);
    manager.emplace(*connection->bus,
                    ManagerPorts{ports(), *authorization, *callers, *received, *documents, under_way},
                    settings());
    object = sdbus::createObject(*connection->bus, sdbus::ObjectPath{kPath});
    interface.emplace(*object, dbus::kManagerInterface);
    connection->bus->requestName(dbus::ServiceName{dbus::kService});
  }
  void TearDown() override {
    g_never = nullptr;
    interface.reset();
    object.reset();
    manager.reset();
    authorization.reset();
    callers.reset();
    refusals.reset();
    if (connection) dbus::detach(*connection->bus);
    connection.reset();
    ClientTest::TearDown();
  }

  template <auto Work>
  Asked<std::uint32_t> ask(const Access& access, const Audit& audit = {}) {
    method = Method{dbus::kManagerInterface, "Try", "", "u", {}, {"number"}, access, audit, {}, serve<Work>};
    interface->method(method.name, method.takes, method.takes_names, method.gives, method.gives_names,
                      [this](sdbus::MethodCall message) {
                        manager->tasks().start(method.serve(*manager, method, std::move(message)));
                      });
    interface->announce();
    return client->ask_on<std::uint32_t>(kPath, dbus::kManagerInterface, "Try");
  }
  template <auto Work>
  Answered<std::uint32_t> answer_of(const Access& access, const Audit& audit = {}) {
    return client->answer_to(ask<Work>(access, audit));
  }

  static constexpr const char* kPath = "/org/netperfd1/scratch";
  std::optional<dbus::Connection> connection;
  std::optional<Refusals> refusals;
  std::optional<Callers> callers;
  std::optional<Authorization> authorization;
  std::optional<ReceivedFds> received;
  std::optional<Documents> documents;
  UnderWay under_way;
  std::optional<ManagerObject> manager;
  std::unique_ptr<sdbus::IObject> object;
  std::optional<dbus::Interface> interface;
  Method method;
};

TEST_F(Pipeline, answers_with_the_value_of_the_work) {
  EXPECT_EQ(std::get<0>(answer_of<answers>({Who::everybody}).values), 7U);
}

TEST_F(Pipeline, gives_no_answer_of_a_method_that_should_have_asked_and_did_not) {
  const auto answered = answer_of<answers>({Who::identified, "", core::Action::measure, true});
  EXPECT_EQ(answered.error, dbus::error::kInternal);
  EXPECT_EQ(answered.text, "the method has asked nobody");
}

TEST_F(Pipeline, gives_the_answer_of_a_method_that_asks_itself) {
  const auto answered = answer_of<asks>({Who::identified, "", core::Action::measure, true});
  EXPECT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(std::get<0>(answered.values), 8U);
}

TEST_F(Pipeline, records_how_the_work_ended) {
  const auto answered = answer_of<fails>({Who::action, "try", core::Action::measure}, {"start"});
  EXPECT_EQ(answered.error, dbus::error::kInternal);
  EXPECT_EQ(answered.text, "no memory");
  ASSERT_EQ(audit_store.entries.size(), 1U);
  EXPECT_EQ(audit_store.entries.front().action, "start");
  EXPECT_EQ(audit_store.entries.front().outcome, core::AuditOutcome::failed);
  EXPECT_EQ(audit_store.entries.front().detail, "no memory");
}

TEST_F(Pipeline, answers_also_if_nobody_will_go_on) {
  const auto asked = ask<waits>({Who::everybody});
  ASSERT_TRUE(run_until(*loop, [] { return g_never != nullptr; }));
  g_never = nullptr;
  const auto answered = client->answer_to(asked);
  EXPECT_EQ(answered.error, dbus::error::kInternal);
  EXPECT_EQ(answered.text, "the request was dropped");
}

}  // namespace
}  // namespace netperfd::bus
