// SPDX-License-Identifier: GPL-2.0-or-later
// usage: add_digests STORE: computes the digests of rows that big_store.py has copied. No daemon may have the
// store open.
#include <sqlite3.h>

#include <cstdio>

#include "daemon/store/digests.hpp"
#include "daemon/store/sqlite.hpp"

namespace {

netperfd::Status add_digests(const char* path) {
  auto connection = netperfd::store::Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) return std::unexpected(connection.error());
  auto done = connection->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
  if (done) done = netperfd::store::add_missing_digests(*connection);
  if (done) done = connection->execute("COMMIT; PRAGMA journal_mode = WAL");
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: add_digests STORE\n", stderr);
    return 2;
  }
  if (const auto done = add_digests(argv[1]); !done) {
    std::fprintf(stderr, "add_digests: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
