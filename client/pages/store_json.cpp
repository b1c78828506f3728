// SPDX-License-Identifier: GPL-2.0-or-later
// The JSON documents of `db`.
#include <string>
#include <string_view>

#include "client/pages/json_values.hpp"
#include "client/pages/render.hpp"

namespace netperfctl {
namespace {

constexpr int kDocumentIndent = 2;

}  // namespace

std::string store_json(const StoreView& store) {
  Json json = document("store");
  json["store"] = object(store);
  return write(json, kDocumentIndent);
}

std::string backup_json(std::string_view file, std::uint64_t bytes) {
  Json json = document("backup");
  json["file"] = file;
  json["bytes"] = bytes;
  return write(json, kDocumentIndent);
}

std::string restored_json(const RestoredView& restored) {
  Json json = document("restored");
  json["restored"] = object(restored);
  return write(json, kDocumentIndent);
}

std::string pruned_json(std::span<const OldJobView> jobs, bool dry_run) {
  Json json = document("pruned");
  json["dry_run"] = dry_run;
  json["jobs"] = array(jobs);
  return write(json, kDocumentIndent);
}

}  // namespace netperfctl
