// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/options/option_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "daemon/bus/options/options.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::bus {

Status check_keys(const dbus::Row& row, std::string_view what, std::span<const Key> keys) {
  for (const auto& [name, value] : row) {
    const auto key = std::ranges::find(keys, name, &Key::name);
    if (key == keys.end()) {
      std::vector<std::string_view> known;
      known.reserve(keys.size());
      for (const Key& each : keys) known.push_back(each.name);
      return invalid(
          fmt::format("unknown {} {}; allowed are {}", what, in_quotes(name), fmt::join(known, ", ")));
    }
    const std::string signature{value.peekValueType()};  // 1.x makes it anew, 2.x lends it
    if (signature != key->signature) {
      return invalid(fmt::format("{} \"{}\" has the D-Bus type {}; expected is {}, {}", what, name,
                                 wire_text(signature, kNameLimit), key->type, key->signature));
    }
  }
  return {};
}

Result<JobPurpose> to_purpose(std::string_view what, const std::string& name) {
  if (const auto purpose = parse_job_purpose(name)) return *purpose;
  return invalid(
      fmt::format("{} \"purpose\": {} is no purpose of a job; allowed are measurement, pilot, selftest", what,
                  in_quotes(name)));
}

}  // namespace netperfd::bus
