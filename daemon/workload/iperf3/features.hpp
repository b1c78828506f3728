// SPDX-License-Identifier: GPL-2.0-or-later
// The features of the installed iperf3, determined from its --help. Its version is used only as a name.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

struct Iperf3Features {
  std::string version;                         // "3.12"; empty if the output of --version was not understood
  std::set<std::string, std::less<>> options;  // all long options that --help lists: "--json-stream"

  [[nodiscard]] bool has(std::string_view option) const { return options.contains(option); }
  [[nodiscard]] bool json_stream() const { return has("--json-stream"); }
};

// Parses the texts of `iperf3 --version` and `iperf3 --help`. Some options are optional at compile time
// (SCTP, affinity), so two builds of one version may differ.
[[nodiscard]] Iperf3Features parse_features(std::string_view version_text, std::string_view help_text);

// unsupported if `spec` needs something that this iperf3 does not list (the message names the key and the
// version), and if `features` are empty because no iperf3 could be run.
[[nodiscard]] Status check_supported(const TestSpec& spec, const Iperf3Features& features);

}  // namespace netperfd::workload
