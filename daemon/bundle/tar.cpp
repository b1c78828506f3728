// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/tar.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::bundle {
namespace {

constexpr std::size_t kMostEntries = 20'000;
constexpr std::size_t kLongestName = 200;

using Writer = std::unique_ptr<archive, int (*)(archive*)>;
using Reader = Writer;

std::string reason(archive* of) {
  const char* const text = archive_error_string(of);
  return text != nullptr ? text : "no reason is known";
}

la_ssize_t append(archive* /*of*/, void* to, const void* bytes, std::size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), size);
  return static_cast<la_ssize_t>(size);
}

bool put(archive* to, const Entry& entry, WallTime modified) {
  constexpr mode_t kReadable = 0644;
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> head(archive_entry_new(),
                                                                      archive_entry_free);
  archive_entry_set_pathname(head.get(), entry.name.c_str());
  archive_entry_set_filetype(head.get(), AE_IFREG);
  archive_entry_set_perm(head.get(), kReadable);
  archive_entry_set_size(head.get(), static_cast<la_int64_t>(entry.bytes.size()));
  archive_entry_set_mtime(head.get(),
                          std::chrono::floor<std::chrono::seconds>(modified).time_since_epoch().count(), 0);
  return archive_write_header(to, head.get()) == ARCHIVE_OK &&
         archive_write_data(to, entry.bytes.data(), entry.bytes.size()) ==
             static_cast<la_ssize_t>(entry.bytes.size());
}

std::unexpected<Error> refuse_entry(std::string_view name, std::string_view why) {
  return invalid(fmt::format("entry {}: {}", in_quotes(name), why));
}

Status check(archive_entry* head, std::string_view name, const std::set<std::string>& known) {
  if (!is_entry_name(name)) return refuse_entry(name, "no entry of a bundle may have this name");
  if (known.contains(std::string{name})) return refuse_entry(name, "it is there twice");
  const bool links = archive_entry_hardlink(head) != nullptr || archive_entry_symlink(head) != nullptr;
  if (archive_entry_filetype(head) != AE_IFREG || links)
    return refuse_entry(name, "it is no regular file; a bundle has nothing else");
  return {};
}

// `size` is what the head says.
Status take_bytes(archive* from, Entry& entry, la_int64_t size, std::size_t most_bytes) {
  if (size < 0 || std::cmp_greater(size, most_bytes)) {
    return refuse_entry(entry.name, fmt::format("with it, the bundle has more than it may, {} MiB in all",
                                                most_bytes >> 20U));
  }
  entry.bytes.resize(static_cast<std::size_t>(size));
  const la_ssize_t got = archive_read_data(from, entry.bytes.data(), entry.bytes.size());
  if (std::cmp_equal(got, size)) return {};
  return refuse_entry(entry.name, "it is cut short");
}

}  // namespace

bool is_entry_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  while (true) {
    const std::size_t end = std::min(name.find('/'), name.size());
    if (!is_word(name.substr(0, end), "._-", kLongestName)) return false;
    if (end == name.size()) return true;
    name.remove_prefix(end + 1);
  }
}

Result<std::string> pack(const std::vector<Entry>& entries, WallTime modified) {
  std::string file;
  const Writer writer(archive_write_new(), archive_write_free);
  archive* const to = writer.get();
  bool done = to != nullptr && archive_write_set_format_ustar(to) == ARCHIVE_OK &&
              archive_write_add_filter_zstd(to) == ARCHIVE_OK &&
              archive_write_set_bytes_in_last_block(to, 1) == ARCHIVE_OK &&
              archive_write_open2(to, &file, nullptr, append, nullptr, nullptr) == ARCHIVE_OK;
  for (const Entry& entry : entries) done = done && put(to, entry, modified);
  if (!done || archive_write_close(to) != ARCHIVE_OK)
    return fail(ErrorKind::internal, fmt::format("the bundle cannot be written: {}", reason(to)));
  return file;
}

Result<std::vector<Entry>> unpack(std::span<const std::byte> tar, std::size_t most_bytes) {
  const Reader reader(archive_read_new(), archive_read_free);
  archive* const from = reader.get();
  if (from == nullptr || archive_read_support_format_tar(from) != ARCHIVE_OK ||
      archive_read_open_memory(from, tar.data(), tar.size()) != ARCHIVE_OK) {
    return invalid(fmt::format("it is no tar: {}", reason(from)));
  }
  std::vector<Entry> entries;
  std::set<std::string> names;
  archive_entry* head = nullptr;
  for (int code = 0; (code = archive_read_next_header(from, &head)) != ARCHIVE_EOF;) {
    const std::string after = entries.empty() ? "at its beginning" : "after entry " + entries.back().name;
    if (code != ARCHIVE_OK) return invalid(fmt::format("its tar is damaged {}: {}", after, reason(from)));
    const char* const name = archive_entry_pathname(head);
    Entry entry{.name = name != nullptr ? name : "", .bytes = {}};
    if (auto checked = check(head, entry.name, names); !checked) return std::unexpected(checked.error());
    if (entries.size() == kMostEntries)
      return invalid(fmt::format("it has more than {} entries", kMostEntries));
    if (auto taken = take_bytes(from, entry, archive_entry_size(head), most_bytes); !taken)
      return std::unexpected(taken.error());
    most_bytes -= entry.bytes.size();
    names.insert(entry.name);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace netperfd::bundle
