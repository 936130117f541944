"""A client of `carom view`: enough of HTTP and RFC 6455 to watch a simulation and to meddle with it."""
import base64
import json
import os
import re
import socket
import struct
import time

FIGURES = 22  # of a frame, docs/viewer.md


def http(port, path="/", method="GET", headers=(), host=None):
    """Status and body of a request."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as stream:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Connection: close", *headers]
        stream.sendall("\r\n".join(lines + ["", ""]).encode())
        data = b""
        while part := stream.recv(65536):
            data += part
    head, _, body = data.partition(b"\r\n\r\n")
    found = re.match(rb"HTTP/1\.1 (\d+)", head)
    return int(found.group(1)) if found else 0, body


class Refused(Exception):
    """The server did not take the connection for a WebSocket."""


class Client:
    """A connection. Frames are decoded where they come; the newest state is in `state`."""

    def __init__(self, port, path="/live", origin=None, host=None, sizes=None):
        host = host or f"127.0.0.1:{port}"
        self.sizes, self.data, self.state, self.errors, self.frame, self.count = sizes, b"", {}, [], None, 0
        self.acknowledges = True
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if origin != "":
            lines.append(f"Origin: {origin or 'http://' + host}")
        self.stream.sendall("\r\n".join(lines + ["", ""]).encode())
        while b"\r\n\r\n" not in self.data:
            part = self.stream.recv(65536)
            if not part:
                raise Refused(self.data)
            self.data += part
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise Refused(head)

    def close(self):
        self.stream.close()

    def send_bytes(self, payload, opcode=1):
        mask = os.urandom(4)
        size = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
        self.stream.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def send(self, **message):
        self.send_bytes(json.dumps(message).encode())

    def read(self, size):
        while len(self.data) < size:
            part = self.stream.recv(1 << 20)
            if not part:
                raise EOFError
            self.data += part
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def receive(self):
        """One message of the server."""
        first, size = self.read(2)
        if size == 126:
            size, = struct.unpack(">H", self.read(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.read(8))
        payload, opcode = self.read(size), first & 15
        if opcode == 2:
            self.frame = self.decode(payload)
            self.count += 1
            if self.acknowledges:
                self.send(do="seen", frame=self.frame["serial"])
        elif opcode == 1:
            message = json.loads(payload)
            if message["is"] == "error":
                self.errors.append(message["text"])
            else:
                self.state = message
        elif opcode == 8:
            raise EOFError(payload[2:].decode())
        return opcode

    def until(self, condition, seconds=20):
        """Receives until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"state {self.state}, frame {self.frame and self.frame['time']}")
            self.receive()

    def decode(self, data):
        """A frame, checked to the last byte."""
        bodies, num_q, num_v, num_ctrl = self.sizes
        at = 0

        def take(form, count=1):
            nonlocal at
            values = struct.unpack_from(f"<{count}{form}", data, at)
            at += struct.calcsize(f"<{count}{form}")
            return values
        form, serial, run, _ = take("I", 4)
        assert form == 4
        frame = {"serial": serial, "run": run, "time": take("d")[0], "figures": take("f", FIGURES)}
        frame["poses"] = take("f", 7 * (bodies - 1))
        frame["q"], frame["v"], frame["ctrl"] = take("f", num_q), take("f", num_v), take("f", num_ctrl)
        frame["contacts"] = [take("I", 3) + take("f", 9) for _ in range(take("I")[0])]
        frame["areas"] = [take("f", 12) for _ in range(take("I")[0])]
        frame["springs"] = [take("f", 6) for _ in range(take("I")[0])]
        assert at == len(data), (at, len(data))
        return frame
