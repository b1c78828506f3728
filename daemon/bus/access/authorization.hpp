// SPDX-License-Identifier: GPL-2.0-or-later
// Finds out who a caller is and decides what the caller may do: by polkit if it is installed, otherwise by
// the configured group. The default is to deny. docs/access.md has the rules.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/bus/access/callers.hpp"
#include "daemon/bus/access/polkit.hpp"
#include "daemon/bus/access/refusals.hpp"
#include "daemon/bus/access/timeouts.hpp"
#include "daemon/core/action.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// The caller of a method, with the credentials of its connection as the kernel gave them to the bus.
struct Caller {
  std::string name;          // unique name of the connection
  bool interactive = false;  // somebody may be asked for a password
  uid_t uid = static_cast<uid_t>(-1);
  std::vector<gid_t> groups = {};  // primary and supplementary; empty if the bus does not know them
};

// What a caller wants to do.
struct Wanted {
  std::vector<core::Action> actions;  // all of them are needed; empty: everybody may
  std::string what;                   // in words: "stop job 3"
  std::string events_beyond = {};     // why trace_events is among the actions, in words
};

// The action for stopping, marking or deleting work of `owner`.
[[nodiscard]] core::Action managing(uid_t owner, const Caller& caller);

// Whether the caller may do this if there is no polkit: root may do everything, members of `group` may
// measure, and everybody may manage his own work.
[[nodiscard]] bool is_allowed_without_polkit(const Caller& caller, core::Action action, gid_t group);

// The group's name, or its number if it has none; empty for -1. Asks the name service, which may be slow.
[[nodiscard]] std::string name_of_group(gid_t group);

class Authorization {
 public:
  // Both must not throw.
  using Known = std::function<void(const Result<Caller>& caller)>;
  using Decided = std::function<void(const Status& decision)>;

  // Maximum number of questions about callers that the bus has not answered yet: of one connection, and in
  // all. The bus allows a user 256 connections by default, so nobody can use up the whole.
  // Of calls whose header can be read, UnderWay lets fewer ask at once.
  static constexpr std::size_t kQuestionsOfConnectionLimit = 8;
  static constexpr std::size_t kQuestionsLimit = 4096;
  // Maximum number of decisions of polkit that a user waits for.
  static constexpr std::size_t kDecisionsOfUserLimit = 8;

  // All are borrowed and must outlive this object. The connection's peers know Polkit::kService.
  Authorization(const dbus::Connection& connection, Callers& callers, Refusals& refusals,
                AuthorizationTimeouts timeouts = {});

  void set_group(gid_t group);
  [[nodiscard]] const std::string& group_name() const { return group_name_; }
  // Whether the caller is root or of the group. What it may do is authorize()'s to say.
  [[nodiscard]] bool is_member(const Caller& caller) const;

  // Asks the bus who `sender` is and gives the answer later, from the loop; access_denied if the bus does not
  // know, such as for a caller that has left; busy if it does not answer in time, if too many questions wait,
  // or if the user was refused too often. Any state may have changed by then. Destroying this object drops
  // pending answers.
  void identify(const dbus::Sender& sender, const Known& known);

  // May a person be asked now, or only found out whether one would have to be?
  enum class Ask {
    now,
    later  // if a person would have to be asked, that is no refusal: the caller of this method asks again
  };
  // Decides at once, or later, from the loop: minutes later if a person is asked for a password. The errors
  // are access_denied, needs_person and busy; refused calls are noted.
  void authorize(const Caller& caller, const Wanted& wanted, Ask ask, const Decided& decided);

  // For refusals that other objects decide on.
  void note_refusal(const Caller& caller, const std::string& what);

 private:
  struct Request;  // one call of authorize()

  [[nodiscard]] Status ask_bus(const dbus::Sender& sender, const Known& known);
  void on_credentials(const dbus::Sender& sender, const Known& known, const dbus::ReplyError& error,
                      const dbus::Row& credentials);
  void ask_next(const std::shared_ptr<Request>& request);
  void on_polkit(const std::shared_ptr<Request>& request, const PolkitAnswer& answer);
  void end(const std::shared_ptr<Request>& request, const Status& decision);
  [[nodiscard]] Status refusal(const Request& request, const PolkitAnswer& answer) const;
  [[nodiscard]] Status check_limits(const std::string& unique_name);
  // Ends one question. Returns how many calls of the connection were refused since the one before.
  [[nodiscard]] std::uint64_t answered(const std::string& unique_name);

  sd_bus* raw_;
  Refusals& refusals_;
  std::chrono::milliseconds credentials_timeout_;
  gid_t group_ = static_cast<gid_t>(-1);
  std::string group_name_;
  std::size_t questions_ = 0;
  struct Questions {
    std::size_t waiting = 0;
    std::uint64_t refused = 0;  // calls beyond the limit since the last answer
  };
  std::map<std::string, Questions> questions_of_;  // by connection
  std::map<uid_t, std::size_t> decisions_of_;
  std::unique_ptr<sdbus::IProxy> bus_;
  Polkit polkit_;
};

}  // namespace netperfd::bus
