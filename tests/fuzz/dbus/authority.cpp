// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/authority.hpp"

#include <fmt/format.h>
#include <systemd/sd-bus.h>

#include <stdexcept>
#include <utility>

#include "tests/support/forgery.hpp"

namespace netperfd::bus_fuzz {
namespace {

constexpr const char* kName = "org.freedesktop.PolicyKit1";

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(fmt::format("polkit of the fuzzer: {}: errno {}", what, -result));
}

// Of the connection whose right is in question; empty if it cannot be read.
std::string subject_of(sd_bus_message* question) {
  const char *kind = nullptr, *key = nullptr, *name = nullptr;
  const int read = sd_bus_message_read(question, "(sa{sv})", &kind, 1, &key, "s", &name);
  return read > 0 && name != nullptr ? name : "";
}

}  // namespace

Authority::Authority(system_test::BusClient client, std::uint64_t seed, Forger& forger,
                     const Caller& outsider, std::set<std::string> members)
    : client_(std::move(client)),
      random_(seed),
      forger_(forger),
      outsider_(outsider),
      members_(std::move(members)) {
  must(sd_bus_add_filter(client_.raw(), nullptr, on_message, this), "add a filter");
}

void Authority::appear() {
  must(sd_bus_request_name(client_.raw(), kName, 0), "take the name of polkit");
}

void Authority::leave() {
  must(sd_bus_release_name(client_.raw(), kName), "give back the name of polkit");
}

bool Authority::serve() {
  const int worked = sd_bus_process(client_.raw(), nullptr);
  must(worked, "process the connection");
  return worked > 0;
}

int Authority::on_message(sd_bus_message* message, void* self, sd_bus_error* /*error*/) {
  auto& authority = *static_cast<Authority*>(self);
  if (sd_bus_message_is_method_call(message, nullptr, "CheckAuthorization") <= 0) return 0;
  authority.answer(message);
  return 1;
}

void Authority::answer(sd_bus_message* question) {
  ++asked_;
  std::uint64_t number = 0;
  must(sd_bus_message_get_cookie(question, &number), "the number of a question");
  // The outsider has guessed it.
  const char* const daemon = sd_bus_message_get_sender(question);
  if (random_.happens(2)) forger_.answer_for_polkit(outsider_, daemon, number, random_.happens(2));
  const bool may = members_.contains(subject_of(question));
  switch (random_.below(12)) {
    case 0:
      return must(sd_bus_reply_method_errorf(question, "org.freedesktop.PolicyKit1.Error.Failed", "%s", "no"),
                  "fail");
    case 1:
      return must(sd_bus_reply_method_return(question, "s", "nonsense"), "answer nonsense");
    case 2:
      return must(sd_bus_reply_method_return(question, "(bba{ss})", 0, 1, 0), "ask for a person");
    default:
      return must(sd_bus_reply_method_return(question, "(bba{ss})", may ? 1 : 0, 0, 0), "answer");
  }
}

}  // namespace netperfd::bus_fuzz
