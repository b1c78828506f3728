// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/authorization.hpp"

#include <fmt/format.h>
#include <grp.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "daemon/bus/access/bus_driver.hpp"
#include "daemon/bus/rows/wire_text.hpp"

namespace netperfd::bus {
namespace {

using core::Action;

constexpr gid_t kNoGroup = static_cast<gid_t>(-1);

std::unexpected<Error> unknown_caller(const std::string& name, std::string_view reason) {
  return fail(ErrorKind::access_denied, fmt::format("the bus does not say who {} is: {}", name, reason));
}

// A late answer says nothing about the caller, so it is no denial.
std::unexpected<Error> no_answer(const std::string& name, const sdbus::Error& error) {
  const std::string& kind = error.getName();
  if (kind != "org.freedesktop.DBus.Error.NoReply" && kind != "org.freedesktop.DBus.Error.Timeout") {
    return unknown_caller(name, error.getMessage());
  }
  return fail(ErrorKind::busy, fmt::format("the bus has not said in time who {} is: try again", name));
}

Result<Caller> read_credentials(const dbus::Sender& sender, const dbus::Row& answer) try {
  const auto uid = answer.find("UnixUserID");
  if (uid == answer.end()) return unknown_caller(sender.name, "no user id");
  Caller caller{.name = sender.name, .interactive = sender.interactive};
  caller.uid = uid->second.get<std::uint32_t>();
  if (const auto groups = answer.find("UnixGroupIDs"); groups != answer.end()) {
    caller.groups = groups->second.get<std::vector<std::uint32_t>>();
  }
  return caller;
} catch (const sdbus::Error& e) {  // a value of another type
  return unknown_caller(sender.name, e.getMessage());
}

// Whom an action is for if there is no polkit, beside root.
enum class For { group, owner, nobody };

For meant_for(Action action) {
  switch (action) {
    case Action::measure:
    case Action::measure_design:
    case Action::trace_functions:
      return For::group;
    case Action::manage_own:
      return For::owner;
    case Action::measure_reboots:
    case Action::trace_events:
    case Action::manage_others:
    case Action::read_raw:
    case Action::manage_store:
      return For::nobody;
  }
  return For::nobody;
}

}  // namespace

Action managing(uid_t owner, const Caller& caller) {
  return caller.uid == owner ? Action::manage_own : Action::manage_others;
}

bool is_allowed_without_polkit(const Caller& caller, Action action, gid_t group) {
  if (caller.uid == 0) return true;
  switch (meant_for(action)) {
    case For::group:
      return group != kNoGroup && std::ranges::find(caller.groups, group) != caller.groups.end();
    case For::owner:
      return true;
    case For::nobody:
      return false;
  }
  return false;
}

std::string name_of_group(gid_t group) {
  if (group == kNoGroup) return {};
  const struct group* found = getgrgid(group);  // NOLINT(concurrency-mt-unsafe): the loop's thread only
  return found != nullptr ? std::string{found->gr_name} : fmt::format("{}", group);
}

struct Authorization::Request {
  Caller caller;
  Wanted wanted;
  Ask ask = Ask::now;
  Decided decided;
  std::size_t next = 0;  // the action that is asked for

  [[nodiscard]] Action action() const { return wanted.actions.at(next); }
};

Authorization::Authorization(const dbus::Connection& connection, Callers& callers, Refusals& refusals,
                             AuthorizationTimeouts timeouts)
    : raw_(dbus::raw(*connection.bus)),
      refusals_(refusals),
      credentials_timeout_(timeouts.credentials),
      bus_(sdbus::createProxy(*connection.bus, dbus::ServiceName{kBusService}, sdbus::ObjectPath{kBusPath})),
      polkit_(raw_, *connection.peers, callers, timeouts.polkit) {}

void Authorization::set_group(gid_t group) {
  group_ = group;
  group_name_ = name_of_group(group);
}

bool Authorization::is_member(const Caller& caller) const {
  return is_allowed_without_polkit(caller, Action::measure, group_);
}

Status Authorization::check_limits(const std::string& unique_name) {
  if (refusals_.refuse_unexamined(unique_name)) {
    return fail(ErrorKind::busy, "too many calls of this user were refused: try again later");
  }
  if (questions_ >= kQuestionsLimit) {
    return fail(ErrorKind::busy, fmt::format("{} callers wait to be identified already", questions_));
  }
  const auto own = questions_of_.find(unique_name);
  if (own != questions_of_.end() && own->second.waiting >= kQuestionsOfConnectionLimit) {
    ++own->second.refused;
    return fail(ErrorKind::busy, fmt::format("{} calls of {} wait for their authorization already",
                                             own->second.waiting, unique_name));
  }
  return {};
}

std::uint64_t Authorization::answered(const std::string& unique_name) {
  --questions_;
  const auto own = questions_of_.find(unique_name);
  const std::uint64_t refused = std::exchange(own->second.refused, 0);
  if (--own->second.waiting == 0) questions_of_.erase(own);
  return refused;
}

void Authorization::identify(const dbus::Sender& sender, const Known& known) {
  if (sender.name.empty()) return known(unknown_caller("the caller", "it has no name on the bus"));
  if (auto within = check_limits(sender.name); !within) return known(std::unexpected(within.error()));
  if (auto asked = ask_bus(sender, known); !asked) return known(std::unexpected(asked.error()));
  ++questions_;
  ++questions_of_[sender.name].waiting;
}

Status Authorization::ask_bus(const dbus::Sender& sender, const Known& known) try {
  bus_->callMethodAsync("GetConnectionCredentials")
      .onInterface(kBusService)
      .withTimeout(credentials_timeout_)
      .withArguments(sender.name)
      .uponReplyInvoke([this, sender, known](dbus::ReplyError error, const dbus::Row& credentials) {
        on_credentials(sender, known, error, credentials);
      });
  return {};
} catch (const sdbus::Error& e) {
  return unknown_caller(sender.name, e.getMessage());
}

void Authorization::on_credentials(const dbus::Sender& sender, const Known& known,
                                   const dbus::ReplyError& error, const dbus::Row& credentials) {
  // Another program's reply took the number of the question, so that the bus's own will find nobody.
  if (!dbus::Peers::is_from_bus(sd_bus_get_current_message(raw_))) {
    if (auto asked = ask_bus(sender, known); !asked) {
      (void)answered(sender.name);
      known(std::unexpected(asked.error()));
    }
    return;
  }
  const std::uint64_t refused = answered(sender.name);
  auto caller = error ? no_answer(sender.name, *error) : read_credentials(sender, credentials);
  if (!caller && caller.error().kind == ErrorKind::access_denied) {
    refusals_.note(static_cast<uid_t>(-1), sender.name, caller.error().message);
  } else if (const auto others = questions_of_.find(sender.name); !caller && others != questions_of_.end()) {
    others->second.refused += refused;  // told with the answer to the next question
  } else if (!caller && refused > 0) {
    refusals_.note(static_cast<uid_t>(-1), sender.name, "refused: too many calls at once", refused);
  } else if (caller && refused > 0 && caller->uid != 0) {
    refusals_.note(caller->uid, sender.name, fmt::format("refused ({}): too many calls at once", sender.name),
                   refused);
  }
  if (caller && refusals_.is_excessive(caller->uid)) {
    caller = fail(ErrorKind::busy,
                  fmt::format("too many calls of uid {} were refused: try again later", caller->uid));
  }
  known(caller);
}

void Authorization::authorize(const Caller& caller, const Wanted& wanted, Ask ask, const Decided& decided) {
  if (caller.uid == 0 || wanted.actions.empty()) return decided({});
  if (decisions_of_[caller.uid] >= kDecisionsOfUserLimit) {
    const std::string why = fmt::format("{} calls of uid {} wait for their authorization already",
                                        kDecisionsOfUserLimit, caller.uid);
    note_refusal(caller, why);
    return decided(fail(ErrorKind::busy, why));
  }
  ++decisions_of_[caller.uid];
  ask_next(
      std::make_shared<Request>(Request{.caller = caller, .wanted = wanted, .ask = ask, .decided = decided}));
}

void Authorization::ask_next(const std::shared_ptr<Request>& request) {
  PolkitQuestion question{
      .caller = request->caller.name,
      .action = fmt::format("org.netperfd1.{}", to_string(request->action())),
      .details = {{"what", wire_text(request->wanted.what, kShortTextBytes)}, {"group", group_name_}},
      .interactive = request->ask == Ask::now && request->caller.interactive};
  polkit_.ask(question, [this, request](const PolkitAnswer& answer) { on_polkit(request, answer); });
}

void Authorization::on_polkit(const std::shared_ptr<Request>& request, const PolkitAnswer& answer) {
  const bool is_asked_later = answer.kind == PolkitAnswer::Kind::needs_person && request->ask == Ask::later &&
                              request->caller.interactive;
  const bool is_allowed = answer.kind == PolkitAnswer::Kind::not_installed
                              ? is_allowed_without_polkit(request->caller, request->action(), group_)
                              : answer.kind == PolkitAnswer::Kind::allowed || is_asked_later;
  if (!is_allowed) return end(request, refusal(*request, answer));
  if (++request->next < request->wanted.actions.size()) return ask_next(request);
  end(request, {});
}

void Authorization::end(const std::shared_ptr<Request>& request, const Status& decision) {
  const Caller& caller = request->caller;
  if (--decisions_of_[caller.uid] == 0) decisions_of_.erase(caller.uid);
  if (!decision) note_refusal(caller, decision.error().message);
  request->decided(decision);
}

Status Authorization::refusal(const Request& request, const PolkitAnswer& answer) const {
  const bool for_events =
      request.action() == core::Action::trace_events && !request.wanted.events_beyond.empty();
  const std::string denied =
      fmt::format("uid {} may not {}{}", request.caller.uid, request.wanted.what,
                  for_events ? fmt::format(" ({})", request.wanted.events_beyond) : "");
  const std::string group =
      group_name_.empty() || meant_for(request.action()) != For::group ? "" : "the group " + group_name_;
  switch (answer.kind) {
    case PolkitAnswer::Kind::not_installed:
      return fail(ErrorKind::access_denied,
                  fmt::format("{}; that needs root{}{}", denied, group.empty() ? "" : " or ", group));
    case PolkitAnswer::Kind::failed:
      return fail(ErrorKind::access_denied,
                  fmt::format("{}: polkit does not work ({}), and until it does, only root may", denied,
                              answer.reason));
    case PolkitAnswer::Kind::needs_person:
      return fail(
          ErrorKind::needs_person,
          fmt::format("{} without an administrator's password (polkit's action org.netperfd1.{}){}{}", denied,
                      to_string(request.action()), group.empty() ? "" : "; not asked for it is ", group));
    default:
      return fail(ErrorKind::access_denied, fmt::format("{}: polkit's action org.netperfd1.{} is denied",
                                                        denied, to_string(request.action())));
  }
}

void Authorization::note_refusal(const Caller& caller, const std::string& what) {
  refusals_.note(caller.uid, caller.name, fmt::format("denied ({}): {}", caller.name, what));
}

}  // namespace netperfd::bus
