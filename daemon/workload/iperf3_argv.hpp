// From an accepted spec to iperf3's command lines: a whitelist, in which every key has its one option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/workload/iperf3_features.hpp"

namespace netperfd::workload {

struct Iperf3Option {
  std::string_view key;   // of workload.iperf3 that asks for it
  std::string_view name;  // iperf3's long option
  std::string value;      // empty: the option takes none
};

// In the order of the command line. Numbers are plain bytes, bits per second and seconds, without iperf3's
// suffixes. Affinity is no option here: the launcher binds the whole process, its threads included.
[[nodiscard]] std::vector<Iperf3Option> client_options(const Iperf3Spec& spec,
                                                       const Iperf3Features& features);
// Of the one-off server of spec.local, which must be there. In text mode: with --json it never says that it
// listens.
[[nodiscard]] std::vector<Iperf3Option> server_options(const Iperf3Spec& spec);

// The same as whole command lines; argv[0] is `program`.
[[nodiscard]] std::vector<std::string> client_argv(const std::string& program, const Iperf3Spec& spec,
                                                   const Iperf3Features& features);
[[nodiscard]] std::vector<std::string> server_argv(const std::string& program, const Iperf3Spec& spec);

}  // namespace netperfd::workload
