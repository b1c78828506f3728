// SPDX-License-Identifier: GPL-2.0-or-later
// The sections of a report, as HTML. What they get has printable() texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/report/report.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::report {

// The verdict, or why there is none.
[[nodiscard]] std::string verdict_part(const CompareView& view);
// The table and the drawing of all runs.
[[nodiscard]] std::string runs_part(const std::vector<SidedRun>& runs);
// CPU time and functions on both sides.
[[nodiscard]] std::string functions_part(const CompareView& view);
[[nodiscard]] std::string counters_part(const CompareView& view);
// What differed between the sides beside the change, and what did not.
[[nodiscard]] std::string environment_part(const CompareView& view);
// How good the evidence is.
[[nodiscard]] std::string evidence_part(const Report& report);
// One run in full.
[[nodiscard]] std::string run_part(const ShownRun& shown);
[[nodiscard]] std::string flames_part(const std::vector<flame::Picture>& pictures);

// What is asked of the browser: to load nothing, and to run the page's own scripts alone.
[[nodiscard]] std::string content_security_policy();
// "sha256-..." of a hash in hexadecimal digits, as the policy has it.
[[nodiscard]] std::string policy_hash(std::string_view hexadecimal);

// The width of what is text on the page too.
[[nodiscard]] Screen text_screen();

}  // namespace netperfctl::report
