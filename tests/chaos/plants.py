# SPDX-License-Identifier: GPL-2.0-or-later
"""Damage that the oracle must find: each plant does it and undoes it, and names a word of what is to be told."""

import contextlib
import ctypes
import os
import shutil
import sqlite3
import subprocess
import time

import machine

# Name -> (word, plant). While the daemon runs: of the machine, or of what it tells. After its end: of what another one takes over, or
# of what is stored.
LIVE, TOLD, ELSEWHERE, STORED = {}, {}, {}, {}


def plant(plants, name, word):
    def add(function):
        plants[name] = (word, contextlib.contextmanager(function))
        return function
    return add


# ---- The machine -----------------------------------------------------------------------------------------------------
@plant(LIVE, "left-process", "process: left in the daemon's cgroup")
def left_process(site):
    with subprocess.Popen(["sleep", "1000"]) as stray:
        (site.cgroup / "cgroup.procs").write_text(str(stray.pid))
        yield
        stray.kill()


@plant(LIVE, "left-user-process", "process: left of iperf3's user")
def left_user_process(site):
    with subprocess.Popen(["sleep", "1000"], user=site.iperf3_uid) as stray:
        yield
        stray.kill()


@plant(LIVE, "left-cgroup", "cgroup: left")
def left_cgroup(site):
    group = site.cgroup / "netperfd-run-1-1-1"
    group.mkdir()
    yield
    group.rmdir()


@plant(LIVE, "left-netns", "network namespace: left")
def left_netns(_site):
    subprocess.run(["ip", "netns", "add", "stray"], check=True)
    yield
    subprocess.run(["ip", "netns", "delete", "stray"], check=True)


@plant(LIVE, "left-netns-without-name", "network namespace: left")
def left_netns_without_name(_site):
    with subprocess.Popen(["unshare", "--net", "sleep", "1000"]) as stray:
        while machine.command_of(stray.pid) != "sleep 1000":
            time.sleep(0.01)
        yield
        stray.kill()


@plant(LIVE, "left-mount", "mount: left")
def left_mount(site):
    subprocess.run(["mount", "-t", "tmpfs", "stray", site.directory / "shipped.d"], check=True)
    yield
    subprocess.run(["umount", site.directory / "shipped.d"], check=True)


@plant(LIVE, "tracefs-instance", "tracefs: instances")
def tracefs_instance(_site):
    (machine.TRACEFS / "instances/netperfd-stray").mkdir()
    yield
    (machine.TRACEFS / "instances/netperfd-stray").rmdir()


@plant(LIVE, "tracefs-event", "tracefs: events/skb/kfree_skb/enable")
def tracefs_event(_site):
    switch = machine.TRACEFS / "events/skb/kfree_skb/enable"
    switch.write_text("1")
    yield
    switch.write_text("0")


@plant(LIVE, "side", "side:")
def side(site):
    site.side_file.write_text("b\n")
    yield
    site.side_file.write_text("a\n")


class Registers(ctypes.Structure):
    """struct user_regs_struct of x86-64."""
    _fields_ = [(name, ctypes.c_ulonglong) for name in
                "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs".split()]


def call_in(pid, number, argument):
    """Lets the process, which sleeps in a system call, make another one; returns its result."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    getregs, setregs, singlestep, attach, detach = 12, 13, 9, 16, 17
    if libc.ptrace(attach, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(pid, 0)
    before = Registers()
    libc.ptrace(getregs, pid, None, ctypes.byref(before))
    now = Registers.from_buffer_copy(before)
    now.rip -= 2  # the instruction syscall, in which it sleeps
    now.rax, now.orig_rax, now.rdi = number, 2**64 - 1, argument
    libc.ptrace(setregs, pid, None, ctypes.byref(now))
    libc.ptrace(singlestep, pid, None, None)
    os.waitpid(pid, 0)
    libc.ptrace(getregs, pid, None, ctypes.byref(now))
    before.rax, before.orig_rax = 2**64 - 4, 2**64 - 1  # EINTR
    libc.ptrace(setregs, pid, None, ctypes.byref(before))
    libc.ptrace(detach, pid, None, None)
    return now.rax


@plant(LIVE, "descriptor", "descriptor:")
def descriptor(site):
    dup, close = 32, 3
    made = call_in(site.daemon.pid, dup, 2)
    yield
    call_in(site.daemon.pid, close, made)


# ---- What was told, and what was taken away --------------------------------------------------------------------------
@contextlib.contextmanager
def changed_live(site, table, values, where):
    """Other values in the row of the store that the daemon has open."""
    columns = ", ".join(values)
    with contextlib.closing(sqlite3.connect(site.database, timeout=10)) as store:
        before = store.execute(f"SELECT {columns} FROM {table} WHERE {where}").fetchone()

        def put(texts, parameters=()):
            store.execute(f"UPDATE {table} SET {', '.join(f'{column} = {text}' for column, text in zip(values, texts))} WHERE {where}",
                          parameters)
            store.commit()
        put(values.values())
        yield
        put("?" * len(before), before)


@plant(TOLD, "figure", "figure:")
def figure(site):
    run = max(site.ledger.contents.figures.keys() - site.ledger.deleted())
    with changed_live(site, "sums", {"received_bits_per_second": "received_bits_per_second + 1"},
                      f"run = {run} AND position = 0"):
        yield


@plant(TOLD, "document", "document:")
def document(site):
    run, name = max(key for key in site.ledger.contents.documents if key[0] not in site.ledger.deleted())
    other = f"FROM documents WHERE NOT (run = {run} AND name = '{name}') ORDER BY size DESC LIMIT 1"
    with changed_live(site, "documents", {"size": f"(SELECT size {other})", "content": f"(SELECT content {other})"},
                      f"run = {run} AND name = '{name}'"):
        yield


@contextlib.contextmanager
def cut(path):
    """The file has lost its second half."""
    content = path.read_bytes()
    path.write_bytes(content[:len(content) // 2])
    yield
    path.write_bytes(content)


@plant(ELSEWHERE, "bundle", "bundle:")
def bundle(site):
    with cut([each for own in site.ledger.contents.bundles.values() for each in own][-1].path):
        yield


@plant(ELSEWHERE, "backup", "backup:")
def backup(site):
    with cut(site.ledger.contents.backups[-1].path):
        yield


@plant(STORED, "backup-lost-run", "had finished and is not in it")
def backup_lost_run(site):
    path = site.ledger.contents.backups[-1].path
    content = path.read_bytes()
    with contextlib.closing(sqlite3.connect(path)) as store:
        lost = max(site.ledger.contents.backups[-1].runs - site.ledger.deleted())
        store.execute("DELETE FROM runs WHERE id = ?", [lost])
        store.commit()
    yield
    path.write_bytes(content)


# ---- The store -------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def changed(site, *statements):
    """Statements of SQL, in a store that is put back afterwards."""
    copy = site.directory / "copy.db"
    shutil.copy(site.database, copy)
    connection = sqlite3.connect(site.database)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    yield
    for name in ("-wal", "-shm", "-journal"):
        site.database.with_name(site.database.name + name).unlink(missing_ok=True)
    shutil.copy(copy, site.database)


FINISHED = "(SELECT max(runs.id) FROM runs JOIN jobs ON jobs.id = job WHERE state = 'finished' AND workload = 'iperf3')"
JOB = f"(SELECT job FROM runs WHERE id = {FINISHED})"


def plant_sql(name, word, *statements):
    STORED[name] = (word, lambda site: changed(site, *statements))


plant_sql("lost-run", "is lost", f"DELETE FROM runs WHERE id = {FINISHED}")
plant_sql("lost-job", "is lost", f"CREATE TEMP TABLE gone AS SELECT job FROM runs WHERE id = {FINISHED}",
          "DELETE FROM runs WHERE job IN gone", "DELETE FROM jobs WHERE id IN gone")
plant_sql("twice", "a run twice", "INSERT INTO runs (job, idx, state, error) SELECT job, idx, state, error FROM runs "
          f"WHERE id = {FINISHED}")
plant_sql("job-twice", "one start made the jobs",
          "CREATE TEMP TABLE twin AS SELECT * FROM jobs WHERE id = " + JOB, "UPDATE twin SET id = 9999",
          "INSERT INTO jobs SELECT * FROM twin", "INSERT INTO runs (job, idx, state) VALUES (9999, 1, 'finished')")
plant_sql("nobody-asked", "nobody asked for it", f"UPDATE jobs SET label = 'stranger' WHERE id = {JOB}")
plant_sql("still-open", "is still running", f"UPDATE runs SET state = 'running' WHERE id = {FINISHED}")
plant_sql("wrong-end", "which no fault", f"UPDATE runs SET state = 'failed', error = 'none' WHERE id = {FINISHED}")
plant_sql("without-a-reason", "without a reason", f"UPDATE runs SET state = 'failed', error = '' WHERE id = {FINISHED}")
plant_sql("note", "note:", f"UPDATE runs SET note = 'planted' WHERE id = {FINISHED}")
plant_sql("label", "label:", "UPDATE jobs SET label = replace(label, '.', '.9') WHERE label LIKE '%.%'")
plant_sql("another-owner", "belongs to uid", f"UPDATE jobs SET owner_uid = 4242 WHERE id = {JOB}")


@plant(STORED, "damaged-store", "store cannot be read|integrity_check")
def damaged_store(site):
    content = site.database.read_bytes()
    with open(site.database, "r+b") as file:
        for page in range(2, len(content) // 4096, 3):
            file.seek(page * 4096)
            file.write(b"\xff" * 512)
    yield
    site.database.write_bytes(content)


@plant(STORED, "executed-twice", "but iperf3 was executed")
def executed_twice(site):
    log = site.directory / "executions"
    before = log.read_text()
    lines = [line for line in before.splitlines() if " client " in line]
    log.write_text(before + (lines[-1] + "\n") * 20)
    yield
    log.write_text(before)


@plant(STORED, "executed-after-stop", "was stopped at")
def executed_after_stop(site):
    """A stop of the last job is added to the ledger, and one of its executions becomes a later one."""
    log = site.directory / "executions"
    before = log.read_text()
    last = [line for line in before.splitlines() if " client " in line][-1]
    later = " ".join([str(float(last.split()[0]) + 100), *last.split()[1:]])
    log.write_text(before.replace(last, later))
    attempt = site.ledger.attempts[-1]
    attempt.stops.append((site.now() - 60, site.now() - 60, 0))
    yield
    attempt.stops.pop()
    log.write_text(before)


@plant(STORED, "never-executed", "but iperf3 was executed 0 times")
def never_executed(site):
    log = site.directory / "executions"
    before = log.read_text()
    log.write_text("")
    yield
    log.write_text(before)


@contextlib.contextmanager
def logged(site, line):
    log = site.directory / "log"
    before = log.read_bytes()
    log.write_bytes(before + line)
    yield
    log.write_bytes(before)


def plant_log(name, word, line):
    STORED[name] = (word, lambda site: logged(site, line))


plant_log("sanitizer", "Sanitizer", b"==1==ERROR: AddressSanitizer: planted\n")
plant_log("aborted", "terminate called", b"terminate called after throwing an instance of 'std::runtime_error'\n")


@plant(STORED, "told-another-end", "its client ended with")
def told_another_end(site):
    """The client that followed the last job ended as if that had failed."""
    attempt = site.ledger.attempts[-1]
    before, attempt.told_end = attempt.told_end, 7
    yield
    attempt.told_end = before


@plant(STORED, "unheard", "runs were announced")
def unheard(site):
    before = dict(site.ledger.announced)
    site.ledger.announced.clear()
    yield
    site.ledger.announced.update(before)
