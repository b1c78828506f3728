# SPDX-License-Identifier: GPL-2.0-or-later
"""D-Bus as far as the chaos needs it: calls with any arguments, replies, signals. Also what no library would send."""

import os
import socket
import struct

ALIGNMENT = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "b": 4, "i": 4, "u": 4, "s": 4, "o": 4, "a": 4, "h": 4,
             "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
NUMBERS = {"y": "B", "n": "h", "q": "H", "b": "I", "i": "i", "u": "I", "h": "I", "x": "q", "t": "Q", "d": "d"}
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE, DESCRIPTORS = range(1, 10)


def first_type(signature):
    """The first complete type of the signature, and the rest."""
    if signature[0] == "a":
        inner, rest = first_type(signature[1:])
        return "a" + inner, rest
    if signature[0] not in "({":
        return signature[0], signature[1:]
    depth = 0
    for place, letter in enumerate(signature):
        depth += letter in "({"
        depth -= letter in ")}"
        if depth == 0:
            return signature[:place + 1], signature[place + 1:]
    raise ValueError(signature)


def types_of(signature):
    types = []
    while signature:
        kind, signature = first_type(signature)
        types.append(kind)
    return types


def pad(out, alignment):
    out.extend(b"\0" * (-len(out) % alignment))


def put(out, kind, value):
    pad(out, ALIGNMENT[kind[0]])
    if kind in NUMBERS:
        out.extend(struct.pack("<" + NUMBERS[kind], value))
    elif kind in "so":
        data = value.encode() if isinstance(value, str) else value
        out.extend(struct.pack("<I", len(data)) + data + b"\0")
    elif kind == "g":
        out.extend(bytes([len(value)]) + value.encode() + b"\0")
    elif kind == "v":
        put(out, "g", value[0])
        put(out, value[0], value[1])
    elif kind[0] == "a":
        place = len(out)
        out.extend(b"\0\0\0\0")
        pad(out, ALIGNMENT[kind[1]])
        start = len(out)
        for item in value.items() if isinstance(value, dict) else value:
            put(out, kind[1:], item)
        out[place:place + 4] = struct.pack("<I", len(out) - start)
    else:
        for part, item in zip(types_of(kind[1:-1]), value):
            put(out, part, item)


def get(data, place, kind):
    """(value, place after it)."""
    place += -place % ALIGNMENT[kind[0]]
    if kind in NUMBERS:
        size = struct.calcsize(NUMBERS[kind])
        return struct.unpack_from("<" + NUMBERS[kind], data, place)[0], place + size
    if kind in "so":
        size = struct.unpack_from("<I", data, place)[0]
        return data[place + 4:place + 4 + size].decode(errors="replace"), place + 5 + size
    if kind == "g":
        size = data[place]
        return data[place + 1:place + 1 + size].decode(), place + 2 + size
    if kind == "v":
        inner, place = get(data, place, "g")
        return get(data, place, inner)
    if kind[0] == "a":
        size = struct.unpack_from("<I", data, place)[0]
        place += 4
        place += -place % ALIGNMENT[kind[1]]
        end, items = place + size, []
        while place < end:
            item, place = get(data, place, kind[1:])
            items.append(item)
        return items, place
    items = []
    for part in types_of(kind[1:-1]):
        item, place = get(data, place, part)
        items.append(item)
    return tuple(items), place


def message(kind, serial, fields, signature="", values=(), flags=0):
    body = bytearray()
    for part, value in zip(types_of(signature), values):
        put(body, part, value)
    if signature:
        fields = fields + [(SIGNATURE, ("g", signature))]
    out = bytearray(struct.pack("<cBBBII", b"l", kind, flags, 1, len(body), serial))
    put(out, "a(yv)", fields)
    pad(out, 8)
    return bytes(out + body)


class Message:
    def __init__(self, kind, fields, body):
        self.kind, self.fields, self.body = kind, fields, body

    def values(self):
        place, values = 0, []
        for part in types_of(self.fields.get(SIGNATURE, "")):
            value, place = get(self.body, place, part)
            values.append(value)
        return values


class Connection:
    """Of the user of this process."""

    def __init__(self, path, timeout=20.0):
        self.serial = 0
        self.received = bytearray()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self.socket.recv(1024).startswith(b"OK"):
            raise ConnectionError("the bus refused EXTERNAL")
        self.socket.sendall(b"NEGOTIATE_UNIX_FD\r\n")
        if not self.socket.recv(1024).startswith(b"AGREE_UNIX_FD"):
            raise ConnectionError("the bus passes no descriptors")
        self.socket.sendall(b"BEGIN\r\n")
        self.name = self.call(*BUS, "Hello").values()[0]

    def put(self, kind, fields, signature="", values=(), flags=0, descriptors=()):
        self.serial += 1
        if descriptors:
            fields = fields + [(DESCRIPTORS, ("u", len(descriptors)))]
        whole = message(kind, self.serial, fields, signature, values, flags)
        if descriptors:
            socket.send_fds(self.socket, [whole[:1]], descriptors)
            whole = whole[1:]
        self.socket.sendall(whole)
        return self.serial

    def send(self, destination, path, interface, member, signature="", values=(), flags=0, descriptors=()):
        fields = [(PATH, ("o", path)), (INTERFACE, ("s", interface)), (MEMBER, ("s", member)), (DESTINATION, ("s", destination))]
        return self.put(CALL, fields, signature, values, flags, descriptors)

    def signal(self, destination, path, interface, member, signature="", values=(), descriptors=()):
        """To everybody if the destination is empty."""
        fields = [(PATH, ("o", path)), (INTERFACE, ("s", interface)), (MEMBER, ("s", member))]
        fields += [(DESTINATION, ("s", destination))] if destination else []
        return self.put(SIGNAL, fields, signature, values, 1, descriptors)

    def reply(self, kind, destination, serial, signature="", values=(), descriptors=()):
        """To a call that this connection may never have got."""
        fields = [(REPLY_SERIAL, ("u", serial)), (DESTINATION, ("s", destination))]
        fields += [(ERROR_NAME, ("s", "org.netperfd1.Error.Forged"))] if kind == ERROR else []
        return self.put(kind, fields, signature, values, 1, descriptors)

    def call(self, *words, **more):
        serial = self.send(*words, **more)
        while True:
            answer = self.receive()
            if answer.fields.get(REPLY_SERIAL) == serial:
                return answer

    def match(self, rule):
        self.call(*BUS, "AddMatch", "s", [rule])

    def owner_of(self, name):
        answer = self.call(*BUS, "GetNameOwner", "s", [name])
        return answer.values()[0] if answer.kind == RETURN else ""

    def fill(self, size):
        while len(self.received) < size:
            got = self.socket.recv(65536)
            if not got:
                raise ConnectionError("the bus closed the connection")
            self.received.extend(got)

    def receive(self):
        self.fill(16)
        body, _, fields = struct.unpack_from("<III", self.received, 4)
        head = 16 + fields
        head += -head % 8
        self.fill(head + body)
        whole = bytes(self.received[:head + body])
        del self.received[:head + body]
        return Message(whole[1], dict(get(whole, 12, "a(yv)")[0]), whole[head:])

    def close(self):
        self.socket.close()
