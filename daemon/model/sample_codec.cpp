// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/sample_codec.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "daemon/base/byte_archive.hpp"

namespace netperfd {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kMostMemory = std::size_t{64} << 20U;
constexpr auto kLastKind = static_cast<std::uint64_t>(FrameKind::more);

std::uint32_t narrow(std::uint64_t value, ByteReader& in) {
  if (value > UINT32_MAX) in.fail();
  return static_cast<std::uint32_t>(value);
}

std::uint64_t next(ByteReader& in) {
  std::uint64_t value = 0;
  in.number(value);
  return value;
}

// The number of rows that follow; each has a byte at least.
std::uint64_t count_of(ByteReader& in, std::size_t row_bytes) {
  const std::uint64_t count = next(in);
  if (count <= in.bytes_left() && in.may_take(static_cast<std::size_t>(count) * row_bytes)) return count;
  in.fail();
  return 0;
}

void read_frames(ByteReader& in, SampleProfile& profile) {
  const std::uint64_t count = count_of(in, sizeof(SampleFrame));
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    SampleFrame& frame = profile.frames.emplace_back();
    const std::uint64_t kind = next(in);
    if (kind > kLastKind) in.fail();
    frame.kind = static_cast<FrameKind>(kind);
    in.text(frame.name);
    in.text(frame.module);
    frame.duplicate = narrow(next(in), in);
  }
}

void read_nodes(ByteReader& in, SampleProfile& profile) {
  const std::uint64_t count = count_of(in, sizeof(SampleNode));
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    SampleNode node;
    const std::uint64_t back = next(in);
    node.frame = narrow(next(in), in);
    node.samples = next(in);
    if (back > i || node.frame >= profile.frames.size()) in.fail();
    if (back > 0) node.parent = static_cast<std::uint32_t>(i - back);
    profile.nodes.push_back(node);
  }
}

void read_builds(ByteReader& in, SampleProfile& profile) {
  const std::uint64_t count = count_of(in, sizeof(Build));
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    Build& build = profile.builds.emplace_back();
    for (std::string* text : {&build.module, &build.release, &build.build_id, &build.srcversion})
      in.text(*text);
  }
}

}  // namespace

Result<std::string> encode_stacks(const SampleProfile& profile) {
  ByteWriter out;
  out.number(kFormat);
  out.number(profile.frames.size());
  for (const SampleFrame& frame : profile.frames) {
    out.number(static_cast<std::uint64_t>(frame.kind));
    out.text(frame.name);
    out.text(frame.module);
    out.number(frame.duplicate);
  }
  out.number(profile.nodes.size());
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    const SampleNode& node = profile.nodes[i];
    if (node.frame >= profile.frames.size() || (node.parent && *node.parent >= i)) {
      return invalid(fmt::format("node {} names a frame or a parent that is not there", i));
    }
    out.number(node.parent ? i - *node.parent : 0);
    out.number(node.frame);
    out.number(node.samples);
  }
  out.number(profile.builds.size());
  for (const Build& build : profile.builds) {
    for (const std::string* text : {&build.module, &build.release, &build.build_id, &build.srcversion})
      out.text(*text);
  }
  return out.take();
}

Status decode_stacks(std::string_view bytes, SampleProfile& profile) {
  ByteReader in{bytes, kMostMemory};
  if (next(in) != kFormat) in.fail();
  read_frames(in, profile);
  read_nodes(in, profile);
  read_builds(in, profile);
  if (in.failed() || !in.at_end()) return fail(ErrorKind::io, "the stored stacks are damaged");
  return {};
}

}  // namespace netperfd
