// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of the doctor on designs that reboot the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/unit/trace/catalogue/catalogue_support.hpp"

namespace netperfd::trace {
namespace {

using core::Ability;
using core::Capability;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kEfi = "-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";

// A machine that GRUB has booted from the partition 8:1, with all tools, and whose systemd starts netperfd.
class DoctorReboots : public testing::Test {
 protected:
  DoctorReboots() {
    machine.write("boot/grub/grub.cfg",
                  "if [ \"${next_entry}\" ] ; then\n   set default=\"${next_entry}\"\n");
    machine.write("boot/grub/grubenv", "# GRUB Environment Block\nsaved_entry=0\n####");
    machine.write("proc/cmdline", "BOOT_IMAGE=/vmlinuz-6.18 root=/dev/sda1 ro\n");
    machine.write("proc/sys/kernel/kexec_load_disabled", "0\n");
    machine.write("sys/dev/block/8:1/partition", "1\n");
    mount_boot("8:1", "ext4");
    for (const auto* tool : {"usr/sbin/grub-reboot", "usr/bin/bootctl", "usr/sbin/kexec"}) {
      machine.write(std::string{"root/"} + tool, "");
    }
    std::filesystem::create_directories(path("root/run/systemd/system"));
    std::filesystem::create_directories(path("root/etc/systemd/system/multi-user.target.wants"));
    std::filesystem::create_symlink("/usr/lib/systemd/system/netperfd.service", path(kWanted));
  }

  static constexpr auto kWanted = "root/etc/systemd/system/multi-user.target.wants/netperfd.service";

  [[nodiscard]] std::string path(const std::string& file) const { return machine.files().path(file); }
  void remove(const std::string& file) const { std::filesystem::remove_all(path(file)); }
  // /boot is a mount of its own, after / and before others.
  void mount_boot(const std::string& device, const std::string& filesystem) const {
    machine.write("proc/self/mountinfo", "22 1 254:9 / / rw shared:1 - xfs /dev/root rw\n30 22 " + device +
                                             " / " + machine.settings.boot + " rw,relatime shared:2 - " +
                                             filesystem + " /dev/x rw\n31 22 0:5 / " + machine.settings.boot +
                                             "/gr rw - zfs none rw\n");
  }
  void write_efi(const std::string& name, const std::string& value) const {
    machine.write("sys/firmware/efi/efivars/" + name + kEfi, std::string("\6\0\0\0", 4) + value);
  }
  void boot_by(const std::string& loader) const {
    std::string wide;
    for (const char letter : loader) wide += {letter, '\0'};
    write_efi("LoaderInfo", wide + std::string(2, '\0'));
  }
  Capability ask(const std::string& name) {
    FakeTracefs tracefs(able_kernel());
    return capability(KernelCatalogue(tracefs, machine.settings).capabilities(true), name);
  }
  // That the row is limited, with these words.
  void expect_limited(const std::string& detail, const std::string& advice) {
    const Capability row = ask("boot_loader");
    EXPECT_EQ(row.ability, Ability::limited) << row.detail;
    EXPECT_THAT(row.detail, HasSubstr(detail));
    EXPECT_THAT(row.advice, HasSubstr(advice));
  }

  FakeMachine machine;
};

TEST_F(DoctorReboots, grub_that_can_write_its_environment_boots_an_entry_once) {
  const Capability row = ask("boot_loader");
  EXPECT_EQ(row.ability, Ability::yes);
  EXPECT_EQ(row.detail, "GRUB; `/usr/share/netperfd/boot-into grub` boots an entry once");
  EXPECT_EQ(row.advice, "");
  boot_by("GRUB 2.12");
  machine.write("proc/cmdline", "root=/dev/sda1 ro\n");  // after a kexec, UEFI still knows
  EXPECT_THAT(ask("boot_loader").detail, StartsWith("GRUB 2.12; "));
  EXPECT_EQ(ask("boot_loader").ability, Ability::yes);
}

TEST_F(DoctorReboots, grub_cannot_boot_an_entry_once_where_it_cannot_write) {
  for (const auto* filesystem : {"btrfs", "zfs"}) {
    mount_boot("0:27", filesystem);
    expect_limited(std::string{"on "} + filesystem + ", where GRUB cannot write", "ext4 partition");
  }
  mount_boot("253:0", "ext4");
  machine.write("sys/dev/block/253:0/dm/uuid", "LVM-Kd3hX\n");
  expect_limited("on LVM, where GRUB cannot write", "boot-into kexec");
  machine.write("sys/dev/block/253:0/dm/uuid", "CRYPT-LUKS2-77-x\n");
  EXPECT_EQ(ask("boot_loader").ability, Ability::yes);
  machine.write("sys/dev/block/253:0/slaves/sda3/dm/uuid", "LVM-Kd3hX\n");
  expect_limited("on LVM, where GRUB cannot write", "");
  remove("sys/dev/block/253:0/slaves/sda3");
  machine.write("sys/dev/block/253:0/slaves/md0/md/level", "raid1\n");
  expect_limited("on RAID, where GRUB cannot write", "");
}

TEST_F(DoctorReboots, a_partition_of_a_raid_is_on_the_raid) {
  machine.write("sys/devices/md127/md/level", "raid1\n");
  machine.write("sys/devices/md127/md127p1/partition", "1\n");
  std::filesystem::create_directory_symlink("../../devices/md127/md127p1", path("sys/dev/block/259:0"));
  mount_boot("259:0", "ext4");
  expect_limited("on RAID, where GRUB cannot write", "");
}

TEST_F(DoctorReboots, an_unknown_device_below_grub_is_said_to_be_unknown) {
  mount_boot("0:41", "overlay");
  expect_limited("whether it can boot an entry once is not known", "boot-into --check grub ENTRY");
  remove("proc/self/mountinfo");
  expect_limited("whether it can boot an entry once is not known", "boot-into --check grub ENTRY");
}

TEST_F(DoctorReboots, the_mount_of_grub_is_the_nearest_and_latest_one) {
  const std::string grub = machine.settings.boot + "/grub";
  mount_boot("0:27", "btrfs");
  machine.write("proc/self/mountinfo", machine.files().read("proc/self/mountinfo") + "32 30 8:1 / " + grub +
                                           " rw shared:3 master:1 - ext4 /dev/sda1 rw\n33 30 0:27 / " +
                                           machine.settings.boot + " rw - btrfs x rw\n");
  EXPECT_EQ(ask("boot_loader").ability, Ability::yes);
  machine.write("proc/self/mountinfo",
                machine.files().read("proc/self/mountinfo") + "34 32 0:27 / " + grub + " rw - btrfs x rw\n");
  expect_limited("on btrfs", "");
}

TEST_F(DoctorReboots, what_grub_lacks_for_one_boot_is_named_with_its_remedy) {
  remove("root/usr/sbin/grub-reboot");
  expect_limited("there is no grub-reboot", "grub2-common");
  machine.write("root/usr/bin/grub-reboot", "");
  machine.write("root/etc/default/kexec", "# LOAD_KEXEC=true\nLOAD_KEXEC=false\n");
  EXPECT_EQ(ask("boot_loader").ability, Ability::yes);
  machine.write("root/etc/default/kexec", "# Load a kexec kernel\nLOAD_KEXEC=true\n");
  expect_limited("kexec-tools replaces each reboot", "LOAD_KEXEC=false");
  machine.write("boot/grub/grubenv", "");
  expect_limited("grubenv is missing or empty", "/grub/grubenv create");
  machine.write("boot/grub/grub.cfg", "set default=0\n");
  expect_limited("does not look at next_entry", "update-grub");
}

TEST_F(DoctorReboots, files_of_grub_that_cannot_be_read_leave_it_unknown) {
  remove("boot/grub/grubenv");
  std::filesystem::create_directory(path("boot/grub/grubenv"));
  expect_limited("GRUB; ", "boot-into --check grub ENTRY");
  remove("boot/grub/grub.cfg");
  std::filesystem::create_directory(path("boot/grub/grub.cfg"));
  expect_limited("not known: ", "boot-into --check grub ENTRY");
}

TEST_F(DoctorReboots, systemd_boot_says_by_uefi_what_it_can) {
  boot_by("systemd-boot 252.39");
  expect_limited("systemd-boot 252.39; what it can do is not known", "boot-into kexec");
  write_efi("LoaderFeatures", std::string("\x77\0\0\0\0\0\0\0", 8));
  expect_limited("systemd-boot 252.39 cannot boot an entry once", "boot-into kexec");
  write_efi("LoaderFeatures", std::string("\x08\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(ask("boot_loader").ability, Ability::yes);
  EXPECT_EQ(ask("boot_loader").detail,
            "systemd-boot 252.39; `/usr/share/netperfd/boot-into systemd-boot` boots an entry once");
  machine.write("root/etc/default/kexec", "LOAD_KEXEC=\"true\"\n");
  expect_limited("kexec-tools replaces each reboot", "LOAD_KEXEC=false");
  remove("root/usr/bin/bootctl");
  expect_limited("there is no bootctl", "systemd-boot");
}

TEST_F(DoctorReboots, another_loader_is_not_taken_for_grub) {
  boot_by("rEFInd 0.13");
  expect_limited("rEFInd 0.13, for which netperfd has no command", "boot-into kexec");
  remove("sys/firmware");
  machine.write("proc/cmdline", "root=/dev/sda1 NOT_BOOT_IMAGE=x\n");
  expect_limited("GRUB did not start this kernel", "boot-into kexec");
  machine.write("proc/cmdline", "BOOT_IMAGE=/vmlinuz\n");
  remove("boot/grub");
  expect_limited("not known: neither GRUB nor systemd-boot", "boot-into kexec");
}

TEST_F(DoctorReboots, kexec_needs_the_kernel_the_setting_and_the_tool) {
  EXPECT_EQ(ask("kexec").ability, Ability::yes);
  machine.write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
  EXPECT_EQ(ask("kexec").ability, Ability::yes);
  machine.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  EXPECT_EQ(ask("kexec").ability, Ability::limited);
  EXPECT_THAT(ask("kexec").detail, HasSubstr("locked down (integrity)"));
  machine.write("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
  EXPECT_THAT(ask("kexec").detail, HasSubstr("locked down (confidentiality)"));
  remove("root/usr/sbin/kexec");
  EXPECT_EQ(ask("kexec").ability, Ability::no);
  EXPECT_EQ(ask("kexec").advice, "install the package kexec-tools");
  machine.write("proc/sys/kernel/kexec_load_disabled", "1\n");
  EXPECT_EQ(ask("kexec").ability, Ability::no);
  EXPECT_THAT(ask("kexec").detail, HasSubstr("kernel.kexec_load_disabled"));
  remove("proc/sys/kernel/kexec_load_disabled");
  EXPECT_EQ(ask("kexec").ability, Ability::no);
  EXPECT_THAT(ask("kexec").detail, HasSubstr("CONFIG_KEXEC"));
  machine.write("boot/config-6.18", "CONFIG_KEXEC=y\n# CONFIG_KEXEC_FILE is not set\n");
  EXPECT_THAT(ask("kexec").detail, HasSubstr("CONFIG_KEXEC_FILE is not set"));
}

TEST_F(DoctorReboots, netperfd_starts_at_boot_if_a_target_wants_it) {
  EXPECT_EQ(ask("start_at_boot").ability, Ability::yes);
  EXPECT_EQ(ask("start_at_boot").detail, "multi-user.target starts netperfd");
  std::filesystem::create_symlink("/dev/null", path("root/etc/systemd/system/netperfd.service"));
  EXPECT_EQ(ask("start_at_boot").ability, Ability::no);
  EXPECT_THAT(ask("start_at_boot").advice, HasSubstr("systemctl unmask netperfd"));
  remove("root/etc/systemd/system/netperfd.service");
  remove(kWanted);
  EXPECT_EQ(ask("start_at_boot").ability, Ability::no);
  EXPECT_EQ(ask("start_at_boot").advice, "systemctl enable netperfd");
  std::filesystem::create_directories(path("root/usr/lib/systemd/system/graphical.target.wants"));
  std::filesystem::create_symlink(
      "../netperfd.service", path("root/usr/lib/systemd/system/graphical.target.wants/netperfd.service"));
  EXPECT_EQ(ask("start_at_boot").detail, "graphical.target starts netperfd");
  remove("root/run/systemd/system");
  EXPECT_EQ(ask("start_at_boot").ability, Ability::limited);
  EXPECT_THAT(ask("start_at_boot").detail, HasSubstr("systemd does not run here"));
}

}  // namespace
}  // namespace netperfd::trace
