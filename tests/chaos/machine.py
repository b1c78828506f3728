# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon must leave as it was: tracefs, mounts, network namespaces, units, processes, cgroups, descriptors."""

import collections
import os
import pathlib
import re
import subprocess

TRACEFS = pathlib.Path("/sys/kernel/tracing")
# Their content belongs to whoever reads it, or is that of a moment.
NO_STATE = {"trace", "trace_pipe", "trace_pipe_raw", "trace_marker", "trace_marker_raw", "snapshot", "snapshot_raw", "free_buffer",
            "per_cpu", "stats", "available_events", "available_filter_functions", "available_filter_functions_addrs", "kprobe_profile",
            "uprobe_profile", "saved_cmdlines", "saved_tgids", "printk_formats", "touched_functions", "timestamp_mode", "trace_stat",
            "dyn_ftrace_total_info", "enabled_functions", "eval_map", "README", "options", "events", "instances", "hwlat_detector",
            "osnoise", "rv", "user_events_status", "user_events_data", "stack_max_size", "stack_trace", "buffer_total_size_kb",
            "last_boot_info", "error_log", "synthetic_events", "header_page", "header_event"}


def text_of(path):
    try:
        with open(path, "rb", buffering=0) as file:
            parts = []
            while part := file.read(65536):
                parts.append(part)
            return b"".join(parts)
    except OSError as error:
        return f"error {error.errno}"


def tracefs_state():
    """File -> content, of all settings and of each event's switches; and the instances."""
    state = {}
    for entry in TRACEFS.iterdir():
        if entry.name not in NO_STATE and entry.is_file():
            state[entry.name] = text_of(entry)
    for option in (TRACEFS / "options").iterdir():
        state[f"options/{option.name}"] = text_of(option)
    for switch in ("enable", "filter", "trigger"):
        for file in (TRACEFS / "events").glob(f"*/*/{switch}"):
            state[str(file.relative_to(TRACEFS))] = text_of(file)
    state["instances"] = sorted(entry.name for entry in (TRACEFS / "instances").iterdir())
    return state


def mounts():
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    # A namespace that was removed and made again has another number.
    return sorted(re.sub(r"net:\[\d+\]", "net", " ".join(line.split()[3:6])) for line in lines)


def target(link):
    try:
        return os.readlink(link)
    except OSError:
        return ""  # the process has ended


def network_namespaces(named="/run/netns"):
    """Those that a process, a descriptor or a name here holds, and who does. Other users of the machine have other mounts."""
    found, here = {}, target("/proc/self/ns/mnt")
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        if target(process / "ns/mnt") != here:
            continue
        for link in [process / "ns/net", *process.glob("fd/*")]:
            if (name := target(link)).startswith("net:["):
                found[name] = f"{link} {command_of(process.name)}"
    for name in os.listdir(named):
        found[f"net:[{os.stat(os.path.join(named, name)).st_ino}]"] = name
    return found


def units():
    if not pathlib.Path("/run/systemd/system").exists():
        return set()
    listed = subprocess.run(["systemctl", "list-units", "--all", "--plain", "--no-legend", "netperfd-*"], capture_output=True,
                            text=True, check=False)
    return {line.split()[0] for line in listed.stdout.splitlines() if line.split()}


def processes_of(uid):
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        if re.search(rf"^Uid:\s+{uid}\s", text, re.MULTILINE) and not re.search(r"^State:\s+[ZX]", text, re.MULTILINE):
            found.append(int(status.parent.name))
    return found


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


class State:
    """Of the machine before the daemon's start; `differences` are those of now."""

    def __init__(self, site):
        self.site = site
        self.tracefs = tracefs_state()
        self.mounts = mounts()
        self.namespaces = network_namespaces()
        self.units = units()

    def remove_instances(self):
        """Those of tracefs that a daemon left, or a plant that was interrupted."""
        for name in set(tracefs_state()["instances"]) - set(self.tracefs["instances"]):
            (TRACEFS / "instances" / name).rmdir()

    def differences(self):
        told = []
        now = tracefs_state()
        # A daemon that starts removes those of earlier ones.
        now["instances"] = sorted({*now["instances"], *(name for name in self.tracefs["instances"] if name.startswith("netperfd-"))})
        for name in sorted(self.tracefs.keys() | now.keys()):
            if self.tracefs.get(name) != now.get(name):
                told.append(f"tracefs: {name} was {self.tracefs.get(name)!r:.200}, is {now.get(name)!r:.200}")
        mounted = collections.Counter(mounts())
        mounted.subtract(self.mounts)
        # Others may take away a mount that was there before, and its copy here goes with it.
        told += [f"mount: {'left' if count > 0 else 'gone'}: {mount}" for mount, count in mounted.items()
                 if count > 0 or count < 0 and str(self.site.directory) in mount]
        told += [f"network namespace: left: {name}, held by {holder}" for name, holder in network_namespaces().items()
                 if name not in self.namespaces and name not in self.site.namespaces()]
        told += [f"unit: left: {unit}" for unit in sorted(units() - self.units)]
        for pid in self.site.group_processes():
            told.append(f"process: left in the daemon's cgroup: {pid} {command_of(pid)}")
        for name, uid in (("iperf3's user", self.site.iperf3_uid), ("the readers' user", self.site.reader_uid)):
            told += [f"process: left of {name}: {pid} {command_of(pid)}" for pid in processes_of(uid)]
        for group in self.site.run_groups():
            told.append(f"cgroup: left: {group}")
        if self.site.side_file.exists() and self.site.side_file.read_text().strip() not in ("", "a"):
            told.append("side: the machine is not on its original side")
        return told


READ_ONLY = " (to read)"


def descriptors(pid):
    """What the process has open, without numbers that differ from one to the other; of files, also whether only to read."""
    open_now = collections.Counter()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            name = re.sub(r":\[\d+\]", "", os.readlink(link))
            flags = int(re.search(r"^flags:\s+(\d+)", (link.parents[1] / "fdinfo" / link.name).read_text(), re.MULTILINE)[1], 8)
        except OSError:
            continue
        open_now[name + READ_ONLY * (name.startswith("/") and flags & os.O_ACCMODE == os.O_RDONLY)] += 1
    return open_now
