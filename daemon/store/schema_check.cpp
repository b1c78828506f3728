// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/schema_check.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/model/wording.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// A row of sqlite_schema. SQLite goes by the SQL alone: a row may call a trigger an index.
struct Object {
  std::string table;  // that it belongs to
  std::string sql;    // empty: SQLite made it for a constraint
  bool operator==(const Object&) const = default;
  auto operator<=>(const Object&) const = default;
};
// By type and name. SQLite itself takes several of one name.
using Schema = std::map<std::pair<std::string, std::string>, std::vector<Object>>;

bool is_name_sign(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The length of a token at the beginning of `text`, which is not empty: a word, a text in quotes with its
// quotes, a comment or a sign.
std::size_t token_length(std::string_view text) {
  if (text.starts_with("--")) return std::min(text.find('\n'), text.size());
  if (text.starts_with("/*")) return std::min(text.find("*/", 2), text.size() - 2) + 2;
  const char first = text.front();
  if (is_name_sign(first)) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_sign) - text.begin());
  }
  if (first != '\'' && first != '"' && first != '`') return 1;
  // Two quotes within stand for one, and are two texts here, in either database.
  return std::min(text.find(first, 1), text.size() - 1) + 1;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_name_sign);
}

// Without comments, in lowercase outside of quotes and with one space between tokens. The name of what is
// made has no quotes: SQLite adds them where ALTER TABLE gave it.
std::string plain_sql(std::string_view sql) {
  constexpr int kName = 2;  // after CREATE and TABLE
  std::string plain;
  for (int tokens = 0; !sql.empty();) {
    std::string_view token = sql.substr(0, token_length(sql));
    sql.remove_prefix(token.size());
    const bool is_blank = std::isspace(static_cast<unsigned char>(token.front())) != 0;
    if (is_blank || token.starts_with("--") || token.starts_with("/*")) continue;
    if (!plain.empty()) plain += ' ';
    const bool quoted = token.size() > 2 && token.front() == '"' && token.back() == '"';
    if (quoted && tokens == kName && is_plain_name(token.substr(1, token.size() - 2)))
      token = token.substr(1, token.size() - 2);
    ++tokens;
    const bool is_word = is_plain_name(token);
    for (const char c : token)
      plain += is_word ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
  }
  return plain;
}

Result<Schema> read_objects(Connection& connection) {
  auto select = connection.prepare(
      "SELECT ifnull(type, ''), ifnull(name, ''), ifnull(tbl_name, ''), ifnull(sql, '') FROM sqlite_schema");
  if (!select) return std::unexpected(select.error());
  Schema schema;
  auto read = for_each_row(*select, [&schema](RowReader& row) {
    std::string type, name;
    Object object;
    row.read(type, name, object.table, object.sql);
    object.sql = plain_sql(object.sql);
    schema[{std::move(type), std::move(name)}].push_back(std::move(object));
  });
  if (!read) return std::unexpected(read.error());
  for (auto& [name, objects] : schema) std::ranges::sort(objects);
  return schema;
}

// Hidden and generated ones too.
Result<std::set<std::string>> all_columns_of(Connection& connection, const std::string& table) {
  auto select = connection.prepare("SELECT name FROM pragma_table_xinfo(?)");
  if (!select) return std::unexpected(select.error());
  std::set<std::string> columns;
  auto read = for_each_row(select->bind(table), [&columns](RowReader& row) {
    std::string name;
    row.read(name);
    columns.insert(std::move(name));
  });
  if (!read) return std::unexpected(read.error());
  return columns;
}

// An empty store.
Result<Connection> made_by(std::span<const Migration> migrations) {
  auto connection = Connection::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
  if (!connection) return connection;
  if (auto set = connection->execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF"); !set)
    return std::unexpected(set.error());
  if (auto applied = apply(migrations, 0, *connection); !applied) return std::unexpected(applied.error());
  return connection;
}

// That of the newest version is made once.
Result<Connection*> newest_empty_store() {
  static auto made = made_by(embedded_migrations());
  if (!made) return std::unexpected(made.error());
  return &*made;
}

class Comparison {
 public:
  Comparison(Connection& found, Connection& expected) : found_(found), expected_(expected) {}

  Result<std::vector<std::string>> compare() {
    const auto found = read_objects(found_);
    const auto expected = read_objects(expected_);
    if (!found || !expected) return std::unexpected((found ? expected : found).error());
    for (const auto& [name, objects] : *expected) {
      const auto other = found->find(name);
      if (other == found->end()) {
        add(fmt::format("the schema has no {} {}", name.first, name.second));
      } else if (other->second != objects) {
        add_difference(name);
      }
    }
    for (const auto& [name, objects] : *found) {
      if (expected->contains(name)) continue;
      add(fmt::format("the schema has a {} {} on {}, which no netperfd makes", printable(name.first),
                      in_quotes(name.second), in_quotes(objects.front().table)));
    }
    return std::move(problems_);
  }

 private:
  static constexpr std::size_t kMost = 20;  // enough to see what it is

  static std::string printable(const std::string& type) {
    return is_plain_name(type) ? type : in_quotes(type);
  }
  void add(std::string problem) {
    if (problems_.size() < kMost) problems_.push_back(std::move(problem));
  }
  void add_difference(const std::pair<std::string, std::string>& name) {
    const auto columns = all_columns_of(found_, name.second);
    const auto expected = all_columns_of(expected_, name.second);
    const std::size_t before = problems_.size();
    if (columns && expected && name.first != "trigger") {
      for (const std::string& column : *expected) {
        if (!columns->contains(column))
          add(fmt::format("the schema has no column {}.{}", name.second, column));
      }
      for (const std::string& column : *columns) {
        if (!expected->contains(column)) {
          add(fmt::format("the schema has a column {} in {}, which no netperfd makes", in_quotes(column),
                          name.second));
        }
      }
    }
    if (problems_.size() == before)
      add(fmt::format("the schema has another {} {} than netperfd makes", name.first, name.second));
  }

  Connection& found_;
  Connection& expected_;
  std::vector<std::string> problems_;
};

// The bytes of texts are read as they are, and only this auto_vacuum returns the space of deleted runs.
Result<std::vector<std::string>> setting_problems(Connection& connection) {
  const auto encoding = connection.value<std::string>("PRAGMA encoding");
  if (!encoding) return std::unexpected(encoding.error());
  const auto vacuum = connection.value<std::int64_t>("PRAGMA auto_vacuum");
  if (!vacuum) return std::unexpected(vacuum.error());
  constexpr std::int64_t kIncremental = 2;
  std::vector<std::string> problems;
  if (*encoding != "UTF-8") problems.emplace_back("its texts are not UTF-8");
  if (*vacuum != kIncremental) {
    problems.push_back(fmt::format("its auto_vacuum is {}, not {} (incremental)", *vacuum, kIncremental));
  }
  return problems;
}

}  // namespace

Result<std::vector<std::string>> schema_problems(Connection& connection,
                                                 std::span<const Migration> migrations) {
  Result<Connection> older;
  Result<Connection*> expected;
  if (newest_of(migrations) == newest_of(embedded_migrations())) {
    expected = newest_empty_store();
  } else {
    older = made_by(migrations);
    expected = older ? Result<Connection*>{&*older} : std::unexpected(older.error());
  }
  if (!expected) return std::unexpected(expected.error());
  auto problems = Comparison{connection, **expected}.compare();
  if (!problems) return problems;
  auto settings = setting_problems(connection);
  if (!settings) return settings;
  for (std::string& problem : *settings) problems->push_back(std::move(problem));
  return problems;
}

Result<Connection*> schema_source(Connection& connection) {
  const auto version = connection.value<std::int64_t>("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  // While it is made, it is not of the newest version.
  if (*version != newest_of(embedded_migrations())) return &connection;
  return newest_empty_store();
}

}  // namespace netperfd::store
