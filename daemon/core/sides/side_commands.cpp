// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/side_commands.hpp"

#include <fmt/format.h>

#include <utility>

namespace netperfd::core {
namespace {

void add(const std::vector<MachineSetting>& settings, std::vector<std::string>& argv) {
  for (const MachineSetting& each : settings) argv.push_back(fmt::format("{}={}", each.target, each.value));
}

void add_prepare(const std::vector<std::string>& command, std::vector<std::string>& argv) {
  if (command.empty()) return;
  argv.emplace_back("--prepare");
  argv.insert(argv.end(), command.begin(), command.end());
}

}  // namespace

SideCommands::SideCommands(Design design, SwitchProgram program)
    : design_(std::move(design)), program_(std::move(program)) {}

const Variant& SideCommands::side_of(Place place) const {
  if (place.variant == kHome) return *design_.home;
  return place.variant == 'A' ? *design_.a : *design_.b;
}

std::vector<std::string> SideCommands::switch_to(Place place) const {
  if (!design_.has_settings()) return side_of(place).switch_to(place.build);
  std::vector<std::string> argv{program_.path, "to", program_.note};
  add(design_.settings_of(place.variant, place.point), argv);
  argv.emplace_back("--other");
  add(side_of({.variant = place.variant == 'A' ? 'B' : 'A'}).settings, argv);
  add_prepare(design_.prepare, argv);
  return argv;
}

std::vector<std::string> SideCommands::check_of(Place place) const {
  if (!design_.has_settings()) return side_of(place).check_of(place.build);
  const std::vector<MachineSetting> settings = design_.settings_of(place.variant, place.point);
  if (settings.empty()) return {};
  std::vector<std::string> argv{program_.path, "check", program_.note};
  add(settings, argv);
  return argv;
}

std::vector<std::string> SideCommands::undo() const {
  if (!design_.has_settings()) return {};
  std::vector<std::string> argv{program_.path, "undo", program_.note};
  add_prepare(design_.prepare, argv);
  return argv;
}

}  // namespace netperfd::core
