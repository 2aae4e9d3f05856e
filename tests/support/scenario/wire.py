"""One connection to the server, byte by byte, and the answers of HTTP/1.1 that come over it. Reads strictly: what a
lenient client would forgive is a ProtocolError here."""
import re
import select
import socket
import struct
import time

from . import tls as tls_socket


class ProtocolError(Exception):
    """The server sent something that is not HTTP/1.1, or not in time."""


class Response:
    def __init__(self, version, status, reason, fields):
        self.version = version
        self.status = status
        self.reason = reason
        self.fields = fields      # [(name, value)] as sent
        self.body = b''
        self.trailers = []
        self.complete = False     # all of the body came
        self.until_close = False  # its end was the end of the connection

    def all(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]

    def get(self, name):
        values = self.all(name)
        return ', '.join(values) if values else None

    def __str__(self):
        head = '%s %d %s\n' % (self.version, self.status, self.reason)
        head += ''.join('%s: %s\n' % field for field in self.fields)
        body = self.body[:400].decode('utf-8', 'backslashreplace')
        more = '… (%d bytes)' % len(self.body) if len(self.body) > 400 else ''
        return head + '\n' + body + more


STATUS_LINE = re.compile(rb'(HTTP/1\.[01]) ([1-5][0-9][0-9]) ([\t\x20-\x7e\x80-\xff]*)$')
FIELD = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*((?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?)[ \t]*$")


class Connection:
    def __init__(self, port, timeout=5.0, host='127.0.0.1', tls=None):
        self.timeout = timeout
        self.buffer = b''
        self.ended = False
        self.isCut = False        # over TLS: ended without close_notify
        try:
            self.socket = socket.create_connection((host, port), timeout=timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls:
                self.socket = tls_socket.TlsSocket(self.socket, tls, 'localhost')
        except (BrokenPipeError, ConnectionResetError):  # turned away: nothing comes, the end is there
            self.socket = socket.socket()
            self.ended = True

    def send(self, data):
        """A server that refuses early may have closed: what it said is still there to be read."""
        try:
            self.socket.settimeout(self.timeout)
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        except socket.timeout:
            raise ProtocolError('the server does not take the request: %d bytes' % len(data))

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self, reset=False):
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.socket.close()

    # ---- reading ----

    def fill(self, deadline):
        """Reads what is there; False at the end of the stream."""
        if self.ended:
            return False
        left = deadline - time.monotonic()
        if left <= 0:
            raise ProtocolError('nothing more came in time; so far: %r' % self.buffer[:300])
        self.socket.settimeout(left)
        try:
            data = self.socket.recv(262144)
        except socket.timeout:
            raise ProtocolError('nothing more came in time; so far: %r' % self.buffer[:300])
        except ConnectionResetError:
            data = b''
        except tls_socket.Cut:
            self.isCut = True
            data = b''
        if not data:
            self.ended = True
            return False
        self.buffer += data
        return True

    def line(self, deadline, what):
        while b'\n' not in self.buffer:
            if not self.fill(deadline):
                raise ProtocolError('the connection ended where %s was expected; so far: %r' % (what, self.buffer[:300]))
        line, self.buffer = self.buffer.split(b'\n', 1)
        if not line.endswith(b'\r') or b'\r' in line[:-1]:
            raise ProtocolError('%s does not end with CRLF: %r' % (what, line))
        return line[:-1]

    def fields(self, deadline):
        fields = []
        while True:
            line = self.line(deadline, 'a header field')
            if not line:
                return fields
            match = FIELD.match(line)
            if not match:
                raise ProtocolError('not a header field: %r' % line)
            fields.append((match.group(1).decode(), match.group(2).decode('utf-8', 'backslashreplace')))

    def head(self, deadline=None):
        """Reads a status line and the fields below it."""
        deadline = deadline or time.monotonic() + self.timeout
        line = self.line(deadline, 'a status line')
        match = STATUS_LINE.match(line)
        if not match:
            raise ProtocolError('not a status line: %r' % line[:300])
        return Response(match.group(1).decode(), int(match.group(2)), match.group(3).decode('latin-1'), self.fields(deadline))

    def response(self, method):
        """Reads one final answer with its body; interim answers before it are kept in .interim."""
        deadline = time.monotonic() + self.timeout
        interim = []
        while True:
            answer = self.head(deadline)
            if answer.status >= 200 or answer.status == 101:
                break
            interim.append(answer)
        answer.interim = interim
        check_head(answer)
        self.body(answer, method)
        return answer

    def more(self):
        """As fill(), for a body: it may take its time as long as something comes."""
        return self.fill(time.monotonic() + self.timeout)

    def body(self, answer, method):
        if method == 'HEAD' or answer.status in (204, 304) or answer.status < 200:
            answer.complete = True
        elif answer.get('Transfer-Encoding') is not None:
            self.chunks(answer)
        elif answer.get('Content-Length') is not None:
            self.counted(answer, int(answer.get('Content-Length')))
        else:
            while self.more():
                pass
            answer.body, self.buffer = self.buffer, b''
            answer.until_close = True
            answer.complete = not self.isCut

    def counted(self, answer, size):
        """A body of known size. An early end of the connection leaves it incomplete."""
        parts, have = [self.buffer], len(self.buffer)
        self.buffer = b''
        while have < size and self.more():
            parts.append(self.buffer)
            have += len(self.buffer)
            self.buffer = b''
        data = b''.join(parts)
        answer.body, self.buffer = data[:size], data[size:]
        answer.complete = have >= size

    def chunks(self, answer):
        if answer.get('Transfer-Encoding').lower() != 'chunked':
            raise ProtocolError('an unknown transfer coding: %s' % answer.get('Transfer-Encoding'))
        parts = []
        while True:
            size = self.line(time.monotonic() + self.timeout, 'a chunk size')
            if not re.match(rb'[0-9A-Fa-f]{1,16}$', size):
                raise ProtocolError('not a chunk size: %r' % size)
            count = int(size, 16)
            if count == 0:
                break
            while len(self.buffer) < count + 2:
                if not self.more():
                    answer.body = b''.join(parts) + self.buffer
                    self.buffer = b''
                    return
            if self.buffer[count:count + 2] != b'\r\n':
                raise ProtocolError('a chunk does not end with CRLF')
            parts.append(self.buffer[:count])
            self.buffer = self.buffer[count + 2:]
        answer.trailers = self.fields(time.monotonic() + self.timeout)
        answer.body = b''.join(parts)
        answer.complete = True

    # ---- what is not an answer ----

    def rest(self):
        """Everything until the server closes."""
        deadline = time.monotonic() + self.timeout
        while self.fill(deadline):
            pass
        data, self.buffer = self.buffer, b''
        return data

    def is_silent(self, seconds):
        """Nothing comes, and the connection stays open, for so long."""
        if self.buffer or self.ended:
            return False
        if isinstance(self.socket, tls_socket.TlsSocket):
            return self.socket.is_silent(seconds)
        return not select.select([self.socket], [], [], seconds)[0]


def check_head(answer):
    """What holds for every final answer of an origin server (RFC 9110, 6.6.1 and 8.6; RFC 9112, 6)."""
    if len(answer.all('Date')) != 1:
        raise ProtocolError('an answer has one Date, this one has %d:\n%s' % (len(answer.all('Date')), answer))
    lengths, codings = answer.all('Content-Length'), answer.all('Transfer-Encoding')
    if len(lengths) > 1 or len(codings) > 1 or (lengths and codings):
        raise ProtocolError('the length of the body is not told in one way:\n%s' % answer)
    if lengths and not re.match(r'[0-9]+$', lengths[0]):
        raise ProtocolError('not a Content-Length: %s' % lengths[0])
    if answer.status == 204 and (lengths or codings):
        raise ProtocolError('204 with a Content-Length or Transfer-Encoding:\n%s' % answer)
    if answer.status == 304 and codings:
        raise ProtocolError('304 with a Transfer-Encoding:\n%s' % answer)
