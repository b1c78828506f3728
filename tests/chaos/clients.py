# SPDX-License-Identifier: GPL-2.0-or-later
"""Users who start, stop, query, compare and delete, each by a dice of its own, and write down what netperfd told them."""

import contextlib
import itertools
import json
import random
import subprocess
import threading
import time

import contents
import lab
import ledger as ledgers

PLACE = "netns: left, local: {{netns: right, bind: 10.77.0.2}}, port: {port}"
# Name -> (YAML, runs for each `repeat`). The port says later which executions were this job's.
TEMPLATES = {
    "bytes": ("name: bytes\nworkload: {{iperf3: {{" + PLACE + ", bytes: 10M}}}}\nlimits: {{timeout: {limit:.0f}s}}\n", 1),
    "second": ("name: second\nworkload: {{iperf3: {{" + PLACE + ", duration: 1s, streams: 2}}}}\nlimits: {{timeout: {limit:.0f}s}}\n"
               "trace: {{events: ['skb:kfree_skb', 'tcp:tcp_retransmit_skb'], optional: true}}\n", 1),
    "udp": ("name: udp\nworkload: {{iperf3: {{" + PLACE + ", duration: 1s, protocol: udp, bitrate: 20M, direction: both}}}}\n"
            "limits: {{timeout: {limit:.0f}s}}\n", 1),
    "probes": ("name: probes\nworkload: {{latency: {{" + PLACE + ", duration: 1s, probes: [{{rate: 200}}, {{name: web, protocol: tcp}}]}}}}\n"
               "limits: {{timeout: {limit:.0f}s}}\n", 1),
    "loaded": ("name: loaded\nworkload: {{iperf3: {{" + PLACE + ", duration: 1s}}}}\n"
               "with: {{latency: {{idle: 500ms, timeout: 500ms, probes: [{{rate: 100}}]}}}}\nlimits: {{timeout: {limit:.0f}s}}\n", 1),
    "watch": ("name: watch\nworkload: {{none: {{until: stop}}}}\ntrace: {{events: ['skb:kfree_skb']}}\n"
              "limits: {{timeout: 3s}}\n", 1),
    "absent": ("name: absent\nworkload: {{iperf3: {{netns: left, server: 10.77.0.2, server_wait: 0s, port: {port}, duration: 1s}}}}\n"
               "limits: {{timeout: {limit:.0f}s}}\n", 1),
    "sides": (None, 4),  # root's own scenario
}
NEVER_FINISH = {"absent"}

QUERIES = [["runs"], ["runs", "-o", "json", "--limit", "50"], ["jobs"], ["jobs", "--all"], ["show", "last"], ["show", "last", "--counters"],
           ["scenarios"], ["doctor"], ["events", "tcp:*"], ["watch", "--once"], ["log"], ["runs", "scenario:bytes", "--sort", "received"],
           ["compare", "scenario:bytes", "scenario:second"], ["compare", "last"], ["plan", "bytes", "--runs", "scenario:bytes"],
           ["report", "last", "-O", "/dev/null"], ["export", "last", "--format", "flame", "-O", "/dev/null"], ["show", "last", "--latency"]]
KNOWN_CODES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
IMPORT = "tests/data/iperf3/3.12/tcp-send.out"


def live_of(out):
    """`jobs` also lists those that ended less than a minute ago."""
    return [job for job in json.loads(out)["jobs"] if job["state"] in ("pending", "running")]


def outcome_of(code, err):
    if code == 0:
        return "accepted"
    # The bus rejects a call, perhaps not the first of a client, while somebody floods the daemon.
    lost = ("did not answer", "no answer", "full message queue")
    return "unknown" if code in (3, None) or any(words in err for words in lost) else "refused"


def take_job(attempt, out):
    job = json.loads(out)["job"]
    attempt.job, attempt.runs, attempt.outcome = job["job"], job["runs"], "accepted"


class Client(threading.Thread):
    numbers = itertools.count(1)

    def __init__(self, site, ledger, user, seed, stopping):
        super().__init__(name=f"client of {user}")
        self.site, self.ledger, self.user, self.stopping = site, ledger, user, stopping
        self.contents = ledger.contents
        self.most = 2 if ledger.strict else 3  # live jobs: all of them must end by themselves
        self.dice = random.Random(f"client {user} {seed}")
        self.uid = site.users[user][0]
        self.calls = 0
        self.longest = 0.0

    def run(self):
        actions = {self.start_job: 8 if self.user != "nobody" else 1, self.query: 6, self.look: 3, self.delete: 2, self.write_note: 1, self.relabel: 1,
                   self.import_file: 1, self.follow_job: 2, self.wait_for_job: 1, self.make_bundle: 1, self.make_backup: 1 if self.user == "root" else 0}
        if not self.ledger.strict:
            actions |= {self.stop_job: 2, self.tie: 1}
        while not self.stopping.is_set():
            action = self.dice.choices(list(actions), list(actions.values()))[0]
            try:
                action()
            except Exception as error:  # pylint: disable=broad-except  # else the client would be silent from here on
                self.ledger.wrong(f"client of {self.user}: {action.__name__}: {error!r}")
            self.stopping.wait(self.dice.uniform(0.05, 0.6))

    def ctl(self, *words, text=None):
        begin = time.monotonic()
        code, out, err = self.site.ctl(self.user, *words, text=text)
        self.calls += 1
        took = time.monotonic() - begin
        self.longest = max(self.longest, took)
        if "Sanitizer" in err or "runtime error:" in err:
            self.ledger.wrong(f"netperfctl {' '.join(map(str, words))}: {err[-2000:]}")
        elif code is None:
            self.ledger.wrong(f"netperfctl {' '.join(map(str, words))} of {self.user} gave no answer in {took:.0f} s")
        elif code not in KNOWN_CODES:
            self.ledger.wrong(f"netperfctl {' '.join(map(str, words))}: exit code {code}: {err[-300:]}")
        return code, out, err

    def live(self):
        """Jobs of this user that have not been announced as ended; after a crash nobody announces some of them."""
        return sum(each.begun > self.site.now() - 30 and any(run not in self.ledger.announced for run in each.runs) for each in self.own())

    def begin(self, template, repeat, tied=False):
        number = next(self.numbers)
        text, each = TEMPLATES[template]
        attempt = ledgers.Attempt(user=self.user, uid=self.uid, template=template, label=f"{self.user}-{number}", repeat=repeat,
                                  each=each, port=10_000 + number, begun=self.site.now(), tied=tied)
        self.ledger.add(attempt)
        words = ["start", "sides" if text is None else "-", "--force", "--label", attempt.label, "--repeat", repeat]
        if text is None:
            words += ["--set", f"workload.iperf3.port={attempt.port}"]
        return attempt, words, text and text.format(port=attempt.port, limit=self.site.limit)

    def start_job(self):
        if self.live() >= self.most:
            return
        template = self.dice.choice([name for name in TEMPLATES if not (self.ledger.strict and name in NEVER_FINISH)])
        attempt, words, text = self.begin(template, self.dice.choice((1, 1, 2, 3)) if template not in ("sides", "watch") else 1)
        code, out, err = self.ctl(*words, "--detach", "-o", "json", text=text)
        attempt.answered = self.site.now()
        attempt.outcome = outcome_of(code, err)
        if attempt.outcome == "accepted":
            take_job(attempt, out)
        else:
            attempt.refusal = err.strip()
        if self.user == "nobody" and attempt.outcome == "accepted":
            self.ledger.wrong(f"nobody may measure, but job {attempt.job} was accepted")

    def tie(self):
        """A job that is to end with its client, which is killed."""
        if self.live() >= self.most or self.user == "nobody":
            return
        attempt, words, text = self.begin("second", 3, tied=True)
        attempt.outcome = "unknown"
        process = self.site.follow(self.user, *words, "--cancel-on-interrupt", text=text)
        self.stopping.wait(self.dice.uniform(0.3, 3.0))
        process.kill()
        process.communicate()

    def own(self):
        return [each for each in self.ledger.attempts if each.user == self.user and each.outcome == "accepted"]

    def stop_job(self):
        own = self.own()[-4:]
        if not own:
            return
        attempt = self.dice.choice(own)
        begun = self.site.now()
        code, _, _ = self.ctl("stop", attempt.job)
        attempt.stops.append((begun, self.site.now(), code))

    def delete(self):
        runs = [(attempt, run) for attempt in self.own() for run in attempt.runs if run not in attempt.deleted]
        if not runs:
            return
        attempt, run = self.dice.choice(runs)
        code, _, err = self.ctl("delete", run)
        outcome = outcome_of(code, err)
        if outcome != "refused":
            attempt.deleted[run] = "deleted" if outcome == "accepted" else outcome

    # ---- What is there to be seen ------------------------------------------------------------------------------------
    def ended(self):
        """An own job whose runs have all been announced as ended; None if there is none."""
        own = [each for each in self.own() if each.job and each.runs and all(run in self.ledger.announced for run in each.runs)]
        return self.dice.choice(own) if own else None

    def contents_of(self, attempt):
        """All that there is, of one job."""
        with self.ledger.heard:
            self.ledger.heard.wait_for(lambda: all(run in self.ledger.announced for run in attempt.runs), 5)
        for act in (self.write_note, self.relabel, self.look, self.make_backup, self.make_bundle):
            act(attempt)

    def write_note(self, attempt=None):
        if attempt := attempt or self.ended():
            run, text = self.dice.choice(attempt.runs), f"a note {self.dice.getrandbits(20)}"
            code, _, err = self.ctl("note", run, text)
            self.contents.set_text(self.contents.notes, run, "", text, outcome_of(code, err))

    def relabel(self, attempt=None):
        if attempt := attempt or self.ended():
            text = f"{attempt.label}.{self.dice.getrandbits(20)}"
            code, _, err = self.ctl("relabel", attempt.job, text)
            self.contents.set_text(self.contents.labels, attempt.job, attempt.label, text, outcome_of(code, err))

    def rows(self, *words):
        """Of `runs`; None if they cannot be listed now."""
        code, out, _ = self.ctl("runs", "-o", "json", *words)
        return contents.rows_of(out) if code == 0 else None

    def look(self, attempt=None):
        """Figures that were told before, or are now, and a document of an own run."""
        told = self.contents.look(self.rows("--limit", "100") or [])
        if attempt := attempt or self.ended():
            run, name = self.dice.choice(attempt.runs), self.dice.choice(("client.stdout", "client.stdout", "server.stdout"))
            code, out, _ = self.ctl("show", run, "--document", name)
            told += self.contents.read_document(run, name, out) if code == 0 else []
        for line in told:
            self.ledger.wrong(line)

    def make_backup(self, _attempt=None):
        path = self.site.directory / f"own-{self.user}/{next(self.numbers)}.db"
        runs = self.ledger.finished_before(self.site.now() - 0.5)
        code, _, _ = self.ctl("db", "backup", path)
        if code == 0:
            self.contents.add_backup(contents.Backup(path, runs))

    def make_bundle(self, attempt=None):
        if attempt := attempt or self.ended():
            path = self.site.directory / f"own-{self.user}/{next(self.numbers)}.netperf"
            code, _, _ = self.ctl("export", f"job:{attempt.job}", "--format", "bundle", "-O", path)
            rows = self.rows("--all", "--job", attempt.job) if code == 0 else None
            if rows is not None:
                self.contents.add_bundle(self.user, contents.Bundle(path, attempt.job, contents.figures_of(rows)))

    # ---- Jobs that are followed to their end -------------------------------------------------------------------------
    def follow_job(self):
        if self.live() >= self.most or self.user == "nobody":
            return
        tied = self.dice.random() < 0.5
        attempt, words, text = self.begin(self.dice.choice(("bytes", "second")), 1)
        code, out, err = self.follow(*words, *(["--cancel-on-interrupt"] if tied else []), "-o", "json", text=text)
        attempt.answered = self.site.now()
        attempt.tied = tied and code not in (0, 7, 10)  # it has left before the end, and the job with it
        if '"job"' in out:
            take_job(attempt, out)
        if code in (0, 7, 10):
            self.judge_end(attempt, code)
        elif not attempt.job:
            attempt.outcome, attempt.refusal = outcome_of(code, err), err.strip()

    def wait_for_job(self):
        if own := [each for each in self.own()[-4:] if each.job]:
            attempt = self.dice.choice(own)
            code, _, _ = self.follow("wait", attempt.job)
            if code in (0, 7, 10):
                self.judge_end(attempt, code)

    def judge_end(self, attempt, told):
        """The job has ended, and so, whatever signals told the client."""
        attempt.told_end = told
        rows = self.rows("--all", "--job", attempt.job) or []
        live = [row["run"] for row in rows if row["state"] in ledgers.OPEN]
        if told != 0 and self.ledger.disk_refused(self.site.now()):
            live = []  # the end is known, and is stored once the disk takes it
        if live or told == 0 and any(row["state"] != "finished" for row in rows):
            self.ledger.wrong(f"the client of {attempt.label} ended with {told}, and its runs are {[row['state'] for row in rows]}")

    def follow(self, *words, text=None):
        """As ctl(), but for as long as a job may last; the code is None if it was given up."""
        process = self.site.follow(self.user, *words, text=text)
        end = time.monotonic() + lab.HANGS
        while process.poll() is None and time.monotonic() < end and not self.stopping.wait(0.05):
            pass
        if self.stopping.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)
        gave_up = process.poll() is None
        if gave_up:
            process.kill()
        out, err = process.communicate()
        self.calls += 1
        if not gave_up and process.returncode not in KNOWN_CODES:
            self.ledger.wrong(f"netperfctl {' '.join(map(str, words))}: exit code {process.returncode}: {err[-300:]}")
        return None if gave_up else process.returncode, out, err

    def query(self):
        words = self.dice.choice(QUERIES)
        if words == ["doctor"] and self.user != "nobody" and self.dice.random() < 0.3:
            words = ["doctor", "--fresh"]
        self.ctl(*words)

    def import_file(self):
        number = next(self.numbers)
        label = f"{self.user}-{number}"
        entry = ledgers.Attempt(user=self.user, uid=self.uid, template="import", label=label, repeat=1, each=1, port=0, begun=self.site.now())
        self.ledger.add(entry)
        code, out, err = self.ctl("import", self.site.directory / "document.json", "--label", label, "-o", "json")
        entry.answered = self.site.now()
        entry.outcome, entry.refusal = outcome_of(code, err), err.strip()
        if code == 0:
            entry.runs = ledgers.runs_of_import(out)
