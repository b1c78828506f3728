// SPDX-License-Identifier: GPL-2.0-or-later
// A tracefs in memory that keeps state like the kernel, records all operations, and refuses what a test tells
// it to refuse. All tests of this module use this fake.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// The simulated kernel. The default can trace everything.
struct FakeKernel {
  bool function = true;            // the tracer "function"
  bool function_graph = true;      // the tracer "function_graph"
  bool graph_in_instances = true;  // false: EINVAL in an instance, as in Linux 6.1
  bool lockdown = false;           // function tracing is listed, but refused with EPERM
  unsigned cpus = 2;               // 32 at most
  std::string clocks = "local global counter uptime perf mono mono_raw boot x86-tsc";
  // Traceable functions by module; "" is the kernel itself.
  std::map<std::string, std::vector<std::string>> functions = {
      {"", {"tcp_sendmsg", "tcp_recvmsg", "ip_rcv", "ip_output", "schedule"}},
      {"hsr", {"hsr_dev_xmit", "hsr_forward_skb", "hsr_get_node"}},
  };
  // Names of the fields that a filter may use, by "system:event".
  std::map<std::string, std::vector<std::string>> events = {
      {"sched:sched_switch", {"prev_pid", "next_pid"}},
      {"skb:kfree_skb", {"protocol", "reason"}},
      {"skb:consume_skb", {"skbaddr"}},
      {"tcp:tcp_retransmit_skb", {"sport", "dport", "state"}},
  };
};

// A path, split into the trace directory ("" or "instances/NAME") and the path below it.
struct FakePlace {
  std::string directory;
  std::string file;
};

class FakeTracefs final : public Tracefs {
 public:
  explicit FakeTracefs(FakeKernel kernel = {});
  ~FakeTracefs() override;

  [[nodiscard]] Result<std::string> read(const std::string& path) override;
  [[nodiscard]] Status write(const std::string& path, const std::string& text) override;
  [[nodiscard]] Status append(const std::string& path, const std::string& text) override;
  [[nodiscard]] Status make_directory(const std::string& path) override;
  [[nodiscard]] Status remove_directory(const std::string& path) override;
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& path) override;
  [[nodiscard]] bool exists(const std::string& path) override;
  [[nodiscard]] Result<std::unique_ptr<TracefsFile>> open(const std::string& path, OpenMode mode) override;

  // ---- Recorded operations --------------------------------------------------------------------------------
  // write, append, make_directory, remove_directory and open, in order, including refused ones.
  struct Operation {
    enum class Kind { write, append, make_directory, remove_directory, open };
    Kind kind = Kind::write;
    std::string path;
    std::string text;
    bool refused = false;
  };
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  void forget_operations() { operations_.clear(); }

  // ---- Refusals -------------------------------------------------------------------------------------------
  // Counts the operations above, from this call on: 1 is the next one, 0 cancels.
  void fail_at(std::size_t operation, int error_number);
  // Refuses every operation on this path, and reading it, until called again with 0.
  void fail_path(const std::string& path, int error_number);
  // Called around each counted operation, even if it is refused.
  void before_each(std::function<void(const Operation&)> hook) { before_ = std::move(hook); }
  void after_each(std::function<void(const Operation&)> hook) { after_ = std::move(hook); }

  // The same kernel with the same tree; without refusals, open files and ring contents.
  [[nodiscard]] std::unique_ptr<FakeTracefs> clone() const;

  // ---- The whole tree -------------------------------------------------------------------------------------
  // One line each: "PATH = text" with newlines as "\n", directories as "PATH/". Without error_log, which
  // nobody restores, and without ring contents.
  [[nodiscard]] std::string snapshot() const;

  // ---- Changes made by the kernel or somebody else --------------------------------------------------------
  // They are neither recorded nor refused.
  void set(const std::string& path, std::string text);  // the text as it reads back; creates the file
  [[nodiscard]] std::string get(const std::string& path) const;  // "" if there is none
  void erase(const std::string& path);                           // a file, or a directory with its contents
  void add_instance(const std::string& name);
  void load_module(const std::string& name, std::vector<std::string> functions);
  void unload_module(const std::string& name);  // silently empties filters, as the kernel does
  // Sub-buffers returned by reading per_cpu/cpuN/trace_pipe_raw, one per read, followed by 0 bytes.
  void feed(const std::string& path, std::vector<std::vector<std::byte>> subbuffers);
  // Texts written into the trace_marker of `directory` ("" or "instances/NAME") while tracing was on.
  [[nodiscard]] const std::vector<std::string>& marks(const std::string& directory);
  [[nodiscard]] std::size_t open_files() const;
  // Number of open descriptors of one file below a trace directory.
  [[nodiscard]] std::size_t open_in(const std::string& directory, const std::string& file) const;

 private:
  class File;
  struct Shared;

  // Records the operation and, unless it must be refused, executes `act`, which returns an errno or 0.
  [[nodiscard]] Status perform(Operation operation, const std::function<int()>& act);
  [[nodiscard]] Status change(const std::string& path, const std::string& text, bool truncate);
  [[nodiscard]] int put(const FakePlace& place, const std::string& text, bool truncate);
  [[nodiscard]] int put_plain(const FakePlace& place, const std::string& text, bool truncate);
  [[nodiscard]] int put_event(const FakePlace& place, const std::string& text);
  [[nodiscard]] int put_filter(const FakePlace& place, const std::string& text);
  [[nodiscard]] int put_trigger(const FakePlace& place, const std::string& text);
  [[nodiscard]] int put_set_event(const FakePlace& place, const std::string& text, bool truncate);
  [[nodiscard]] int put_functions(const FakePlace& place, const std::string& text, bool truncate);
  [[nodiscard]] int put_tracer(const FakePlace& place, const std::string& text);
  [[nodiscard]] FakePlace place(const std::string& path) const;
  [[nodiscard]] bool locked(const FakePlace& place) const;
  [[nodiscard]] std::string event_summary(const std::string& path) const;
  [[nodiscard]] std::string enabled_events(const std::string& directory) const;
  [[nodiscard]] std::vector<std::string> matching(std::string pattern) const;
  void make_trace_directory(const std::string& directory);
  void log_error(const FakePlace& place, const std::string& text);
  void refresh_functions();

  FakeKernel kernel_;
  std::map<std::string, std::string> files_;  // path to text as it reads back
  std::set<std::string> directories_;
  std::vector<Operation> operations_;
  std::map<std::string, int> path_failures_;
  std::size_t fail_at_ = 0;
  int fail_errno_ = 0;
  std::function<void(const Operation&)> before_;
  std::function<void(const Operation&)> after_;
  std::shared_ptr<Shared> shared_;
};

// "mkdir instances/x", `write "1" to tracing_on`.
[[nodiscard]] std::string describe(const FakeTracefs::Operation& operation);

// For tests that need sub-buffers.
[[nodiscard]] std::vector<std::byte> to_bytes(std::string_view text);

}  // namespace netperfd::trace
