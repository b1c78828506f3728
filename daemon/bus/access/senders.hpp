// SPDX-License-Identifier: GPL-2.0-or-later
// Whose the connections are that send calls, or what is not received. The connection that has such a message
// cannot be asked, since the answer would come after the message: there is another one for questions.
#pragma once

#include <systemd/sd-bus.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/bus/access/refusals.hpp"

namespace netperfd::bus {

class Senders {
 public:
  // Connections whose user is known or asked for. What others send is told of without a uid.
  static constexpr std::size_t kMostSenders = 4096;
  // How long the bus may take to tell a user.
  static constexpr std::chrono::seconds kPatience{1};

  struct Sender {
    struct UnrefSlot {
      void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
    };
    Senders* owner = nullptr;
    std::string name;  // empty: it stands for all that are too many
    std::optional<uid_t> uid = {};
    std::vector<gid_t> groups = {};  // empty if the bus does not know them
    bool has_left = false;           // the bus does not know it
    std::uint64_t refused = 0;       // messages that were not told of yet
    std::string last = {};           // what the last of them was
    std::chrono::steady_clock::time_point asked = {};
    std::unique_ptr<sd_bus_slot, UnrefSlot> question = {};
  };

  // `questions`, which the loop serves too, is borrowed and must outlive this object.
  Senders(sd_bus* questions, Refusals& refusals) : questions_(questions), refusals_(refusals) {}
  Senders(const Senders&) = delete;
  Senders& operator=(const Senders&) = delete;

  [[nodiscard]] Sender& of(std::string_view name);
  // Whether the user may become known soon, after which this must be asked again.
  [[nodiscard]] bool waits_for(Sender& sender);
  // Notes what was refused as soon as its user is known: "sent 2 descriptors, which are not received".
  void refuse(std::string_view name, std::string what);

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool is_bus_late() const;
  void ask_for(Sender& sender);
  void tell(Sender& sender);
  static int on_credentials(sd_bus_message* answer, void* sender, sd_bus_error* error);

  sd_bus* questions_;
  Refusals& refusals_;
  std::map<std::string, Sender, std::less<>> senders_;
};

}  // namespace netperfd::bus
