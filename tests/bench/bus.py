# SPDX-License-Identifier: GPL-2.0-or-later
"""A connection to the bus that costs its caller little: a message is made once and sent many times."""

import os
import socket
import struct

NETPERFD = "org.netperfd1"
MANAGER = "/org/netperfd1"
MANAGER_INTERFACE = "org.netperfd1.Manager"
BUS = "org.freedesktop.DBus"

CALL, ANSWER, ERROR, SIGNAL = 1, 2, 3, 4
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = range(1, 9)
FIXED = {"y": ("B", 1), "b": ("I", 4), "n": ("h", 2), "q": ("H", 2), "i": ("i", 4), "u": ("I", 4), "x": ("q", 8),
         "t": ("Q", 8), "d": ("d", 8), "h": ("I", 4)}
ALIGNMENT = {"s": 4, "o": 4, "g": 1, "a": 4, "v": 1, "(": 8, "{": 8} | {code: size for code, (_, size) in FIXED.items()}


class Failure(Exception):
    """An answer that is an error: its name, and its text."""


def end_of(signature, at):
    """Where the complete type that begins at `at` ends."""
    if signature[at] == "a":
        return end_of(signature, at + 1)
    if signature[at] not in "({":
        return at + 1
    at += 1
    while signature[at] not in ")}":
        at = end_of(signature, at)
    return at + 1


def types_of(signature):
    types, at = [], 0
    while at < len(signature):
        end = end_of(signature, at)
        types.append(signature[at:end])
        at = end
    return types


class Writer:
    def __init__(self):
        self.bytes = bytearray()

    def align(self, size):
        self.bytes += b"\0" * (-len(self.bytes) % size)

    def put(self, kind, value):
        self.align(ALIGNMENT[kind[0]])
        if kind[0] in FIXED:
            self.bytes += struct.pack("<" + FIXED[kind[0]][0], value)
        elif kind[0] in "so":
            text = value.encode()
            self.bytes += struct.pack("<I", len(text)) + text + b"\0"
        elif kind[0] == "g":
            self.bytes += bytes([len(value)]) + value.encode() + b"\0"
        elif kind[0] == "v":  # (signature, value)
            self.put("g", value[0])
            self.put(*value)
        elif kind[0] == "a":
            self.put_array(kind[1:], value)
        else:
            for each, member in zip(types_of(kind[1:-1]), value):
                self.put(each, member)

    def put_array(self, kind, values):
        length_at = len(self.bytes)
        self.bytes += b"\0\0\0\0"
        self.align(ALIGNMENT[kind[0]])
        begin = len(self.bytes)
        for value in values.items() if isinstance(values, dict) else values:
            self.put(kind, value)
        struct.pack_into("<I", self.bytes, length_at, len(self.bytes) - begin)


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, kind):
        code = kind[0]
        self.at += -self.at % ALIGNMENT[code]
        if code in FIXED:
            form, size = FIXED[code]
            (value,) = struct.unpack_from("<" + form, self.data, self.at)
            self.at += size
            return value
        if code in "sog":
            length = self.take("y" if code == "g" else "u")
            text = self.data[self.at:self.at + length].decode()
            self.at += length + 1
            return text
        if code == "v":
            return self.take(self.take("g"))
        if code == "a":
            return self.take_array(kind[1:])
        return tuple(self.take(each) for each in types_of(kind[1:-1]))

    def take_array(self, kind):
        length = self.take("u")
        self.at += -self.at % ALIGNMENT[kind[0]]
        end = self.at + length
        values = []
        while self.at < end:
            values.append(self.take(kind))
        return dict(values) if kind[0] == "{" else values


class Message:
    def __init__(self, data):
        self.kind = data[1]
        reader = Reader(data, 12)
        self.fields = dict(reader.take("a(yv)"))
        reader.at += -reader.at % 8
        self.body = [reader.take(kind) for kind in types_of(self.fields.get(SIGNATURE, ""))]


def make_call(member, signature="", *values, path=MANAGER, interface=MANAGER_INTERFACE, destination=NETPERFD):
    """A call as bytes, whose serial Connection.send() sets."""
    body = Writer()
    for kind, value in zip(types_of(signature), values):
        body.put(kind, value)
    fields = [(PATH, ("o", path)), (INTERFACE, ("s", interface)), (MEMBER, ("s", member)), (DESTINATION, ("s", destination))]
    if signature:
        fields.append((SIGNATURE, ("g", signature)))
    head = Writer()
    head.bytes += struct.pack("<cBBBII", b"l", CALL, 0, 1, len(body.bytes), 0)
    head.put("a(yv)", fields)
    head.align(8)
    return head.bytes + body.bytes


PING = make_call("Ping", interface="org.freedesktop.DBus.Peer")


class Connection:
    """As the user `uid`, whom the host has to know."""

    def __init__(self, address, uid=0):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        os.seteuid(uid)  # the bus asks the kernel who connects
        try:
            self.socket.connect(address)
        finally:
            os.seteuid(0)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(uid).encode().hex().encode() + b"\r\n")
        assert self.socket.recv(4096).startswith(b"OK")
        self.socket.sendall(b"BEGIN\r\n")
        self.serial, self.received, self.signals = 0, bytearray(), []
        self.name = self.call(make_call("Hello", path="/org/freedesktop/DBus", interface=BUS, destination=BUS))[0]

    def send(self, call):
        self.serial += 1
        struct.pack_into("<I", call, 8, self.serial)
        self.socket.sendall(call)
        return self.serial

    def next_bytes(self):
        """The next message, as bytes, if it has come whole."""
        if len(self.received) < 16:
            return None
        body, _, fields = struct.unpack_from("<III", self.received, 4)
        length = 16 + fields + -fields % 8 + body
        if len(self.received) < length:
            return None
        data = bytes(self.received[:length])
        del self.received[:length]
        return data

    def receive(self):
        """Waits for more bytes."""
        more = self.socket.recv(1 << 18)
        if not more:
            raise ConnectionError("the bus has closed the connection")
        self.received += more

    def next_message(self):
        while (data := self.next_bytes()) is None:
            self.receive()
        return Message(data)

    def answer(self, serial):
        """The values that answer a call."""
        while True:
            message = self.next_message()
            if message.kind == SIGNAL:
                self.signals.append(message)
            elif message.fields.get(REPLY_SERIAL) == serial:
                if message.kind == ERROR:
                    raise Failure(message.fields[ERROR_NAME], *message.body[:1])
                return message.body

    def call(self, call):
        return self.answer(self.send(call))

    def is_answered(self, call):
        """Waits for the answer but does not read it; whether it is one."""
        self.send(call)
        while True:
            while (data := self.next_bytes()) is None:
                self.receive()
            if data[1] in (ANSWER, ERROR):
                return data[1] == ANSWER

    def match(self, rule):
        self.call(make_call("AddMatch", "s", rule, path="/org/freedesktop/DBus", interface=BUS, destination=BUS))

    def next_signal(self, member):
        """Waits for it: its values."""
        while True:
            while self.signals:
                message = self.signals.pop(0)
                if message.fields.get(MEMBER) == member:
                    return message.body
            message = self.next_message()
            if message.kind == SIGNAL:
                self.signals.append(message)

    def close(self):
        self.socket.close()
