// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/sample_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "daemon/model/sample_codec.hpp"
#include "daemon/store/columns.hpp"
#include "daemon/store/compression.hpp"
#include "daemon/store/digests.hpp"

namespace netperfd::store {

Status write_samples(Connection& connection, RunId run, const SampleProfile& profile) {
  SampleProfile kept = profile;
  // The kernel's own counts may be nonsense; the run must not lose its record because of them.
  for (std::uint64_t* count : {&kept.duration_ns, &kept.samples, &kept.idle, &kept.lost, &kept.throttled,
                               &kept.unknown, &kept.cut, &kept.damaged}) {
    *count = std::min<std::uint64_t>(*count, std::numeric_limits<std::int64_t>::max());
  }
  const auto bytes = encode_stacks(kept);
  if (!bytes) return std::unexpected(bytes.error());
  const auto frame = compress(*bytes, kTextLevel);
  if (!frame) return std::unexpected(frame.error());
  auto insert = connection.prepare(
      insert_into("cpu_samples", fmt::format("run, {}, size, stacks", columns_of<SampleProfile>())));
  if (!insert) return std::unexpected(insert.error());
  return insert->bind(run, members_of(kept), bytes->size(), Blob{*frame}).run();
}

Result<SampleProfile> read_samples(Connection& connection, RunId run) {
  auto select = connection.prepare(
      fmt::format("SELECT {}, size, stacks FROM cpu_samples WHERE run = ?", columns_of<SampleProfile>()));
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (auto intact = expect_intact(connection, of_run(run), {"cpu_samples"}); !intact)
    return std::unexpected(intact.error());
  if (!*found) {
    const auto known =
        connection.value<std::int64_t>(fmt::format("SELECT count(*) FROM runs WHERE id = {}", run));
    if (!known) return std::unexpected(known.error());
    return fail(ErrorKind::not_found,
                fmt::format("run {}: {}", run, *known == 0 ? "no such run" : "it was not sampled"));
  }
  SampleProfile profile;
  std::uint64_t size = 0;
  Blob stacks;
  auto members = members_of(profile);
  if (auto read = select->read(members, size, stacks); !read) return std::unexpected(read.error());
  const auto bytes = decompress(stacks.bytes, size);
  if (!bytes) return std::unexpected(bytes.error());
  if (auto done = decode_stacks(*bytes, profile); !done) {
    return fail(done.error().kind, fmt::format("run {}: {}", run, done.error().message));
  }
  return profile;
}

}  // namespace netperfd::store
