// SPDX-License-Identifier: GPL-2.0-or-later
// The digest of some rows of one table, for digests.cpp.
#pragma once

#include <sqlite3.h>
#include <xxhash.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "daemon/store/digest_plan.hpp"

namespace netperfd::store {

// Values with their columns, types and lengths, so that none can take the place of another one. The bytes are
// the same on every machine.
class RowHash {
 public:
  void add(sqlite3_stmt* row, int at, const DigestColumn& column) {
    switch (sqlite3_column_type(row, at)) {
      case SQLITE_INTEGER:
        add_number(column, sqlite3_column_int64(row, at));
        break;
      case SQLITE_FLOAT:
        add_real(column, sqlite3_column_double(row, at));
        break;
      case SQLITE_TEXT:
        add_bytes(column, 't', std::get_if<std::string>(&column.by_default), row, at);
        break;
      case SQLITE_BLOB:
        add_bytes(column, 'b', nullptr, row, at);
        break;
      default:
        if (!std::holds_alternative<std::monostate>(column.by_default)) put(column.tag, 'n');
    }
  }
  void end_row() { put(0, '.'); }
  // Of the rows since the last one.
  std::int64_t digest() {
    const bool fits = !has_begun_;  // most do: the state and its preparation cost more than the rows
    if (!fits) flush();
    const XXH64_hash_t digest = fits ? XXH3_64bits(buffer_, filled_) : XXH3_64bits_digest(state_.get());
    filled_ = 0;
    has_begun_ = false;
    return std::bit_cast<std::int64_t>(digest);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  static constexpr std::size_t kBuffered = 4096;

  void update(const char* bytes, std::size_t size) {
    if (!state_) state_.reset(XXH3_createState());
    if (!std::exchange(has_begun_, true)) XXH3_64bits_reset(state_.get());
    XXH3_64bits_update(state_.get(), bytes, size);
  }
  void flush() {
    update(buffer_, filled_);
    filled_ = 0;
  }
  void put_word(std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(buffer_ + filled_, &word, sizeof word);
    filled_ += sizeof word;
  }
  void put(std::uint64_t tag, char type) {
    constexpr std::size_t kMost = 3 * sizeof(std::uint64_t);
    if (filled_ + kMost > kBuffered) flush();
    put_word(tag);
    buffer_[filled_++] = type;
  }
  void add_number(const DigestColumn& column, std::int64_t number) {
    const auto* const usual = std::get_if<std::int64_t>(&column.by_default);
    if (usual != nullptr && *usual == number) return;
    put(column.tag, 'i');
    put_word(static_cast<std::uint64_t>(number));
  }
  void add_real(const DigestColumn& column, double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const auto* const usual = std::get_if<double>(&column.by_default);
    if (usual != nullptr && std::bit_cast<std::uint64_t>(*usual) == bits) return;
    put(column.tag, 'r');
    put_word(bits);
  }
  void add_bytes(const DigestColumn& column, char type, const std::string* usual, sqlite3_stmt* row, int at) {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(row, at));
    const std::string_view text{bytes != nullptr ? bytes : "",
                                static_cast<std::size_t>(sqlite3_column_bytes(row, at))};
    if (usual != nullptr && *usual == text) return;
    put(column.tag, type);
    put_word(text.size());
    if (text.size() > kBuffered / 2) {
      flush();
      update(text.data(), text.size());
      return;
    }
    if (filled_ + text.size() > kBuffered) flush();
    std::memcpy(buffer_ + filled_, text.data(), text.size());
    filled_ += text.size();
  }

  std::unique_ptr<XXH3_state_t, Free> state_;
  char buffer_[kBuffered];
  std::size_t filled_ = 0;
  bool has_begun_ = false;  // the state has bytes of these rows
};

}  // namespace netperfd::store
