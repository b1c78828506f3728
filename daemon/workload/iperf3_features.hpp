// What the installed iperf3 can do, in its own words: its --help is the check, its version only a name.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

struct Iperf3Features {
  std::string version;                         // "3.12"; empty where --version was not understood
  std::set<std::string, std::less<>> options;  // every long option that --help lists: "--json-stream"

  [[nodiscard]] bool has(std::string_view option) const { return options.contains(option); }
  [[nodiscard]] bool json_stream() const { return has("--json-stream"); }
};

// From the texts of `iperf3 --version` and `iperf3 --help`. Options are compiled in or out (SCTP, affinity),
// so two builds of one version may differ.
[[nodiscard]] Iperf3Features parse_features(std::string_view version_text, std::string_view help_text);

// unsupported where `spec` asks for something that this iperf3 does not list, naming the key and the version,
// and where `features` are empty because no iperf3 could be asked.
[[nodiscard]] Status check_supported(const Iperf3Spec& spec, const Iperf3Features& features);

}  // namespace netperfd::workload
