// SPDX-License-Identifier: GPL-2.0-or-later
// Where a list ends that comes in pages.
#pragma once

#include <cstddef>
#include <string>

namespace netperfctl {

// A page without rows ends the list, whatever its cursor. A page that leads back to itself never would, nor
// does a list of more pages than the longest has.
class PageWalk {
 public:
  enum class Next { page, end, endless };
  static constexpr std::size_t kMostPages = 20'000;  // of runs: ten millions of them

  // After a page of so many rows with the cursor of the next one.
  [[nodiscard]] Next after(std::size_t rows, const std::string& cursor) {
    if (rows == 0 || cursor.empty()) return Next::end;
    if (cursor == last_ || ++pages_ >= kMostPages) return Next::endless;
    last_ = cursor;
    return Next::page;
  }

 private:
  std::string last_;
  std::size_t pages_ = 0;
};

}  // namespace netperfctl
