// SPDX-License-Identifier: GPL-2.0-or-later
// A method of org.netperfd1: what methods/table.cpp says of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/bus/call/task.hpp"
#include "daemon/core/action.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

class ManagerObject;
class Call;

// Who may call it. docs/access.md says the same in words.
enum class Who : std::uint8_t {
  everybody,        // who it is does not matter
  identified,       // everybody, but the answer depends on who it is
  member,           // root and the members of the group, whatever polkit says
  action,           // who may do `Access::action`
  live_job_owner,   // of the job, which has not ended; others with manage-others
  job_owner,        // of the job; others with manage-others
  run_owner,        // of the run; others with manage-others
  raw_data_reader,  // the owner of the run; others with read-raw-data
};

struct Access {
  Who who;
  const char* what = "";                        // in words: "stop", of an object "stop job 3 of uid 1000"
  core::Action action = core::Action::measure;  // for Who::action
  // What the caller must be allowed depends on the arguments: the method asks itself, with Call::allow(). A
  // method that forgets it gives no answer.
  bool asks_itself = false;
};

// How the method's end is recorded in the audit trail.
struct Audit {
  const char* word = "";       // as AuditEntry::action; empty: it is not recorded
  bool begins_itself = false;  // not from the permission on, but from Call::begin_audit()
};

// Before anything of a message is decoded.
struct Limits {
  std::uint32_t bytes = 4096;  // of the whole message
  std::uint32_t entries = 64;  // elements of its arrays and dictionaries, together
  std::uint32_t descriptors = 0;
  // Of a caller, one such call at a time.
  bool alone = false;
};

struct Method {
  using Serve = Task<> (*)(ManagerObject& manager, const Method& method, sdbus::MethodCall message);

  const char* interface;
  const char* name;
  std::string takes, gives;  // signatures
  std::vector<std::string> takes_names, gives_names;
  Access access;
  Audit audit;
  Limits limits;
  Serve serve;
};

// All methods of org.netperfd1, by what they are about.
[[nodiscard]] const std::vector<Method>& method_table();
// Null if there is none. An empty interface stands for any.
[[nodiscard]] const Method* find_method(std::string_view interface, std::string_view member);

}  // namespace netperfd::bus
