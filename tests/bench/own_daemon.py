# SPDX-License-Identifier: GPL-2.0-or-later
"""What the benches of the running daemon share."""

import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

EVENT = "skb:kfree_skb"
REASON_NO_SOCKET = "reason == 3"
BUFFER_KIB = 8192
CLOSED_PORT = 9

SENDER = f"""
import socket, sys
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1])):
    out.sendto(b"test", ("127.0.0.1", {CLOSED_PORT}))
"""

JOB = f"""name: flood
workload: {{none: {{until: stop}}}}
trace:
  events: [{{name: '{EVENT}', filter: '{REASON_NO_SOCKET}'}}]
  buffer: {BUFFER_KIB}K
"""

BUS = """<busconfig>
  <type>system</type><listen>unix:path={dir}/bus</listen><auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>
"""


def flood(events):
    subprocess.run([sys.executable, "-c", SENDER, str(events)], check=True)


class Netperfd:
    """The real daemon of a build, with a bus and a store of its own in `directory`."""

    def __init__(self, build, directory):
        self.directory, self.build = directory, build
        self.ctl_path = build / "client" / "netperfctl"
        self.environment = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={directory}/bus")
        (directory / "bus.conf").write_text(BUS.format(dir=directory))
        self.bus = subprocess.Popen(["dbus-daemon", f"--config-file={directory}/bus.conf", "--nofork", "--print-address"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.bus.stdout.readline()  # it listens
        (directory / "scenarios").mkdir()
        (directory / "netperfd.yaml").write_text(
            f"scenarios: {directory}/scenarios\nstore: {{database: {directory}/netperfd.db}}\n"
            "iperf3: {user: 65534}\nreaders: {user: 65533}\nauthorization: {group: 0}\n")
        self.log = open(directory / "log", "w+")
        self.start()

    def start(self):
        self.daemon = subprocess.Popen([self.build / "daemon" / "netperfd", "--config", self.directory / "netperfd.yaml"],
                                       env=self.environment, stderr=self.log)

    def stop(self):
        """The bus stays."""
        self.daemon.send_signal(signal.SIGTERM)
        self.daemon.wait(300)

    def ctl(self, *words):
        done = subprocess.run([self.ctl_path, *words], env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"netperfctl {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def wait_until(self, verb, holds):
        deadline = time.monotonic() + 30
        while not holds(self.ctl(*verb)):
            if time.monotonic() > deadline:
                sys.exit(f"netperfctl {' '.join(verb)}: not as expected within 30 s")
            time.sleep(0.2)

    def wait_for_start(self, seconds=10):
        deadline = time.monotonic() + seconds
        while subprocess.run([self.ctl_path, "jobs"], env=self.environment, capture_output=True, check=False).returncode:
            if time.monotonic() > deadline:
                self.log.seek(0)
                sys.exit(f"netperfd does not answer: {self.log.read()}")
            time.sleep(0.05)

    def count_drops(self, meanwhile):
        """Watches the flood's drops in a job until `meanwhile()` ends: (events, lost)."""
        job = self.directory / "flood.yaml"
        job.write_text(JOB)
        started = json.loads(self.ctl("start", str(job), "--detach", "-o", "json"))["job"]
        self.wait_until(["jobs", "-o", "json"], lambda text: '"running"' in text.partition("run_state")[2])
        meanwhile()
        self.ctl("stop", str(started["job"]))
        run = str(started["runs"][0])
        self.wait_until(["show", run, "-o", "json"], lambda text: '"finished"' in text)
        trace = json.loads(self.ctl("show", run, "-o", "json"))["trace"]
        return trace["events"], trace["lost"]

    def peak_mib(self):
        status = pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def end(self):
        self.stop()
        self.bus.kill()
        self.bus.wait()


def interval(values):
    """Of the median, by the order of the values: (low, high, exact level), at least 95 %."""
    values = sorted(values)
    n = len(values)
    outside, left_out = 0.5**n, 0
    while 2 * (outside + math.comb(n, left_out + 1) * 0.5**n) <= 0.05:
        left_out += 1
        outside += math.comb(n, left_out) * 0.5**n
    return values[left_out], values[n - 1 - left_out], 1 - 2 * outside
