// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the raw sub-buffers of a run, up to a limit, and makes a trace.dat of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/ring/subbuffer.hpp"

namespace netperfd::trace {

class RawKeeper {
 public:
  explicit RawKeeper(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  // Adds a sub-buffer; those of one CPU must come in the order in which they were read, each as long as the
  // layout says. The first one that does not fit ends the recording, so that it is complete up to that
  // moment.
  void add(std::uint32_t cpu, std::span<const std::byte> subbuffer);
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  // By CPU; empties the keeper.
  [[nodiscard]] std::map<std::uint32_t, std::vector<std::byte>> take();

 private:
  std::uint64_t most_bytes_;
  std::uint64_t kept_ = 0;
  std::uint64_t left_out_ = 0;
  std::map<std::uint32_t, std::vector<std::byte>> cpus_;
};

// The contents of a trace.dat besides the sub-buffers: data on the kernel, from tracefs and procfs.
struct RecordingFacts {
  std::string header_page, header_event;                     // events/header_page, events/header_event
  std::vector<std::pair<std::string, std::string>> formats;  // ("sched:sched_switch", its format file)
  std::string kallsyms;                                      // lines of /proc/kallsyms that readers need
  std::string task_names;                                    // saved_cmdlines
  std::string clock;                                         // "mono"
  std::string kernel;                                        // uname -r and similar
  std::size_t subbuffer_bytes = 4096;
  std::uint32_t cpus = 1;  // of the machine: the file has data for each, even if empty
};

// A file of trace-cmd's version 6, which every tool that reads trace.dat understands.
[[nodiscard]] std::string make_trace_dat(const RecordingFacts& facts,
                                         std::map<std::uint32_t, std::vector<std::byte>> cpus);

}  // namespace netperfd::trace
