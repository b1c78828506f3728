// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/event_role.hpp"

namespace netperfd::trace {

Role role_of(std::string_view name) {
  if (name.starts_with("ftrace:funcgraph_") || name.starts_with("ftrace:fgraph_") ||
      name == "ftrace:function") {
    return Role::call;
  }
  if (name == "ftrace:print") return Role::print;
  if (name == "skb:kfree_skb") return Role::drop;
  if (name == "ftrace:kernel_stack") return Role::kernel_stack;
  return name == "ftrace:user_stack" ? Role::user_stack : Role::sampled;
}

}  // namespace netperfd::trace
