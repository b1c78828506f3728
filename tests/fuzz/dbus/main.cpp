// SPDX-License-Identifier: GPL-2.0-or-later
// Calls every method and property that the real daemon describes on a bus of its own, with random values of
// the right and of wrong types, with descriptors of all kinds and sometimes with very much, as an outsider,
// two members and root. The daemon must answer each call with a reply or an error that has a name and a text
// that can be shown, must not let an outsider change anything, must not fill up, must answer others
// afterwards, and must end as it should, without a report of a sanitizer. Between the calls come signals and
// replies that nobody asked for. The bus has its shipped policy first, then one that lets those through, and
// then one that lets everything through.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tests/fuzz/dbus/fuzzing.hpp"

namespace netperfd::bus_fuzz {
namespace {

void print_table(const Calls& calls) {
  std::map<std::string, std::uint64_t> names;
  std::uint64_t replies = 0;
  for (const auto& [method, answers] : calls.answers()) {
    replies += answers.replies;
    std::uint64_t errors = 0;
    for (const auto& [name, count] : answers.errors) {
      names[name] += count;
      errors += count;
    }
    fmt::print("{:>7} replies {:>7} errors  {}\n", answers.replies, errors, method);
  }
  fmt::print("{} calls of {} methods: {} replies", calls.count(), calls.answers().size(), replies);
  for (const auto& [name, count] : names) fmt::print(", {} {}", count, name.substr(name.rfind('.') + 1));
  fmt::print("\n");
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    auto& to = option == "--calls" ? settings.calls : settings.seed;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to);
    const bool known = option == "--calls" || option == "--seed";
    if (!known || error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  }
  return settings;
}

int run(int argc, char** argv) {
  const auto settings = parse(argc, argv);
  if (!settings || ::geteuid() != 0) {
    fmt::print(stderr, "usage, as root: {} [--calls NUMBER] [--seed NUMBER]\n", argv[0]);
    return 2;
  }
  Fuzzing fuzzing(*settings);
  const auto findings = fuzzing.run();
  print_table(fuzzing.calls());
  fmt::print("{} signals and replies that nobody asked for, {} of polkit's questions\n", fuzzing.forged(),
             fuzzing.asked_polkit());
  fmt::print("{} descriptors, {} large calls\n", fuzzing.calls().descriptors(), fuzzing.calls().large());
  for (const std::string& each : findings) fmt::print("FOUND: {}\n", each);
  fmt::print("seed {}: {} found\n", settings->seed, findings.size());
  return findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace netperfd::bus_fuzz

int main(int argc, char** argv) {
  try {
    return netperfd::bus_fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
