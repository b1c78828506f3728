// SPDX-License-Identifier: GPL-2.0-or-later
// Compiled statements that nobody uses now. Compiling the statements of a short query takes longer than
// their execution.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

struct sqlite3_stmt;

namespace netperfd::store {

class StatementCache {
 public:
  // About 8 KB each. More than one method and the end of a run take together.
  static constexpr std::size_t kMost = 64;

  // A statement of exactly this text, which becomes the caller's; null if there is none.
  [[nodiscard]] sqlite3_stmt* take(std::string_view sql);
  // Owns the statement from now on, and releases its locks. Finalizes the one that was not used for longest
  // if there are too many.
  void put(sqlite3_stmt* statement);
  void clear() { unused_.clear(); }
  [[nodiscard]] std::size_t size() const { return unused_.size(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  struct Unused {
    std::string_view sql;  // the statement owns the text
    std::unique_ptr<sqlite3_stmt, Finalize> statement;
  };
  std::vector<Unused> unused_;  // the one used last is last
};

}  // namespace netperfd::store
