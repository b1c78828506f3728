// A tracefs in memory that keeps state as the kernel does, records what is done to it and refuses what a test
// tells it to refuse. The one fake of all tests of this room.
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

#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// What kind of kernel it is. The default traces whatever one may ask.
struct FakeKernel {
  bool function = true;            // the tracer "function"
  bool function_graph = true;      // the tracer "function_graph"
  bool graph_in_instances = true;  // false: EINVAL in an instance, as Linux 6.1
  bool lockdown = false;           // function tracing is listed, and EPERM
  unsigned cpus = 2;               // at most 32
  std::string clocks = "local global counter uptime perf mono mono_raw boot x86-tsc";
  // Traceable functions by module; "" are the kernel's own.
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

// A path, split into the trace directory ("" or "instances/NAME") and what lies below it.
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

  // ---- What was done: write, append, make_directory, remove_directory and open, in order, refused ones too.
  struct Operation {
    enum class Kind { write, append, make_directory, remove_directory, open };
    Kind kind = Kind::write;
    std::string path;
    std::string text;
    bool refused = false;
  };
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  void forget_operations() { operations_.clear(); }

  // ---- Refusals. Counted are the operations above, from this call on: 1 is the next one. 0 takes it back.
  void fail_at(std::size_t operation, int error_number);
  // Every operation on this path, and reading it, until it is called again with 0.
  void fail_path(const std::string& path, int error_number);
  // Called around each counted operation, refused or not.
  void before_each(std::function<void(const Operation&)> hook) { before_ = std::move(hook); }
  void after_each(std::function<void(const Operation&)> hook) { after_ = std::move(hook); }

  // The same kernel with the same tree; without refusals, open files and what the rings hold.
  [[nodiscard]] std::unique_ptr<FakeTracefs> clone() const;

  // ---- The whole tree, a line each: "PATH = text" with newlines as "\n", directories as "PATH/". Without
  // error_log, which nobody restores, and without the rings' contents.
  [[nodiscard]] std::string snapshot() const;

  // ---- What the kernel or somebody else does; neither recorded nor refused.
  void set(const std::string& path, std::string text);  // the text as it is read back; makes the file
  [[nodiscard]] std::string get(const std::string& path) const;  // "" where there is none
  void erase(const std::string& path);                           // a file, or a directory with all in it
  void add_instance(const std::string& name);
  void load_module(const std::string& name, std::vector<std::string> functions);
  void unload_module(const std::string& name);  // empties filters silently, as the kernel does
  // Sub-buffers that reading per_cpu/cpuN/trace_pipe_raw gives, one a read, and then 0 bytes.
  void feed(const std::string& path, std::vector<std::vector<std::byte>> subbuffers);
  // What was written into the trace_marker of `directory` ("" or "instances/NAME") while it was tracing.
  [[nodiscard]] const std::vector<std::string>& marks(const std::string& directory);
  [[nodiscard]] std::size_t open_files() const;
  // Of one file below a trace directory.
  [[nodiscard]] std::size_t open_in(const std::string& directory, const std::string& file) const;

 private:
  class File;
  struct Shared;

  // Records the operation and carries it out by `act`, which gives an errno or 0, unless it is to be refused.
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

// For tests with sub-buffers.
[[nodiscard]] std::vector<std::byte> to_bytes(std::string_view text);

}  // namespace netperfd::trace
