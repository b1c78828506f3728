# SPDX-License-Identifier: GPL-2.0-or-later
"""Documents of iperf3 by kind, made from recordings by known changes.

Each has the truth that a reader must tell of it: what it measured, or why it is refused. The truth is computed
here from the recording before it is changed, not by netperfd.
"""

import copy
import dataclasses
import json
import pathlib
import random


@dataclasses.dataclass
class Document:
    kind: str
    name: str
    data: bytes
    # What was measured: protocol, direction, and by direction the bytes sent and received, or None where nothing can
    # be known. Absent: it is refused.
    truth: dict | None = None
    flags: tuple = ()  # that must be raised
    reason: str = ""  # a regular expression that the message of a refusal matches
    more: tuple = ()  # the truths of further runs in it


def text(document):
    return json.dumps(document, indent="\t").encode() + b"\n"


def stream(document):
    lines = [{"event": "start", "data": document["start"]}]
    lines += [{"event": "interval", "data": interval} for interval in document["intervals"]]
    lines += [{"event": "end", "data": document["end"]}]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def indented_stream(document):
    events = [json.loads(line) for line in stream(document).splitlines()]
    return "".join(json.dumps(event, indent=2, sort_keys=len(events) % 2 == 0) + "\n" for event in events).encode()


def prefixed(data, prefix):
    """As a log keeps it: `prefix` is formatted with a number that grows from line to line."""
    return "".join(prefix.format(5 + 0.25 * i) + line + "\n" for i, line in enumerate(data.decode().splitlines())).encode()


def truth_of(document):
    """What a client's document of 3.11 or later tells."""
    test, end = document["start"]["test_start"], document["end"]
    both = "sum_sent_bidir_reverse" in end
    direction = "both" if both else "receive" if test["reverse"] else "send"
    sums = {}
    groups = [("", "send"), ("_bidir_reverse", "receive")] if both else [("", direction)]
    for suffix, name in groups:
        sent, received = end["sum_sent" + suffix], end["sum_received" + suffix]
        sums[name] = {"sent": sent["bytes"], "received": received["bytes"]}
        if test["protocol"] == "TCP":
            sums[name]["retransmits"] = sent.get("retransmits")
    return {"protocol": test["protocol"].lower(), "direction": direction, "sums": sums}


def truth_of_server(document):
    """The same for a server's, which has only counted its own side."""
    truth = truth_of(document)
    for direction, figures in truth["sums"].items():
        figures["sent" if direction == "send" else "received"] = None
        if direction == "send" and "retransmits" in figures:
            figures["retransmits"] = None
    return truth


class Corpus:
    def __init__(self, recordings):
        self.directory = pathlib.Path(recordings)
        self.documents = []
        self.sound = {}  # name -> document
        self.random = random.Random(18)

    def versions(self):
        return sorted(path.name for path in self.directory.iterdir() if path.name[0].isdigit() and "-to-" not in path.name)

    def add(self, kind, name, data, truth=None, flags=(), reason="", more=()):
        self.documents.append(Document(kind, name.replace("/", "_"), data, truth, flags, reason, more))

    def load(self):
        for version in self.versions():
            for case in ("tcp-send", "tcp-receive", "tcp-both", "tcp-send-4", "tcp-receive-4", "tcp-omit",
                         "tcp-omit-receive", "tcp-interval", "udp-send", "udp-receive", "udp-both", "udp-send-4",
                         "udp-loss", "udp-loss-receive"):
                path = self.directory / version / (case + ".out")
                self.sound[f"{version}/{case}"] = json.loads(path.read_bytes())

    def changed(self, kind, change, reason="", flags=(), only=lambda name: True, write=text):
        """A document of this kind from each sound one. `change` changes the document and its truth."""
        for name, document in self.sound.items():
            if not only(name):
                continue
            document = copy.deepcopy(document)
            truth = truth_of(document)
            if change(document, truth) is False:
                continue
            self.add(kind, name, write(document), None if reason else truth, flags, reason)


def sums_of(document):
    return [(key, value) for key, value in document["end"].items() if key.startswith("sum")]


def rows_of(document):
    for interval in document["intervals"]:
        yield from interval["streams"]
        yield from (interval[key] for key in ("sum", "sum_bidir_reverse") if key in interval)


def figures_of(document):
    yield from rows_of(document)
    yield from (value for _, value in sums_of(document))
    for one in document["end"]["streams"]:
        yield from one.values()


def is_tcp(name):
    return "/tcp" in name


def is_single(name):
    return "both" not in name


def sends(name):
    return is_single(name) and "receive" not in name


def add_sound(corpus):
    corpus.changed("as recorded", lambda document, truth: None)
    corpus.changed("on one line", lambda document, truth: None, write=lambda d: json.dumps(d).encode())
    corpus.changed("keys sorted", lambda document, truth: None, only=is_tcp,
                   write=lambda d: json.dumps(d, indent=1, sort_keys=True).encode())
    corpus.changed("as a stream", lambda document, truth: None, write=stream)
    corpus.changed("lines end with CR LF", lambda document, truth: None, only=is_tcp,
                   write=lambda d: text(d).replace(b"\n", b"\r\n"))
    corpus.changed("wrapped by a tool", lambda document, truth: None, only=is_tcp,
                   write=lambda d: json.dumps({"host": "a", "result": d}, indent=2).encode())
    corpus.changed("a list of one", lambda document, truth: None, only=is_tcp,
                   write=lambda d: json.dumps([d], indent=2).encode())
    corpus.changed("in a list of objects", lambda document, truth: None,
                   write=lambda d: json.dumps([{"time": "1", "data": {"bandwidth": "10M", "results": d}}], indent=1).encode())
    corpus.changed("the same twice", lambda document, truth: None, only=is_tcp, write=lambda d: text(d) * 2)


def full_output(document):
    """What 3.20 prints with --json-stream-full-output."""
    return stream(document) + text(document)


def add_several(corpus):
    reason = "documents of [0-9]+ runs"
    names = list(corpus.sound)
    for i, name in enumerate(names):
        first, second = corpus.sound[name], corpus.sound[names[(i + 3) % len(names)]]
        for kind, data in (("documents", text(first) + text(second)), ("streams", stream(first) + stream(second)),
                           ("a list", json.dumps([first, second]).encode()),
                           ("wrapped", json.dumps({"b": {"x": first}, "a": [second]}).encode()),
                           ("prefixed", prefixed(text(first) + text(second), "[2024-05-01T10:00:{:06.3f}Z] ")),
                           ("through jq", indented_stream(first) + indented_stream(second))):
            corpus.add("two runs: " + kind, name, data, truth_of(first), more=(truth_of(second),))
        one = truth_of(first), truth_of(second)
        corpus.add("two runs: stream and document", name, stream(first) + text(second), one[0], more=one[1:])
        # The events come first, whatever the order.
        corpus.add("two runs: document and stream", name, text(first) + stream(second), one[1], more=one[:1])
        whole = text(second)
        corpus.add("two runs: the second cut off", name, text(first) + whole[: len(whole) // 2], reason=reason)
        whole = text(first)
        corpus.add("two runs: the first cut off", name, whole[: len(whole) // 2] + b"\n" + text(second),
                   reason=reason)
        lines = stream(first).splitlines(keepends=True)
        corpus.add("two runs: a stream that was killed", name, b"".join(lines[:-1]) + stream(second), reason=reason)
    corpus.changed("a stream with its full output", lambda document, truth: None, write=full_output)


def add_impossible(corpus):
    def received_above(document, truth):
        far = document["end"]["sum_received"]
        if 3 * far["bytes"] <= document["end"]["sum_sent"]["bytes"]:
            return False
        far["bytes"] *= 3
        far["bits_per_second"] *= 3
        for figures in truth["sums"].values():
            figures["received"] = None

    def silent(document, truth):
        document["end"]["sum_received"].update(bytes=0, bits_per_second=0, lost_packets=0, packets=0)
        for one in document["end"]["streams"]:
            one["udp"]["lost_packets"] = 0
        truth["sums"]["send"]["received"] = None

    def wrapped(document, truth):
        for _, figures in sums_of(document):
            if "retransmits" in figures:
                figures["retransmits"] = 4294967294
        for one in document["end"]["streams"]:
            one["sender"]["retransmits"] = 4294967294
        truth["sums"]["send"]["retransmits"] = None

    def wrapped_everywhere(document, truth):
        wrapped(document, truth)
        for row in rows_of(document):
            row["retransmits"] = 4294967294
        truth["sums"]["send"]["retransmits"] = None

    def jitter(document, truth):
        for figures in figures_of(document):
            if "jitter_ms" in figures:
                figures["jitter_ms"] = 365.25 * 86400e3
        for figures in truth["sums"].values():
            figures["jitter_ms"] = None

    def rate(document, truth):
        for _, figures in sums_of(document):
            figures["bits_per_second"] = 1e24

    def bytes_beyond(document, truth):
        for key, figures in sums_of(document):
            if key.startswith("sum_received") or key == "sum_received":
                figures["bytes"] = 9_000_000_000_000_000_000
        # TCP's streams and the rate tell what arrived.
        for figures in truth["sums"].values():
            figures["received"] = figures["received"] if truth["protocol"] == "tcp" else None

    impossible = ("impossible-figures",)
    corpus.changed("received above sent", received_above, flags=impossible, only=sends)
    corpus.changed("0 received and 0 lost", silent, flags=impossible,
                   only=lambda name: sends(name) and "/udp" in name)
    corpus.changed("wrapped retransmits", wrapped, flags=impossible, only=lambda name: sends(name) and is_tcp(name))
    corpus.changed("wrapped retransmits, intervals too", wrapped_everywhere, flags=impossible,
                   only=lambda name: sends(name) and is_tcp(name))
    corpus.changed("a jitter of a year", jitter, flags=impossible, only=lambda name: "/udp" in name)
    corpus.changed("a rate without its bytes", rate)
    corpus.changed("more bytes than exist", bytes_beyond, flags=impossible,
                   only=lambda name: sends(name) and not is_tcp(name))
    corpus.changed("more bytes than exist, but not in the streams", bytes_beyond, flags=("sums-disagree",),
                   only=lambda name: sends(name) and is_tcp(name))


def add_no_start(corpus):
    reason = "no `start`"
    corpus.changed("without start", lambda document, truth: document.pop("start") and None, reason=reason)
    corpus.changed("without test_start", lambda document, truth: document["start"].pop("test_start") and None,
                   reason=reason)
    corpus.changed("a stream without start", lambda document, truth: None, reason=reason,
                   write=lambda d: b"".join(stream(d).splitlines(keepends=True)[1:]))


def add_servers(corpus):
    for path in sorted(corpus.directory.glob("of-server/*/*.out")):
        data = path.read_bytes()
        name = f"{path.parent.name}/{path.stem}"
        if path.stem == "client-killed":
            corpus.add("a server's, failed", name, data, reason="client (has|went) .*iperf3 says")
            continue
        document = unstream(data) if path.stem.startswith("stream-") else json.loads(data)
        corpus.add("a server's", name, data, truth_of_server(document), ("server-document",))


def unstream(data):
    document = {"intervals": []}
    for line in data.splitlines():
        event = json.loads(line)
        if event["event"] == "interval":
            document["intervals"].append(event["data"])
        else:
            document[event["event"]] = event["data"]
    return document


def add_encodings(corpus):
    def encoded(encoding, mark=b""):
        return lambda d: mark + text(d).decode().encode(encoding)

    nothing = lambda document, truth: None  # noqa: E731
    corpus.changed("UTF-8 with a mark", nothing, write=encoded("utf-8", b"\xef\xbb\xbf"))
    corpus.changed("UTF-16 with a mark", nothing, write=encoded("utf-16"))
    corpus.changed("UTF-16, big-endian", nothing, only=is_tcp, write=encoded("utf-16-be", b"\xfe\xff"))
    corpus.changed("UTF-16 without a mark", nothing, only=is_tcp, write=encoded("utf-16-le"))
    corpus.changed("a stream in UTF-16", nothing, only=is_tcp,
                   write=lambda d: stream(d).decode().encode("utf-16"))

    def titled(document):
        return text({"title": "TITLE", **document}).replace(b"TITLE", b"M\xfcnchen \xff\xc3")

    corpus.changed("a title that is not UTF-8", nothing, flags=("replaced-bytes",), write=titled)
    corpus.changed("a stream with such a title", nothing, only=is_tcp, flags=("replaced-bytes",),
                   write=lambda d: stream({**d, "start": {**d["start"], "extra": "TITLE"}}).replace(
                       b"TITLE", b"M\xfcnchen"))


def add_odd_values(corpus):
    def null_rates(document, truth):
        for figures in figures_of(document):
            figures["bits_per_second"] = None

    def no_interval_sums(document, truth):
        for interval in document["intervals"]:
            interval.pop("sum", None)
            interval.pop("sum_bidir_reverse", None)

    def no_intervals(document, truth):
        document["intervals"] = []

    def first_interval(document, truth):
        document["intervals"] = document["intervals"][:1]

    def as_texts(document, truth):
        for figures in figures_of(document):
            for key, value in figures.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    figures[key] = str(value)
        test = document["start"]["test_start"]
        for key, value in test.items():
            test[key] = str(value)

    def as_numbers(document, truth):
        for figures in figures_of(document):
            for key, value in figures.items():
                if isinstance(value, bool):
                    figures[key] = int(value)

    def says_sender(document, truth):
        for key, figures in sums_of(document):
            figures["sender"] = True

    def says_sender_everywhere(document, truth):
        for figures in figures_of(document):
            figures["sender"] = True

    receives = lambda name: is_single(name) and "receive" in name  # noqa: E731
    corpus.changed("rates are null", null_rates)
    corpus.changed("intervals without sums", no_interval_sums)
    corpus.changed("no intervals", no_intervals, flags=("missing-intervals",),
                   only=lambda name: is_single(name) and is_tcp(name))
    corpus.changed("only the first interval", first_interval, flags=("missing-intervals",),
                   only=lambda name: is_single(name) and is_tcp(name))
    corpus.changed("numbers as texts", as_texts)
    corpus.changed("0 and 1 for false and true", as_numbers)
    corpus.changed("-R with sum.sender true", says_sender, only=receives)
    corpus.changed("-R with sender true everywhere", says_sender_everywhere, only=receives)
    corpus.changed("nan for a rate", lambda document, truth: document["end"]["sum_sent"].update(bits_per_second="NAN"),
                   flags=("repaired-tokens",), write=lambda d: text(d).replace(b'"NAN"', b"-nan"))


def add_wrappers(corpus):
    """What tools make of a document: a log's prefixes, a text in their own JSON, a line in each record."""
    around = ("text-around-document",)
    nothing = lambda document, truth: None  # noqa: E731
    for what, prefix in (("a time in brackets", "[2024-05-01T10:00:{:06.3f}Z] "), ("a time", "2024-05-01T10:{:010.7f}Z "),
                         ("a container's name", "iperf-1  | "), ("syslog", "May  1 10:00:{:02.0f} dut iperf3[4711]: "),
                         ("a line's number", "{:6.0f}\t"), ("grep", "result.json:{:.0f}:"), ("colours", "\x1b[36mdut |\x1b[0m "),
                         ("a quote", "> "), ("Kubernetes", "2024-05-01T10:00:{:.2f}Z stdout F ")):
        corpus.changed("lines behind " + what, nothing, only=is_tcp, flags=around,
                       write=lambda d, prefix=prefix: b"Building\n" + prefixed(b"starting\n" + text(d) + b"done\n", prefix))
        corpus.changed("events behind " + what, nothing, only=is_tcp, flags=around,
                       write=lambda d, prefix=prefix: prefixed(stream(d), prefix))
    for what, before in (("an interrupt's echo", b"^C"), ("a prompt", b"user@dut:~$ "), ("a name", b"ok: [dut] => "),
                         ("an assignment", b"result = ")):
        corpus.changed("behind " + what, nothing, only=is_tcp, flags=around, write=lambda d, before=before: before + text(d))
        corpus.changed("on a line behind " + what, nothing, only=is_tcp, flags=around,
                       write=lambda d, before=before: b"PLAY ***\n" + before + json.dumps(d).encode() + b"\nPLAY RECAP\n")
    corpus.changed("indented in text", nothing, only=is_tcp, flags=around,
                   write=lambda d: b"output:\n" + b"".join(b"    " + line + b"\n" for line in text(d).splitlines()))
    for what, wrap in (("stdout", lambda out: {"rc": 0, "stdout": out, "stderr": ""}),
                       ("stdout and its lines", lambda out: {"stdout": out, "stdout_lines": out.splitlines()}),
                       ("lines alone", lambda out: {"stdout_lines": out.splitlines()}),
                       ("a list of results", lambda out: {"results": [{"item": 1, "stdout": out}]}),
                       ("a list", lambda out: [{"host": "dut", "result": {"out": out}}]),
                       ("a text in a text", lambda out: {"log": json.dumps({"stdout": out})})):
        corpus.changed("in a text of JSON: " + what, nothing, write=lambda d, wrap=wrap: json.dumps(wrap(text(d).decode())).encode())
        corpus.changed("a stream in a text of JSON: " + what, nothing, only=is_tcp,
                       write=lambda d, wrap=wrap: json.dumps(wrap(stream(d).decode()), indent=2).encode())
    for key in ("log", "MESSAGE", "message"):
        corpus.changed("a record of a log for each line: " + key, nothing, only=is_tcp,
                       write=lambda d, key=key: b"".join(
                           json.dumps({key: line + ("\n" if key == "log" else ""), "time": i}).encode() + b"\n"
                           for i, line in enumerate(text(d).decode().splitlines())))
    corpus.changed("a stream through jq", nothing, write=indented_stream)
    corpus.changed("a stream as a list", nothing, only=is_tcp,
                   write=lambda d: json.dumps([json.loads(line) for line in stream(d).splitlines()]).encode())


def debug(lines):
    objects = '{\n\t"tcp":\ttrue,\n\t"time":\t2\n}\n'
    return ("noparse\nsend_parameters:\n" + objects
            + "".join(f"sent 131072 bytes of 131072, pending 0, total {131072 * i}\n" for i in range(lines))
            + "send_results\n" + objects).encode()


def add_surroundings(corpus):
    for lines in (10, 1_500, 40_000):
        data = debug(lines)
        corpus.changed(f"{len(data) // 1000} KB of debug output before it", lambda document, truth: None,
                       only=lambda name: "tcp-send-4" in name or "udp-send-4" in name or lines == 1_500,
                       flags=("text-around-document",), write=lambda d, data=data: data + text(d))
    corpus.changed("many objects before it", lambda document, truth: None, only=lambda name: "send-4" in name,
                   flags=("text-around-document",),
                   write=lambda d: b'{"tcp": true}\nfunction(a, b) {\n call();\n}\n' * 200 + text(d))
    corpus.changed("a warning behind it", lambda document, truth: None, only=is_tcp, flags=("text-around-document",),
                   write=lambda d: text(d) + b"warning: this system does not seem to support IPv6\n")


def add_no_documents(corpus):
    for name, document in corpus.sound.items():
        whole = text(document)
        for share in (3, 5, 9):
            corpus.add("cut off", f"{name}-{share}", whole[: len(whole) * share // 10],
                       reason="ends in the middle")
        corpus.add("a stream cut off", name, stream(document)[:-200], reason="ends in the middle|no `end` event")
    people = (b"Connecting to host 10.0.0.2, port 5201\n[  5] local 10.0.0.1 port 1 connected to 10.0.0.2 port 5201\n"
              b"[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
              b"[  5]   0.00-1.00   sec  1.10 GBytes  9.41 Gbits/sec    0   3.00 MBytes\n")
    corpus.add("for people", "text", people, reason="ends here without its sums")
    corpus.add("other JSON", "object", b'{\n  "name": 1\n}\n', reason="none of iperf3's keys|no document of iperf3")
    corpus.add("other JSON", "start", b'{\n  "start": 1,\n "stop": {}\n}\n', reason="no document of iperf3")
    corpus.add("other JSON", "events", b'{"event":"login","data":{}}\n', reason="no `end` event|no document of iperf3")
    corpus.add("other JSON", "list", b'[{"start": 1}]', reason="no document of iperf3")
    corpus.add("a quoted mail", "trace", b"> # tracer: function_graph\n> #\n> # CPU  DURATION                  FUNCTION CALLS\n"
               b">  0)               |  ip_rcv() {\n>  0)   1.000 us    |    ip_rcv_core();\n>  0)   3.000 us    |  }\n",
               reason="quoted mail")
    corpus.add("empty", "blank", b"\n \n", reason="nothing in it")
    corpus.add("binary", "elf", b"\x7fELF\2\1\1\0" + b"\0" * 64, reason="begins with the bytes")
    errors = {"refused": "refused the connection", "unknown-host": "name of the server", "sctp": "no (SCTP|such protocol)",
              "unreachable": "no route", "server-terminated": "told to stop", "busy-server": "busy with another",
              "server-killed": "server went away", "wrong-bind": "own address", "link-down-own": "no byte moved",
              "client-sigterm": "told to stop|no byte moved"}
    for version in corpus.versions():
        for case, reason in errors.items():
            for prefix in ("", "stream-"):
                path = corpus.directory / version / f"{prefix}{case}.out"
                if path.exists() and path.stat().st_size > 0:
                    corpus.add("of a test that failed", f"{version}/{prefix}{case}", path.read_bytes(),
                               reason=reason + r".*iperf3 says \"[a-zA-Z]")
    bare = {"start": {"connected": [], "version": "iperf 3.12"}, "intervals": [], "end": {}, "error": "x"}
    for words in ("unable to connect to server - server may have stopped running: Connection refused",
                  "unable to connect stream: Protocol not supported"):
        corpus.add("of a test that failed, without its server", words[-12:], text({**bare, "error": words}),
                   reason=r"^(?!.*(unknown|5201|no TCP)).*iperf3 says \"unable")


def make(recordings):
    corpus = Corpus(recordings)
    corpus.load()
    for add in (add_sound, add_several, add_impossible, add_no_start, add_servers, add_encodings, add_odd_values, add_wrappers,
                add_surroundings, add_no_documents):
        add(corpus)
    return corpus.documents
