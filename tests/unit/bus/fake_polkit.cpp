// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/bus/fake_polkit.hpp"

#include <system_error>
#include <utility>

namespace netperfd::bus {
namespace {

void require(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

std::string without_prefix(const std::string& action) {
  const std::string prefix = "org.netperfd1.";
  return action.starts_with(prefix) ? action.substr(prefix.size()) : action;
}

int answer(sd_bus_message* message, bool allowed, bool challenge) {
  return sd_bus_reply_method_return(message, "(bba{ss})", allowed ? 1 : 0, challenge ? 1 : 0, 0);
}

}  // namespace

FakePolkit::FakePolkit(sd_event* loop) {
  require(sd_bus_open_system(&bus_), "sd_bus_open_system");
  require(sd_bus_request_name(bus_, "org.freedesktop.PolicyKit1", 0), "own the name of polkit");
  require(sd_bus_add_filter(
              bus_, nullptr,
              [](sd_bus_message* message, void* self, sd_bus_error*) {
                return static_cast<FakePolkit*>(self)->on_message(message);
              },
              this),
          "sd_bus_add_filter");
  require(sd_bus_attach_event(bus_, loop, SD_EVENT_PRIORITY_NORMAL), "sd_bus_attach_event");
}

FakePolkit::~FakePolkit() {
  for (sd_bus_message* message : hanging_) sd_bus_message_unref(message);
  sd_bus_detach_event(bus_);
  sd_bus_flush_close_unref(bus_);
}

std::vector<std::string> FakePolkit::actions() const {
  std::vector<std::string> names;
  for (const Asked& each : asked) names.push_back(without_prefix(each.action));
  return names;
}

void FakePolkit::release(bool allowed) {
  for (sd_bus_message* message : std::exchange(hanging_, {})) {
    answer(message, allowed, false);
    sd_bus_message_unref(message);
  }
}

int FakePolkit::on_message(sd_bus_message* message) {
  if (sd_bus_message_is_method_call(message, nullptr, "CheckAuthorization") > 0) return on_check(message);
  if (sd_bus_message_is_method_call(message, nullptr, "CancelCheckAuthorization") > 0) {
    const char* id = nullptr;
    require(sd_bus_message_read(message, "s", &id), "read CancelCheckAuthorization");
    canceled.emplace_back(id);
    return 1;
  }
  return 0;
}

int FakePolkit::on_check(sd_bus_message* message) {
  const char *kind = nullptr, *key = nullptr, *name = nullptr, *action = nullptr, *cancellation = nullptr;
  std::uint32_t flags = 0;
  Asked question;
  require(sd_bus_message_read(message, "(sa{sv})s", &kind, 1, &key, "s", &name, &action), "read the subject");
  require(sd_bus_message_enter_container(message, 'a', "{ss}"), "enter the details");
  while (sd_bus_message_enter_container(message, 'e', "ss") > 0) {
    const char *detail = nullptr, *value = nullptr;
    require(sd_bus_message_read(message, "ss", &detail, &value), "read a detail");
    question.details.emplace(detail, value);
    sd_bus_message_exit_container(message);
  }
  sd_bus_message_exit_container(message);
  require(sd_bus_message_read(message, "us", &flags, &cancellation), "read the flags");
  if (std::string{kind} != "system-bus-name" || std::string{key} != "name") name = "no name of the bus";
  question.caller = name;
  question.action = action;
  question.interactive = (flags & 1U) != 0;
  question.cancellation = cancellation;
  const auto own = moods.find(without_prefix(question.action));
  asked.push_back(std::move(question));
  switch (own != moods.end() ? own->second : mood) {
    case Mood::allow:
      return answer(message, true, false);
    case Mood::deny:
      return answer(message, false, false);
    case Mood::challenge:
      return answer(message, false, true);
    case Mood::hang:
      hanging_.push_back(sd_bus_message_ref(message));
      return 1;
    case Mood::nonsense:
      return sd_bus_reply_method_return(message, "s", "yes, of course");
    case Mood::fail:
      return sd_bus_reply_method_errorf(message, "org.freedesktop.PolicyKit1.Error.Failed",
                                        "Action is not registered");
  }
  return 0;
}

}  // namespace netperfd::bus
