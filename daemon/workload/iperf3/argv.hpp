// SPDX-License-Identifier: GPL-2.0-or-later
// Builds iperf3's command lines from an accepted spec: a whitelist that maps every key to one option.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/workload/iperf3/features.hpp"

namespace netperfd::workload {

struct Iperf3Option {
  std::string_view key;   // the key of workload.iperf3 that requests it
  std::string_view name;  // iperf3's long option
  std::string value;      // empty: the option has no value
};

// In the order of the command line. Numbers are plain bytes, bits per second and seconds, without iperf3's
// suffixes. Affinity is not passed as an option: the launcher binds the whole process, including its threads.
[[nodiscard]] std::vector<Iperf3Option> client_options(const TestSpec& spec, const Iperf3Features& features);
// Options of the one-off server of spec.path.local, which must be set. The server runs in text mode: with
// --json it never reports that it listens.
[[nodiscard]] std::vector<Iperf3Option> server_options(const TestSpec& spec);

// The same options as whole command lines; argv[0] is `program`.
[[nodiscard]] std::vector<std::string> client_argv(const std::string& program, const TestSpec& spec,
                                                   const Iperf3Features& features);
[[nodiscard]] std::vector<std::string> server_argv(const std::string& program, const TestSpec& spec);

}  // namespace netperfd::workload
