// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's tracing features; daemon/trace/catalogue implements it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::core {

enum class Ability { yes, no, limited };
[[nodiscard]] std::string_view to_string(Ability ability);

struct Capability {
  std::string name;  // "function_graph", "tracepoints", in words with underscores; stable
  Ability ability = Ability::no;
  std::string detail;  // a whole clause: what is available, or why not
  std::string advice;  // what to do about it; empty if nothing needs doing
};

struct ModuleRow {
  std::string name;
  bool loaded = false;
  bool built_in = false;
  std::optional<std::uint64_t> functions;  // traceable ones; absent if the kernel does not report them
  std::string hint;                        // such as "modprobe hsr"; empty if nothing needs doing
};

struct FunctionRow {
  std::string name;
  std::string module;  // empty: the kernel itself
};

struct EventRow {
  std::string name;  // "skb:kfree_skb"
};

struct EventFieldRow {
  std::string name;
  std::string type;  // the C type: "enum skb_drop_reason"
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // bytes; 0: dynamic
  bool is_signed = false;
  std::vector<std::string> values;  // for an enum or flags: "2=NOT_SPECIFIED"
};

struct EventDetails {
  std::string name;
  std::uint32_t id = 0;
  std::vector<EventFieldRow> fields;
  std::string print;  // the kernel's own print format
};

struct TracerRow {
  std::string name;  // "function_graph"
  bool current = false;
};

struct FunctionFilter {
  std::optional<std::string> module;  // exact match; "": the kernel's own functions
  std::string pattern;                // a glob; empty: all
};

class Catalogue {
 public:
  virtual ~Catalogue() = default;
  // One entry for each capability, always all of them, in a fixed order. Properties that cannot change before
  // the next boot are probed once per boot unless `fresh`.
  [[nodiscard]] virtual std::vector<Capability> capabilities(bool fresh) = 0;
  [[nodiscard]] virtual Result<std::vector<ModuleRow>> modules(const std::string& pattern) = 0;
  // `offset` and `limit` select a part of the sorted list of matches; `total` is its whole length.
  struct Functions {
    std::vector<FunctionRow> rows;
    std::uint64_t total = 0;
    std::vector<std::string> nearest;  // if nothing matches a pattern without wildcards
  };
  [[nodiscard]] virtual Result<Functions> functions(const FunctionFilter& filter, std::uint64_t offset,
                                                    std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<std::vector<EventRow>> events(const std::string& pattern) = 0;
  [[nodiscard]] virtual Result<EventDetails> event(const std::string& name) = 0;
  [[nodiscard]] virtual Result<std::vector<TracerRow>> tracers() = 0;
};

}  // namespace netperfd::core
