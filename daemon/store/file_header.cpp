// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/file_header.hpp"

namespace netperfd::store {
namespace {

// Offsets in the header.
constexpr std::size_t kPageBytes = 16;
constexpr std::size_t kWriteFormat = 18;
constexpr std::size_t kReadFormat = 19;
constexpr std::size_t kChanges = 24;
constexpr std::size_t kPages = 28;
constexpr std::size_t kEncoding = 56;
constexpr std::size_t kVersion = 60;
constexpr std::size_t kApplication = 68;
constexpr std::size_t kPagesValidFor = 92;  // the page count holds while this is the number of changes

constexpr std::string_view kBegin{"SQLite format 3\0", 16};

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

}  // namespace

std::optional<FileHeader> read_header(std::string_view bytes) {
  if (bytes.size() < FileHeader::kBytes || !bytes.starts_with(kBegin)) return std::nullopt;
  FileHeader header;
  header.page_bytes = number_at(bytes, kPageBytes, 2);
  if (header.page_bytes == 1) header.page_bytes = std::uint64_t{1} << 16U;
  if (number_at(bytes, kChanges, 4) == number_at(bytes, kPagesValidFor, 4)) {
    header.pages = number_at(bytes, kPages, 4);
  }
  constexpr std::uint32_t kUtf8 = 1;
  header.is_utf8 = number_at(bytes, kEncoding, 4) == kUtf8;
  header.version = number_at(bytes, kVersion, 4);
  header.application_id = number_at(bytes, kApplication, 4);
  return header;
}

void make_self_contained(std::string& first_page, std::uint64_t pages) {
  constexpr char kRollbackJournal = 1;
  first_page[kWriteFormat] = first_page[kReadFormat] = kRollbackJournal;
  for (std::size_t i = 0; i < 4; ++i) {
    first_page[kPages + i] = static_cast<char>(pages >> (8U * (3 - i)));
    first_page[kPagesValidFor + i] = first_page[kChanges + i];
  }
}

}  // namespace netperfd::store
