// SPDX-License-Identifier: GPL-2.0-or-later
// What a start may choose of a command: each parameter is put into one argument at least.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/keys/schema.hpp"
#include "daemon/model/command_spec.hpp"

namespace netperfd::workload {

// Reads a mapping of names to {value, from, to} or {value, words}.
[[nodiscard]] keys::Reader read_parameters(std::vector<CommandParameter>& out);

// "{size}" as the value of that parameter.
[[nodiscard]] std::string with_parameters(const std::string& word,
                                          const std::vector<CommandParameter>& parameters);
// Whether the word has the parameter in it.
[[nodiscard]] bool uses(const std::string& word, const CommandParameter& parameter);
// Empty, or why the value is not one of those that the scenario lists.
[[nodiscard]] std::string wrong_value(const CommandParameter& parameter);

}  // namespace netperfd::workload
