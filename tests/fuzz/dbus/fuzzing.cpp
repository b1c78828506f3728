// SPDX-License-Identifier: GPL-2.0-or-later
// What is random: calls of everybody, with messages that nobody asked for between them.
#include "tests/fuzz/dbus/fuzzing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "dbus/names.hpp"
#include "tests/support/forgery.hpp"
#include "tests/system/harness/job_watch.hpp"

namespace netperfd::bus_fuzz {
namespace {

using system_test::Reply;
using system_test::User;
using Rules = system_test::PrivateBus::Rules;

constexpr const char* kPeer = "org.freedesktop.DBus.Peer";
constexpr std::size_t kAtOnce = 6;
// Of each so many calls, one is large, and one is of somebody who does not wait for the answer. Of each so
// many, there is a file for RestoreStore, and of each so many of an outsider, one could be of root.
constexpr std::size_t kLargeEach = 60, kLeavingEach = 80, kRestoredEach = 500, kPosingEach = 36;
// What may be open for other reasons than calls.
constexpr std::size_t kMoreDescriptors = 3;
// Beside what AddressSanitizer keeps of what was freed, which the first calls have used up.
constexpr std::size_t kMoreMemoryMib = 40;

std::size_t memory_mib_of(pid_t process) {
  const std::string status = system_test::read_text(fmt::format("/proc/{}/status", process));
  std::istringstream rest(status.substr(status.find("VmRSS:") + 6));
  std::size_t kib = 0;
  rest >> kib;
  return kib / 1024;
}

}  // namespace

std::size_t descriptors_of(pid_t process) {
  const std::filesystem::directory_iterator all(fmt::format("/proc/{}/fd", process));
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::vector<std::string> Fuzzing::run() {
  const pid_t daemon = lab_.netperfd().process().pid();
  // What the daemon takes for such calls at a time, it may keep.
  fill();
  const std::size_t memory = is_over() ? 0 : memory_mib_of(daemon);
  constexpr std::array<Rules, 3> kRules{Rules::as_shipped, Rules::lax, Rules::open};
  change_rules(Rules::open);
  if (!is_over()) refuse_the_outsider();
  const std::uint64_t of_outsider = settings_.calls / 3;
  for (const Rules rules : kRules) {
    change_rules(rules);
    as_outsider(of_outsider / kRules.size());
  }
  for (const Rules rules : kRules) {
    change_rules(rules);
    as_anybody((settings_.calls - of_outsider) / kRules.size());
  }
  if (!is_over()) end_all_jobs();
  if (!is_over()) stores_->fuzz(*calls_, settings_.calls / kRestoredEach, findings_);
  fill();
  if (!is_over()) import_at_last();
  if (!is_over()) ask_at_last();
  if (!is_over()) wait_for_descriptors();
  if (!is_over()) compare("MiB of memory", memory, memory_mib_of(daemon), kMoreMemoryMib);
  end_daemon();
  return findings_;
}

// With a polkit where a forged answer gets through.
void Fuzzing::change_rules(Rules rules) {
  lab_.bus().change_rules(rules);
  if (std::exchange(has_authority_, rules == Rules::lax) == has_authority_) return;
  if (has_authority_) {
    authority_->appear();
  } else {
    authority_->leave();
  }
}

void Fuzzing::add_call(const Caller& caller) {
  if (random_.happens(4)) sent_beside_.push_back(forger_->send(caller, calls_->last_number()));
  if (random_.happens(8)) {
    return calls_->add_property(caller, random_.one_of(std::span<const Property>(described_.properties)));
  }
  Method method = random_.one_of(std::span<const Method>(described_.methods));
  // Among so many methods, each of these costs more than others and has more to read.
  constexpr std::size_t kPassingEach = 16;
  if (caller.may_change && random_.happens(kPassingEach)) {
    method = *std::ranges::find_if(described_.methods,
                                   [](const Method& each) { return each.name == "ImportRun"; });
  }
  if (method.path != dbus::kManagerPath) method.path = dbus::job_path(job_);
  if (random_.happens(kLargeEach)) return calls_->add_large(caller, method);
  calls_->add(caller, method);
}

// Nothing but the caller is a reason to refuse it.
void Fuzzing::add_valid_change(const Caller& caller) {
  std::vector<Method> methods;
  std::ranges::copy_if(described_.methods, std::back_inserter(methods), [](const Method& each) {
    return each.interface.starts_with("org.netperfd1.") && changes_something(each);
  });
  Method method = random_.one_of(std::span<const Method>(methods));
  if (method.path != dbus::kManagerPath) method.path = dbus::job_path(job_);
  system_test::Message call = new_call(*caller.client, method);
  append_valid(call.get(), method);
  calls_->add_message(caller, method, std::move(call));
}

void Fuzzing::make_calls(const std::vector<const Caller*>& callers) {
  sent_beside_.clear();
  for (const Caller* caller : callers) add_call(*caller);
  const bool poses_as_root = !callers.front()->may_change && random_.happens(kPosingEach / kAtOnce);
  if (poses_as_root) {
    add_valid_change(*callers.front());
    lab_.netperfd().process().signal(SIGSTOP);
  }
  calls_->send();
  for (std::size_t more = random_.happens(3) ? random_.below(6) : 0; more > 0; --more) {
    sent_beside_.push_back(forger_->send(*callers.front(), calls_->last_number()));
  }
  if (poses_as_root) {
    // These have come before the daemon asks the bus.
    forger_->answer_for_bus(*callers.front(), calls_->last_number());
    lab_.netperfd().process().signal(SIGCONT);
    sent_beside_.emplace_back("answers of the bus that the caller is root");
  }
  if (random_.happens(kLeavingEach / kAtOnce)) leave_at_once(callers.front()->may_change);
  calls_->wait();
}

void Fuzzing::leave_at_once(bool may_change) {
  const bool as_root = may_change && random_.happens(2);
  const User member = may_change ? lab_.users().other_member : lab_.users().outsider;
  const system_test::BusClient client = lab_.connect(as_root ? User{} : member);
  constexpr std::array<const char*, 4> kNames{"ImportRun", "RestoreStore", "OpenBackup", "OpenBundle"};
  const std::string name = random_.one_of(std::span<const char* const>(kNames));
  const Method& method = *std::ranges::find(described_.methods, name, &Method::name);
  const system_test::Message call = new_call(client, method);
  Appended appended =
      name == "ImportRun" ? values_->append_files(call.get()) : values_->append(call.get(), method.signature);
  if (name == "ImportRun") forgery::require(sd_bus_message_append(call.get(), "a{sv}", 0), "append");
  std::ranges::move(appended.other_ends, std::back_inserter(other_ends_));
  forgery::require(sd_bus_send(client.raw(), call.get(), nullptr), "send");
  const bool has_come = random_.happens(2);
  if (has_come) {
    (void)client.call(dbus::kManagerPath, kPeer, "Ping", "");
  } else {
    forgery::require(sd_bus_flush(client.raw()), "flush");
  }
  sent_beside_.push_back(fmt::format("{} [{}] of {} who {}", name, fmt::join(appended.descriptors, "; "),
                                     as_root      ? "root"
                                     : may_change ? "a member"
                                                  : "an outsider",
                                     has_come ? "then leaves" : "leaves"));
}

// Enough that what stays of them is seen in the memory of the daemon.
void Fuzzing::fill() {
  for (const Method& method : described_.methods) {
    if (is_over()) return;
    if (!method.signature.starts_with("a{sv}") || changes_something(method)) continue;
    // The daemon refuses too many before it decodes them, and takes some of the others.
    constexpr std::array<std::size_t, 6> kNumbers{16, 48, 128, 256, 1'024, Large::kMostEntries};
    for (const std::size_t number : kNumbers) calls_->add_options(outsider(), method, number);
    calls_->send();
    calls_->wait();
  }
}

void Fuzzing::as_outsider(std::uint64_t calls) {
  const std::string before = state();
  forger_->tell_of_departures(outsider());
  for (std::uint64_t done = 0; done < calls && !is_over(); done += kAtOnce) {
    make_calls(std::vector<const Caller*>(kAtOnce, &outsider()));
  }
  if (is_over()) return;
  const std::string after = state();
  if (before != after) findings_.push_back(fmt::format("an outsider changed {}\nto {}", before, after));
}

void Fuzzing::as_anybody(std::uint64_t calls) {
  constexpr std::uint64_t kOften = 10 * kAtOnce;
  for (std::uint64_t done = 0; done < calls && !is_over(); done += kAtOnce) {
    if (done % kOften == 0) {
      if (const std::uint64_t job = start_waiting_job(); job != 0) job_ = job;
    }
    std::vector<const Caller*> callers(kAtOnce);
    for (const Caller*& each : callers) each = &callers_[random_.below(callers_.size())];
    make_calls(callers);
  }
}

void Fuzzing::end_all_jobs() {
  change_rules(Rules::as_shipped);
  system_test::JobWatch watch{lab_.bus().address()};
  const auto live = lab_.database().rows(
      "SELECT DISTINCT job FROM runs WHERE state IN ('pending', 'preparing', 'running', 'collecting')");
  for (const auto& row : live) {
    const std::uint64_t job = std::stoull(row.front());
    // One that has ended meanwhile is not found.
    if (root().client->manager("StopJob", "t", job).error_name.empty()) (void)watch.wait_for_end(job);
  }
}

// By somebody new: nothing of what was refused keeps others out.
void Fuzzing::import_at_last() {
  const system_test::BusClient client = lab_.connect(lab_.users().member);
  const Descriptor document = descriptors_.document();
  const Reply reply = client.manager("ImportRun", "ahasa{sv}", 1, document.fd.get(), 1, "document", 0);
  if (!reply.error_name.empty()) {
    findings_.push_back(
        fmt::format("a document cannot be imported at last: {}: {}", reply.error_name, reply.error_text));
  }
}

void Fuzzing::ask_at_last() {
  const system_test::BusClient client = lab_.connect(lab_.users().outsider);
  const Reply ping = client.call(dbus::kManagerPath, kPeer, "Ping", "");
  const Reply run = client.manager("GetRun", "t", measured_);
  for (const Reply* each : {&ping, &run}) {
    if (each->error_name.empty()) continue;
    findings_.push_back(
        fmt::format("another caller is not answered at last: {}: {}", each->error_name, each->error_text));
  }
}

// What callers had is closed when they have left, and by other threads.
void Fuzzing::wait_for_descriptors() {
  const pid_t daemon = lab_.netperfd().process().pid();
  for (const Caller& caller : callers_) caller.client->close();
  const system_test::BusClient client = lab_.connect(lab_.users().outsider);
  const system_test::Deadline deadline;
  std::size_t after = descriptors_of(daemon);
  // Each question takes a turn of its loop.
  for (; after > idle_descriptors_ + kMoreDescriptors && !deadline.has_passed();
       after = descriptors_of(daemon)) {
    (void)client.call(dbus::kManagerPath, kPeer, "Ping", "");
  }
  compare("descriptors", idle_descriptors_, after, kMoreDescriptors);
}

void Fuzzing::compare(const char* what, std::size_t before, std::size_t after, std::size_t more) {
  fmt::print("{}: {} before, {} after\n", what, before, after);
  if (after > before + more) findings_.push_back(fmt::format("{}: {} became {}", what, before, after));
}

bool Fuzzing::is_over() {
  if (!dead_) dead_ = lab_.netperfd().process().ends_before(system_test::Deadline{std::chrono::seconds(0)});
  return dead_ || calls_->is_stuck();
}

void Fuzzing::end_daemon() {
  const auto end = dead_ ? lab_.netperfd().process().wait() : lab_.netperfd().end_by(SIGTERM);
  const std::string log = lab_.netperfd().log();
  const bool reported =
      log.find("Sanitizer") != std::string::npos || log.find("runtime error:") != std::string::npos;
  if (!dead_ && end.code == 0 && !reported) return;
  constexpr std::size_t kShown = 6'000;
  auto from = std::min(log.find("=================="), log.find("runtime error:"));
  if (from == std::string::npos) from = log.size() - std::min(log.size(), kShown);
  findings_.push_back(fmt::format("the daemon ended {}, with code {} and signal {}:\n{}",
                                  dead_ ? "by itself" : "when told to", end.code, end.signal_number,
                                  log.substr(from, kShown)));
  if (!dead_) return;
  findings_.push_back(
      fmt::format("it was sent before:\n{}{}\n", calls_->last(), fmt::join(sent_beside_, "\n")));
}

}  // namespace netperfd::bus_fuzz
