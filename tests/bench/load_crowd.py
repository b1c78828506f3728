# SPDX-License-Identifier: GPL-2.0-or-later
"""What many subscribers cost who ask a question a second each, while a run is traced."""

import multiprocessing
import pwd
import selectors
import statistics
import time

import bus
import load_growth
from own_daemon import flood, interval

SECONDS = 4.0
EVENTS = 100_000
CALLERS_OF_USER, CALLERS_OF_USERS = 16, 112  # that may subscribe at least, of one user and of all except root
QUESTIONS = {
    "GetRun": bus.make_call("GetRun", "t", 0),
    "Version": bus.make_call("Get", "ss", bus.MANAGER_INTERFACE, "Version", interface="org.freedesktop.DBus.Properties"),
    "ListRuns": bus.make_call("ListRuns", "a{sv}su", {}, "", 20),
}


def users(callers):
    """A user for each caller, whom the host knows, since the bus asks for that; root has what others may not have."""
    known = [user.pw_uid for user in pwd.getpwall() if user.pw_uid != 0][:CALLERS_OF_USERS // CALLERS_OF_USER]
    return [known[i // CALLERS_OF_USER] if i // CALLERS_OF_USER < len(known) else 0 for i in range(callers)]


class Caller:
    def __init__(self, address, uid):
        self.connection = bus.Connection(address, uid)
        self.connection.match(f"type='signal',sender='{bus.NETPERFD}'")
        self.connection.call(bus.make_call("Subscribe"))
        self.answers, self.errors, self.signals, self.waiting, self.late = 0, 0, 0, None, []

    def ask(self, question):
        if self.waiting is None:  # else it asks again once this one is answered
            self.waiting = time.monotonic()
            self.connection.send(question)

    def hear(self):
        self.connection.receive()
        while (data := self.connection.next_bytes()) is not None:
            if data[1] == bus.SIGNAL:
                self.signals += 1
                continue
            self.answers += data[1] == bus.ANSWER
            self.errors += data[1] == bus.ERROR
            self.late.append(time.monotonic() - self.waiting)
            self.waiting = None


def ask_again_and_again(address, callers, question, pipe):
    """The process of the crowd: asks from the first word in the pipe to the second one."""
    crowd = [Caller(address, uid) for uid in users(callers)]
    selector = selectors.DefaultSelector()
    selector.register(pipe, selectors.EVENT_READ)
    for caller in crowd:
        selector.register(caller.connection.socket, selectors.EVENT_READ, caller)
    pipe.send("subscribed")
    pipe.recv()
    begin, asked, ends = time.monotonic(), 0, False
    while not ends:
        while asked < (time.monotonic() - begin) * callers:
            crowd[asked % callers].ask(QUESTIONS[question])
            asked += 1
        wait = begin + asked / callers - time.monotonic()
        for key, _ in selector.select(max(wait, 0)):
            if key.data is None:
                ends = True
            else:
                key.data.hear()
    seconds = time.monotonic() - begin
    late = sorted(value for caller in crowd for value in caller.late)
    pipe.send((sum(caller.answers for caller in crowd) / seconds, sum(caller.errors for caller in crowd),
               sum(caller.signals for caller in crowd), statistics.median(late), late[int(len(late) * 0.99)]))


class Crowd:
    def __init__(self, netperfd, callers, question):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=ask_again_and_again, daemon=True,
                                               args=(str(netperfd.directory / "bus"), callers, question, other))
        self.process.start()
        other.close()  # so that its end is noticed
        self.pipe.recv()

    def begin(self):
        self.pipe.send("ask")

    def end(self):
        self.pipe.send("end")
        told = self.pipe.recv()
        self.process.join()
        return told


def traced_run(netperfd, callers, question):
    """(share of a CPU that the daemon takes, events, lost ones, what the crowd says) of a run of some seconds."""
    crowd = Crowd(netperfd, callers, question) if callers else None
    shares, told = [], []

    def meanwhile():
        if crowd:
            crowd.begin()
        begin, before = time.monotonic(), load_growth.cpu_seconds(netperfd.daemon.pid)
        flood(EVENTS)
        time.sleep(max(0.0, begin + SECONDS - time.monotonic()))
        shares.append((load_growth.cpu_seconds(netperfd.daemon.pid) - before) / (time.monotonic() - begin))
        if crowd:
            told.append(crowd.end())

    events, lost = netperfd.count_drops(meanwhile)
    return shares[0], events, lost, told[0] if told else None


def crowd(netperfd, callers, rounds, lock):
    """Rounds of two traced runs, one of them beside the crowd, for each kind of question."""
    with load_growth.network_namespace() as netns:
        jobs = load_growth.Jobs(netperfd, netns)
        for _ in range(20):
            jobs.run()
    for question in QUESTIONS:
        costs, alone, asked, events, lost, losing = [], [], [], 0, 0, 0
        with load_growth.locked(lock):
            for _ in range(rounds):
                quiet, *_ = traced_run(netperfd, 0, question)
                crowded, seen, missed, told = traced_run(netperfd, callers, question)
                alone.append(quiet)
                costs.append(crowded - quiet)
                asked.append(told)
                events, lost, losing = events + seen, lost + missed, losing + (missed > 0)
        low, high, level = interval(costs)
        rate, _, signals, median, late = (statistics.median(values) for values in zip(*asked))
        print(f"crowd: {callers} subscribers ask {question}, {rate:.0f} answers per second, {sum(told[1] for told in asked)} errors, "
              f"{signals:.0f} signals a run")
        print(f"  cost    {100 * statistics.median(costs):.2f} % of a CPU, {100 * level:.1f} % interval {100 * low:.2f} to "
              f"{100 * high:.2f}; the traced run alone {100 * statistics.median(alone):.2f} %")
        print(f"  answer  median {1e3 * median:.2f} ms, 99 % within {1e3 * late:.2f} ms")
        share = lost / (events + lost) if lost else 3 / events  # the rule of three
        print(f"  lost    {lost:,} of {events + lost:,} events in {losing} of {rounds} runs; {'share' if lost else 'by 95 % of cases below'} "
              f"{share:.1e}", flush=True)
