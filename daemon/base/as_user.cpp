// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/as_user.hpp"

#include <sys/fsuid.h>
#include <unistd.h>

#include <cstdlib>

namespace netperfd {
namespace {

// -1 changes nothing, and returns what is set.
bool is_now(uid_t uid, gid_t gid) {
  return static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))) == uid &&
         static_cast<gid_t>(::setfsgid(static_cast<gid_t>(-1))) == gid;
}

}  // namespace

AsUser::AsUser(uid_t uid, gid_t gid)
    : uid_(static_cast<uid_t>(::setfsuid(uid))), gid_(static_cast<gid_t>(::setfsgid(gid))) {
  if (::geteuid() == 0 && !is_now(uid, gid)) std::abort();  // it would go on as root
}

AsUser::~AsUser() {
  ::setfsgid(gid_);
  ::setfsuid(uid_);
  if (!is_now(uid_, gid_)) std::abort();  // the real user may always return
}

}  // namespace netperfd
