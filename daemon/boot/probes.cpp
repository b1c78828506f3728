// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/boot/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::boot {
namespace {

namespace fs = std::filesystem;
using core::Ability;
using core::Capability;

constexpr auto kLoaderRow = "boot_loader";
constexpr auto kKexecRow = "kexec";
constexpr auto kStartRow = "start_at_boot";
constexpr std::size_t kMaxBootFile = std::size_t{1} << 20;
constexpr const char* kUseKexec =
    "designs can reboot by `/usr/share/netperfd/boot-into kexec`, which needs no boot loader";

constexpr const char* kAskAsRoot = "as root, `/usr/share/netperfd/boot-into --check grub ENTRY` tells";

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool has_tool(const Paths& paths, std::string_view name) {
  constexpr std::array<const char*, 4> kDirectories{"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"};
  return std::ranges::any_of(kDirectories, [&](const char* directory) {
    return is_there(fmt::format("{}{}{}", paths.root, directory, name));
  });
}

std::string boot_text(const std::string& path) {
  return read_file(path, kMaxBootFile).value_or("");
}

// Empty if there is no such file.
Result<std::string> file_or_empty(const std::string& path) {
  auto text = read_file(path, kMaxBootFile);
  if (!text && is_errno(text.error(), ENOENT)) return "";
  return text;
}

// The value of a variable of the Boot Loader Interface; empty if there is none.
std::string loader_variable(const Paths& paths, std::string_view name) {
  constexpr std::size_t kAttributes = 4;  // efivarfs puts them in front
  const std::string bytes = boot_text(
      fmt::format("{}/firmware/efi/efivars/{}-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f", paths.sys, name));
  return bytes.size() <= kAttributes ? "" : bytes.substr(kAttributes);
}

// "systemd-boot 252.39" from UTF-16; what is not ASCII becomes "?".
std::string loader_name(const Paths& paths) {
  const std::string wide = loader_variable(paths, "LoaderInfo");
  std::string name;
  for (std::size_t at = 0; at + 1 < wide.size() && (wide[at] != '\0' || wide[at + 1] != '\0'); at += 2) {
    const bool is_printable = wide[at + 1] == '\0' && wide[at] >= ' ' && wide[at] <= '~';
    name += is_printable ? wide[at] : '?';
  }
  return name;
}

Capability limited(std::string detail, std::string advice) {
  return {kLoaderRow, Ability::limited, std::move(detail), std::move(advice)};
}

// Debian's kexec-tools, if so configured, turn each reboot into a kexec of one kernel.
std::optional<Capability> passed_by(const Paths& paths, const std::string& loader) {
  std::istringstream lines(boot_text(paths.root + "/etc/default/kexec"));
  for (std::string line; std::getline(lines, line);) {
    if (line != "LOAD_KEXEC=true" && line != "LOAD_KEXEC=\"true\"") continue;
    return limited(loader + ", but kexec-tools replaces each reboot by a kexec",
                   "set LOAD_KEXEC=false in /etc/default/kexec");
  }
  return std::nullopt;
}

Capability judge_systemd_boot(const Paths& paths, const std::string& name) {
  constexpr unsigned char kEntryOneshot = 1U << 3U;  // EFI_LOADER_FEATURE_ENTRY_ONESHOT
  const std::string features = loader_variable(paths, "LoaderFeatures");
  if (features.empty()) return limited(name + "; what it can do is not known", kUseKexec);
  if ((static_cast<unsigned char>(features.front()) & kEntryOneshot) == 0) {
    return limited(name + " cannot boot an entry once", kUseKexec);
  }
  if (!has_tool(paths, "bootctl")) {
    return limited(name + ", but there is no bootctl", "install the package systemd-boot");
  }
  if (auto passed = passed_by(paths, name)) return *passed;
  return {kLoaderRow, Ability::yes,
          name + "; `/usr/share/netperfd/boot-into systemd-boot` boots an entry once", ""};
}

struct MountedAt {
  std::string device;  // "8:1"
  std::string filesystem;
};

// What `path` is on, by /proc/self/mountinfo; the last of several mounts on one point hides the others.
std::optional<MountedAt> mount_of(const Paths& paths, const std::string& path) {
  std::istringstream lines(boot_text(paths.proc + "/self/mountinfo"));
  std::optional<MountedAt> best;
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string skipped, device, point, filesystem;
    words >> skipped >> skipped >> device >> skipped >> point;
    while (words >> skipped && skipped != "-") {
    }
    words >> filesystem;
    const bool is_above = point == "/" || (path + "/").starts_with(point + "/");
    if (!words || !is_above || point.size() < longest) continue;
    longest = point.size();
    best = {device, filesystem};
  }
  return best;
}

// "LVM" or "RAID" if a block device, as a directory of sysfs, is on either; empty if it is on neither.
std::string layer_below(const std::string& device, int depth = 0) {
  constexpr int kDeepest = 8;
  if (depth == kDeepest) return "";
  if (boot_text(device + "/dm/uuid").starts_with("LVM-")) return "LVM";
  if (is_there(device + "/md") || is_there(device + "/../md")) return "RAID";
  std::error_code error;
  for (fs::directory_iterator entry(device + "/slaves", error), end; !error && entry != end;
       entry.increment(error)) {
    if (std::string layer = layer_below(entry->path(), depth + 1); !layer.empty()) return layer;
  }
  return "";
}

// GRUB has to remove the entry from grubenv when it boots it. Absent if it can.
std::optional<Capability> why_grub_cannot_write(const Paths& paths, const std::string& name) {
  const std::string directory = paths.boot + "/grub";
  const auto mount = mount_of(paths, directory);
  std::string on = mount ? mount->filesystem : "";
  const std::string device = fmt::format("{}/dev/block/{}", paths.sys, mount ? mount->device : "");
  const bool is_known_filesystem = on == "btrfs" || on == "zfs";
  if (!is_known_filesystem) {
    if (!mount || !is_there(device)) {
      return limited(fmt::format("{}; whether it can boot an entry once is not known, since {} is on no "
                                 "device that netperfd sees",
                                 name, directory),
                     kAskAsRoot);
    }
    on = layer_below(device);
  }
  if (on.empty()) return std::nullopt;
  return limited(
      fmt::format("{} cannot boot an entry once: {} is on {}, where GRUB cannot write", name, directory, on),
      fmt::format("{}; or move /boot to an ext4 partition", kUseKexec));
}

Capability judge_grub(const Paths& paths, const std::string& name, const std::string& menu) {
  const std::string directory = paths.boot + "/grub";
  if (menu.find("\"${next_entry}\"") == std::string::npos) {
    return limited(
        fmt::format("{} cannot boot an entry once: {}/grub.cfg does not look at next_entry", name, directory),
        "update-grub writes one that does");
  }
  const auto environment = file_or_empty(directory + "/grubenv");
  if (!environment) return limited(name + "; " + environment.error().message, kAskAsRoot);
  if (environment->empty()) {
    return limited(
        fmt::format("{} cannot boot an entry once: {}/grubenv is missing or empty", name, directory),
        fmt::format("grub-editenv {}/grubenv create", directory));
  }
  if (auto refusal = why_grub_cannot_write(paths, name)) return *refusal;
  if (!has_tool(paths, "grub-reboot")) {
    return limited(name + ", but there is no grub-reboot", "install the package grub2-common");
  }
  if (auto passed = passed_by(paths, name)) return *passed;
  return {kLoaderRow, Ability::yes, name + "; `/usr/share/netperfd/boot-into grub` boots an entry once", ""};
}

bool is_symlink_at(const fs::path& path) {
  std::error_code error;
  return fs::is_symlink(path, error);
}

}  // namespace

Capability probe_boot_loader(const Paths& paths) {
  const std::string name = loader_name(paths);
  if (name.starts_with("systemd-boot")) return judge_systemd_boot(paths, name);
  if (!name.empty() && !name.starts_with("GRUB")) {
    return limited(name + ", for which netperfd has no command", kUseKexec);
  }
  const auto menu = file_or_empty(paths.boot + "/grub/grub.cfg");
  if (!menu) return limited("not known: " + menu.error().message, kAskAsRoot);
  // GRUB puts BOOT_IMAGE= on the command line. Other loaders do so too, but they have no grub.cfg.
  const std::string words = " " + boot_text(paths.proc + "/cmdline");
  const bool is_by_loader = !name.empty() || words.find(" BOOT_IMAGE=") != std::string::npos;
  if (!menu->empty() && is_by_loader) return judge_grub(paths, name.empty() ? "GRUB" : name, *menu);
  if (!menu->empty()) {
    return limited(
        fmt::format("not known: {}/grub/grub.cfg exists, but GRUB did not start this kernel", paths.boot),
        fmt::format("{}; after a boot by kexec, reboot the usual way and ask again", kUseKexec));
  }
  return limited("not known: neither GRUB nor systemd-boot", kUseKexec);
}

std::optional<Capability> probe_kexec(const Paths& paths, std::string_view lockdown) {
  const auto disabled = read_file(paths.proc + "/sys/kernel/kexec_load_disabled", kMaxBootFile);
  if (!disabled) {
    if (is_errno(disabled.error(), ENOENT)) return std::nullopt;
    return Capability{kKexecRow, Ability::no, disabled.error().message, ""};
  }
  if (!disabled->starts_with('0')) {
    return Capability{kKexecRow, Ability::no,
                      "sysctl kernel.kexec_load_disabled forbids it until the next boot",
                      "remove the setting from /etc/sysctl.d, then reboot"};
  }
  if (!has_tool(paths, "kexec")) {
    return Capability{kKexecRow, Ability::no, "the kernel allows it, but there is no program kexec",
                      "install the package kexec-tools"};
  }
  if (lockdown == "integrity" || lockdown == "confidentiality") {
    return Capability{
        kKexecRow, Ability::limited,
        fmt::format("the kernel is locked down ({}) and starts only kernels with a signature that it trusts",
                    lockdown),
        "boot without lockdown: no lockdown= on the kernel's command line, no Secure Boot"};
  }
  return Capability{kKexecRow, Ability::yes, "`/usr/share/netperfd/boot-into kexec` starts another kernel",
                    ""};
}

Capability probe_start_at_boot(const Paths& paths) {
  constexpr auto kUnit = "netperfd.service";
  constexpr auto kAdvice = "systemctl enable netperfd";
  if (!is_there(paths.root + "/run/systemd/system")) {
    return {kStartRow, Ability::limited, "not known: systemd does not run here",
            "a job that reboots the machine goes on only if something starts netperfd"};
  }
  const fs::path own = paths.root + "/etc/systemd/system";
  std::error_code error;
  if (fs::read_symlink(own / kUnit, error) == "/dev/null") {
    return {kStartRow, Ability::no, "the unit is masked",
            "systemctl unmask netperfd, then systemctl enable netperfd"};
  }
  for (const std::string& directory :
       {own.string(), paths.root + "/usr/local/lib/systemd/system", paths.root + "/usr/lib/systemd/system",
        paths.root + "/lib/systemd/system"}) {
    for (const auto* target : {"multi-user.target", "graphical.target", "default.target"}) {
      if (!is_symlink_at(fs::path{directory} / fmt::format("{}.wants", target) / kUnit)) continue;
      return {kStartRow, Ability::yes, fmt::format("{} starts netperfd", target), ""};
    }
  }
  return {kStartRow, Ability::no,
          "nothing starts netperfd at boot, so a job that reboots the machine would not go on", kAdvice};
}

}  // namespace netperfd::boot
