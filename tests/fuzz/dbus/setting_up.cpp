// SPDX-License-Identifier: GPL-2.0-or-later
// What is there before the first random call, and what an outsider is refused.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dbus/names.hpp"
#include "tests/fuzz/dbus/fuzzing.hpp"
#include "tests/support/forgery.hpp"
#include "tests/system/harness/job_watch.hpp"

namespace netperfd::bus_fuzz {
namespace {

using forgery::kBus;
using forgery::kBusPath;
using system_test::Message;
using system_test::Reply;
using system_test::User;

// AddressSanitizer keeps little of what was freed, no more than a start and the first calls free: so memory
// that stays up is seen.
const std::string kSanitizer = "ASAN_OPTIONS=quarantine_size_mb=8";

}  // namespace

Fuzzing::Fuzzing(const Settings& settings)
    : settings_(settings),
      random_(settings.seed),
      lab_({.environment = {kSanitizer}}),
      descriptors_(random_) {
  const auto& users = lab_.users();
  add_caller("an outsider", users.outsider, false);
  add_caller("a member", users.member, true);
  add_caller("another member", users.other_member, true);
  add_caller("root", User{}, true);
  measure_once();
  measured_ = number("SELECT max(id) FROM runs");
  take_bundle();
  stores_.emplace(lab_, root(), random_, descriptors_);
  stores_->begin(measured_);
  idle_descriptors_ = descriptors_of(lab_.netperfd().process().pid());
  job_ = start_waiting_job();
  describe();
  values_.emplace(random_, descriptors_,
                  Known{.numbers = {measured_, job_}, .texts = {"quick", "foreign", "local"}});
  calls_.emplace(random_, *values_, findings_);
  const auto callers = names_of_callers();
  forger_.emplace(random_, *values_, Connections{.callers = callers, .daemon = names_of_daemon()},
                  described_.signals);
  authority_.emplace(lab_.connect(User{}), settings.seed, *forger_, outsider(),
                     std::set<std::string>{callers.begin() + 1, callers.end()});
  calls_->serve(&*authority_);
}

void Fuzzing::add_caller(const char* name, const User& user, bool may_change) {
  callers_.push_back({name, std::make_unique<system_test::BusClient>(lab_.connect(user)), may_change});
}

std::uint64_t Fuzzing::number(const char* sql) const {
  return static_cast<std::uint64_t>(lab_.database().number(sql));
}

void Fuzzing::measure_once() {
  system_test::JobWatch watch{lab_.bus().address()};
  const Reply reply = member().client->manager("StartScenario", "sa{sv}", "quick", 0);
  if (!reply.error_name.empty()) throw std::runtime_error("StartScenario: " + reply.error_text);
  (void)watch.wait_for_end(number("SELECT max(id) FROM jobs"));
}

void Fuzzing::take_bundle() {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  const Reply reply = root().client->manager("OpenBundle", "ta{sv}", number("SELECT max(id) FROM jobs"), 0);
  int file = -1;
  std::string bytes;
  if (!reply.error_name.empty() || sd_bus_message_read(reply.message.get(), "h", &file) <= 0 ||
      !read_all(file, kMostBytes, bytes))
    throw std::runtime_error("OpenBundle: " + reply.error_text);
  descriptors_.add("a bundle", std::move(bytes));
}

void Fuzzing::describe() {
  for (const std::string& path : {std::string(dbus::kManagerPath), dbus::job_path(job_)}) {
    const Reply reply =
        root().client->call(path.c_str(), "org.freedesktop.DBus.Introspectable", "Introspect", "");
    const char* xml = nullptr;
    if (!reply.error_name.empty() || sd_bus_message_read_basic(reply.message.get(), 's', &xml) <= 0)
      throw std::runtime_error("Introspect: " + reply.error_text);
    auto found = read_introspection(xml, path);
    std::ranges::move(found.methods, std::back_inserter(described_.methods));
    std::ranges::move(found.properties, std::back_inserter(described_.properties));
    std::ranges::move(found.signals, std::back_inserter(described_.signals));
  }
  constexpr std::size_t kFewest = 60;  // an answer without most of them would test nothing
  if (described_.methods.size() < kFewest) throw std::runtime_error("the introspection lacks methods");
  constexpr std::size_t kFewestSignals = 4;
  if (described_.signals.size() < kFewestSignals) throw std::runtime_error("the introspection lacks signals");
}

std::vector<std::string> Fuzzing::names_of_callers() const {
  std::vector<std::string> names;
  for (const Caller& caller : callers_) names.push_back(forgery::unique_name(caller.client->raw()));
  return names;
}

std::vector<std::string> Fuzzing::names_of_daemon() {
  const system_test::BusClient& client = *root().client;
  const Reply all = client.call_on(kBus, kBusPath, kBus, "ListNames", "");
  forgery::require(sd_bus_message_enter_container(all.message.get(), 'a', "s"), "read the names");
  std::vector<std::string> names;
  const char* name = nullptr;
  while (sd_bus_message_read(all.message.get(), "s", &name) > 0) {
    const Reply reply = client.call_on(kBus, kBusPath, kBus, "GetConnectionUnixProcessID", "s", name);
    std::uint32_t process = 0;
    if (!reply.error_name.empty() || sd_bus_message_read(reply.message.get(), "u", &process) <= 0) continue;
    if (*name == ':' && std::cmp_equal(process, lab_.netperfd().process().pid())) names.emplace_back(name);
  }
  if (names.empty()) throw std::runtime_error("the daemon has no connection to the bus");
  return names;
}

// Waits for a server that never comes, and would end with its caller. Returns its number; 0 if none is
// accepted now.
std::uint64_t Fuzzing::start_waiting_job() {
  // Nobody answers the daemon while this waits.
  if (has_authority_) authority_->leave();
  const Reply reply = member().client->manager("StartScenario", "sa{sv}", "foreign", 2, "overrides", "as", 1,
                                               "workload.iperf3.server_wait=1h", "tie_to_caller", "b", 1);
  if (has_authority_) authority_->appear();
  return reply.error_name.empty() ? number("SELECT max(id) FROM jobs") : 0;
}

// Arguments that the daemon accepts from a member.
void Fuzzing::append_valid(sd_bus_message* message, const Method& method) const {
  const bool of_run = method.name == "DeleteRun" || method.name == "SetNote";
  const Descriptor document = descriptors_.document();
  for (std::string_view rest = method.signature; !rest.empty();) {
    const std::string_view type = rest.substr(0, length_of_first(rest));
    int appended = -1;
    if (type == "a{sv}") {
      appended = sd_bus_message_append(message, "a{sv}", 0);
    } else if (type == "ah") {
      appended = sd_bus_message_append(message, "ah", 1, document.fd.get());
    } else if (type == "as") {
      appended = sd_bus_message_append(message, "as", 1, "document");
    } else if (type == "h") {
      appended = sd_bus_message_append(message, "h", document.fd.get());
    } else if (type == "t") {
      appended = sd_bus_message_append(message, "t", of_run ? measured_ : job_);
    } else if (type == "s") {
      appended = sd_bus_message_append(message, "s", method.name == "StartScenario" ? "quick" : "text");
    }
    if (appended < 0) throw std::runtime_error("no valid arguments are known of " + method.name);
    rest.remove_prefix(type.size());
  }
}

// With valid arguments, nothing but the caller is a reason to refuse.
void Fuzzing::refuse_the_outsider() {
  for (const Method& method : described_.methods) {
    if (!method.interface.starts_with("org.netperfd1.") || !changes_something(method)) continue;
    const Message call = new_call(*outsider().client, method);
    append_valid(call.get(), method);
    const std::string name = outsider().client->send(call).error_name;
    if (name != dbus::error::kAccessDenied) {
      findings_.push_back(fmt::format("{} of an outsider is not denied, but: {}", method.name, name));
    }
    ++refused_;
  }
  constexpr std::size_t kFewest = 12;
  if (refused_ < kFewest) findings_.emplace_back("fewer methods change something than are known");
}

// Without what changes by itself, while the job waits for its server.
std::string Fuzzing::state() const {
  std::string text;
  for (const char* sql :
       {"SELECT * FROM jobs ORDER BY id", "SELECT id, job, note, error FROM runs ORDER BY id"}) {
    for (const auto& row : lab_.database().rows(sql)) text += fmt::format("{}\n", fmt::join(row, "|"));
  }
  for (const char* property : {"State", "Label"}) {
    const Reply reply = root().client->call(dbus::job_path(job_).c_str(), "org.freedesktop.DBus.Properties",
                                            "Get", "ss", dbus::kJobInterface, property);
    const char* value = "";
    if (!reply.error_name.empty() || sd_bus_message_read(reply.message.get(), "v", "s", &value) <= 0)
      value = "unknown";
    text += fmt::format("{} {}\n", property, value);
  }
  return text;
}

}  // namespace netperfd::bus_fuzz
