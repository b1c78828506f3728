// The raw sub-buffers of a run, kept as they came up to a limit, and the trace.dat that they become.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/subbuffer.hpp"

namespace netperfd::trace {

class RawKeeper {
 public:
  explicit RawKeeper(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}
  // Sub-buffers of one CPU in the order in which they were read, each as long as the layout says; the first
  // that does not fit ends the keeping, so that what is kept is whole up to a moment.
  void add(std::uint32_t cpu, std::span<const std::byte> subbuffer);
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  // By CPU; afterwards it is empty.
  [[nodiscard]] std::map<std::uint32_t, std::vector<std::byte>> take();

 private:
  std::uint64_t most_bytes_;
  std::uint64_t kept_ = 0;
  std::uint64_t left_out_ = 0;
  std::map<std::uint32_t, std::vector<std::byte>> cpus_;
};

// All that a trace.dat says of the kernel it was recorded on, as tracefs and procfs have it.
struct RecordingFacts {
  std::string header_page, header_event;                     // events/header_page, events/header_event
  std::vector<std::pair<std::string, std::string>> formats;  // ("sched:sched_switch", its format file)
  std::string kallsyms;                                      // lines of /proc/kallsyms that the reader needs
  std::string task_names;                                    // saved_cmdlines
  std::string clock;                                         // "mono"
  std::string kernel;                                        // uname -r and the like
  std::size_t subbuffer_bytes = 4096;
  std::uint32_t cpus = 1;  // of the machine: the file has data for each, if only an empty one
};

// A file of trace-cmd's version 6, which every tool that reads trace.dat understands.
[[nodiscard]] std::string make_trace_dat(const RecordingFacts& facts,
                                         std::map<std::uint32_t, std::vector<std::byte>> cpus);

}  // namespace netperfd::trace
