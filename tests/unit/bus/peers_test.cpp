// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/peers.hpp"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "dbus/names.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/private_bus.hpp"

namespace netperfd::bus {
namespace {

using dbus::Peers;
using testing::ElementsAre;
using testing::IsEmpty;

int process_all(sd_bus* bus) {
  int handled = 0;
  while (sd_bus_process(bus, nullptr) > 0) ++handled;
  return handled;
}

class PeersTest : public testing::Test {
 protected:
  void SetUp() override {
    auto started = PrivateBus::start(PrivateBus::Rules::lax);
    if (!started) GTEST_SKIP() << started.error().message;
    bus.emplace(std::move(*started));
    connection.emplace();
  }
  void guard(Peers::Use use) {
    ASSERT_GE(peers.emplace().guard(connection->bus(), use, {dbus::kService}), 0);
    ASSERT_GE(sd_bus_match_signal(connection->bus(), nullptr, dbus::kService, nullptr, "a.test", nullptr,
                                  on_signal, this),
              0);
    forgery::settle(connection->bus());
  }
  void TearDown() override {
    peers.reset();
    connection.reset();
  }

  // Says `word` to the connection alone.
  void say(const forgery::Stranger& from, const char* word) const {
    forgery::send_signal(from.bus(), forgery::unique_name(connection->bus()), "/", "a.test", "Word", "s",
                         word);
    forgery::settle(from.bus());
  }
  static void own(const forgery::Stranger& service) {
    ASSERT_GE(sd_bus_request_name(service.bus(), dbus::kService, 0), 0);
  }
  // What was said, and was let through.
  std::vector<std::string> heard() {
    forgery::settle(connection->bus());
    process_all(connection->bus());
    return std::exchange(heard_, {});
  }

  std::optional<PrivateBus> bus;
  std::optional<forgery::Stranger> connection;
  std::optional<Peers> peers;

 private:
  static int on_signal(sd_bus_message* signal, void* self, sd_bus_error*) {
    const char* word = nullptr;
    EXPECT_GE(sd_bus_message_read(signal, "s", &word), 0);
    static_cast<PeersTest*>(self)->heard_.emplace_back(word);
    return 0;
  }
  std::vector<std::string> heard_;
};

TEST_F(PeersTest, believe_the_present_owner_of_a_name_and_nobody_else) {
  const forgery::Stranger stranger;
  std::optional<forgery::Stranger> first{std::in_place};
  own(*first);
  guard(Peers::Use::asking);
  say(stranger, "of a stranger");
  say(*first, "of the first");
  EXPECT_THAT(heard(), ElementsAre("of the first"));
  ASSERT_GE(sd_bus_release_name(first->bus(), dbus::kService), 0);
  say(*first, "of one who was it");
  EXPECT_THAT(heard(), IsEmpty());
  const forgery::Stranger second;
  own(second);
  say(*first, "of one who was it");
  say(second, "of the second");
  EXPECT_THAT(heard(), ElementsAre("of the second"));
}

TEST_F(PeersTest, believe_only_the_bus_about_an_owner) {
  const forgery::Stranger stranger;
  guard(Peers::Use::asking);
  const std::string name = forgery::unique_name(stranger.bus());
  forgery::send_signal(stranger.bus(), forgery::unique_name(connection->bus()), forgery::kBusPath,
                       forgery::kBus, "NameOwnerChanged", "sss", dbus::kService, "", name.c_str());
  say(stranger, "of one who says that it is the owner");
  EXPECT_THAT(heard(), IsEmpty());
}

TEST_F(PeersTest, of_one_who_only_asks_do_not_call_it) {
  own(*connection);  // whom everybody may call
  guard(Peers::Use::asking);
  const forgery::Stranger caller;
  int answers = 0;
  sd_bus_slot* slot = nullptr;
  ASSERT_GE(sd_bus_call_method_async(
                caller.bus(), &slot, dbus::kService, "/", "org.freedesktop.DBus.Peer", "Ping",
                [](sd_bus_message*, void* count, sd_bus_error*) { return ++*static_cast<int*>(count); },
                &answers, ""),
            0);
  forgery::settle(caller.bus());
  forgery::settle(connection->bus());
  EXPECT_GE(process_all(connection->bus()), 1);
  forgery::settle(connection->bus());
  forgery::settle(caller.bus());
  process_all(caller.bus());
  EXPECT_EQ(answers, 0);
  sd_bus_slot_unref(slot);
}

TEST_F(PeersTest, of_one_who_only_asks_cannot_guess_the_numbers_of_its_calls) {
  const auto number_of_next_call = [](sd_bus* from) {
    sd_bus_message* call = nullptr;
    std::uint64_t number = 0;
    EXPECT_GE(
        sd_bus_message_new_method_call(from, &call, forgery::kBus, forgery::kBusPath, forgery::kBus, "GetId"),
        0);
    EXPECT_GE(sd_bus_call(from, call, 0, nullptr, nullptr), 0);
    EXPECT_GE(sd_bus_message_get_cookie(call, &number), 0);
    sd_bus_message_unref(call);
    return number;
  };
  guard(Peers::Use::asking);
  const std::uint64_t first = number_of_next_call(connection->bus());
  EXPECT_EQ(number_of_next_call(connection->bus()), first + 1);
  const forgery::Stranger other;
  Peers of_other;
  ASSERT_GE(of_other.guard(other.bus(), Peers::Use::asking, {}), 0);
  const std::uint64_t second = number_of_next_call(other.bus());
  EXPECT_GT(std::max(first, second) - std::min(first, second), 1'000U) << "once in a million times by chance";
}

}  // namespace
}  // namespace netperfd::bus
