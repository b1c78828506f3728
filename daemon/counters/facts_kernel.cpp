// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "daemon/base/fd.hpp"
#include "daemon/counters/machine_facts.hpp"

namespace netperfd::counters {
namespace {

constexpr std::string_view kKernelGroup = "kernel";
constexpr std::size_t kMostNoteBytes = std::size_t{1} << 20;

std::size_t padded(std::size_t size) {
  return (size + 3) & ~std::size_t{3};
}

}  // namespace

// Each note is a header, its owner's name and its bytes, the latter two padded to a multiple of 4.
std::string build_id_of_notes(std::string_view notes) {
  constexpr std::string_view kOwner{"GNU\0", 4};
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr head{};
    std::memcpy(&head, notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    const std::string_view owner = notes.substr(0, head.n_namesz);
    notes.remove_prefix(std::min(padded(head.n_namesz), notes.size()));
    const std::string_view bytes = notes.substr(0, head.n_descsz);
    notes.remove_prefix(std::min(padded(head.n_descsz), notes.size()));
    if (head.n_type != NT_GNU_BUILD_ID || owner != kOwner || bytes.size() != head.n_descsz) continue;
    std::string text;
    for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text;
  }
  return {};
}

void add_kernel_facts(const SystemRoots& roots, FactSheet& sheet) {
  sheet.add_file(kKernelGroup, "release", roots.proc + "/sys/kernel/osrelease");
  sheet.add_file(kKernelGroup, "version", roots.proc + "/sys/kernel/version");
  sheet.add_file(kKernelGroup, "command line", roots.proc + "/cmdline");
  sheet.add_file(kKernelGroup, "transparent huge pages",
                 roots.sys + "/kernel/mm/transparent_hugepage/enabled");
  if (const auto notes = read_file(roots.sys + "/kernel/notes", kMostNoteBytes)) {
    if (const std::string id = build_id_of_notes(*notes); !id.empty())
      sheet.add(kKernelGroup, "build-id", id);
  } else {
    sheet.add_unknown(fmt::format("{}: build-id: {}", kKernelGroup, notes.error().message));
  }
  const std::string mitigations = roots.sys + "/devices/system/cpu/vulnerabilities";
  for (const std::string& name : names_in(mitigations)) {
    sheet.add_file(kKernelGroup, "mitigation " + name, mitigations + "/" + name);
  }
}

}  // namespace netperfd::counters
