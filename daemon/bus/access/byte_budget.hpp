// SPDX-License-Identifier: GPL-2.0-or-later
// How many bytes of calls each user may have here, from before they are received until they are answered.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <memory>

namespace netperfd::bus {

class ByteBudget {
 public:
  // What every user may have. The largest calls but OpenBundle's fit in twice.
  static constexpr std::size_t kOfUser = std::size_t{512} * 1024;
  // What a user may have whose right to something large is known, and what all of these have together beyond
  // the share of every user.
  static constexpr std::size_t kOfTrusted = std::size_t{16} << 20U;
  static constexpr std::size_t kOfAllTrusted = std::size_t{48} << 20U;
  // What a call counts at least, for what is kept beside its bytes.
  static constexpr std::size_t kLeast = 1024;

  ByteBudget() = default;

  // Root is not limited.
  [[nodiscard]] bool has_room(uid_t user, std::size_t bytes, bool is_trusted) const;
  // They count until the last copy of this is gone, which may outlive this object.
  [[nodiscard]] std::shared_ptr<void> take(uid_t user, std::size_t bytes);
  [[nodiscard]] std::size_t taken_by(uid_t user) const;

 private:
  using Taken = std::map<uid_t, std::size_t>;

  std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
};

}  // namespace netperfd::bus
