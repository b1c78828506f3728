// SPDX-License-Identifier: GPL-2.0-or-later
// Bundles of runs that have everything, whole and changed.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "daemon/bundle/bundle.hpp"
#include "daemon/bundle/manifest.hpp"
#include "daemon/bundle/tar.hpp"
#include "daemon/import/decompress.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::bundle {

using store::must;

inline std::string unpacked(const std::string& file) {
  return must(import::decompress(file)).value_or("");
}

inline Result<Bundle> read_text(const std::string& tar) {
  return read(std::as_bytes(std::span(tar)));
}

// As an import reads the file.
inline Result<Bundle> read_file(const std::string& file) {
  auto tar = import::decompress(file);
  if (!tar) return std::unexpected(tar.error());
  if (!*tar) return fail(ErrorKind::invalid_argument, "it is not compressed");
  auto bundle = read_text(**tar);
  if (!bundle) return bundle;
  auto content = store::at_newest_version(bundle->content, kMostTableBytes);
  if (!content) return std::unexpected(content.error());
  bundle->content = std::move(*content);
  return bundle;
}

inline const BundleOrigin kOrigin{.host = "lab7",
                                  .version = "1.2.3",
                                  .made = WallTime{std::chrono::seconds{1'800'000'000}},
                                  .redacted = false};

class BundleTest : public store::StoreTest {
 protected:
  BundleTest() {
    open();
    store::store_runs(*store);
  }
  [[nodiscard]] Bundle whole() {
    return {.origin = kOrigin, .content = must(store->tables({1, 2, 3, 4, 5, 6, 7}, kMostTableBytes))};
  }
  // The error of reading the bundle whose entries `change` has changed, with a manifest that fits them.
  std::string refusal_of(const std::function<void(std::vector<Entry>&, Manifest&)>& change) {
    const std::string tar = unpacked(must(write(whole(), "")));
    auto entries = must(unpack(std::as_bytes(std::span(tar)), kMostBytes));
    Manifest manifest = must(read_manifest(entries));
    entries.erase(entries.begin(), entries.begin() + 2);
    change(entries, manifest);
    add_manifest(manifest, entries);
    const auto read = read_file(must(pack(entries, kOrigin.made)));
    return read ? "it was read" : read.error().message;
  }
};

inline std::string& bytes_of(std::vector<Entry>& entries, const std::string& name) {
  for (Entry& entry : entries) {
    if (entry.name == name) return entry.bytes;
  }
  throw std::runtime_error("no entry " + name);
}

}  // namespace netperfd::bundle
