// SPDX-License-Identifier: GPL-2.0-or-later
// Redaction of texts that have a structure of their own.
#pragma once

#include <string>

#include "daemon/bundle/names.hpp"

namespace netperfd::bundle {

// iperf3's JSON: of its texts only those of a known vocabulary stay. Empty if it is nothing of iperf3, no
// JSON, or nested deep.
[[nodiscard]] std::string redacted_document(const std::string& text, Names& names);

// A job's YAML, line by line: of its values only numbers and words of the scenario language stay.
[[nodiscard]] std::string redacted_job(const std::string& text, Names& names);

// "streams=4, length=512": of the values the same stay.
[[nodiscard]] std::string redacted_point(const std::string& name, Names& names);

}  // namespace netperfd::bundle
