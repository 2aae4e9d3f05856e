"""A client of HTTP/2 (RFC 9113) that keeps no rule by itself: it sends the frames that it is told, and keeps count of what
comes back. It comes from an address of its own, so that what the server holds against it hits no one else."""
import collections
import select
import socket
import ssl
import struct
import time

from scenario import http2  # finds the Python packages of HTTP/2 wherever the system has them

try:
    import hpack
except ImportError:
    hpack = None

ADDRESS = '127.0.0.2'
PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
PRIORITY_UPDATE, UNKNOWN = 0x10, 0xee
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
INITIAL_WINDOW_SIZE, LARGEST_WINDOW = 4, 2 ** 31 - 1
ERRORS = ('NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED',
          'FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM',
          'INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED')
TCP_ESTABLISHED = 1


def is_there():
    return http2.is_there() and hpack is not None


def frame(kind, flags=0, stream=0, payload=b''):
    return struct.pack('>I', len(payload))[1:] + bytes((kind, flags)) + struct.pack('>I', stream) + payload


def setting(name, value):
    return struct.pack('>HI', name, value)


def reset(stream, error=8):
    return frame(RST_STREAM, 0, stream, struct.pack('>I', error))


def window(stream, by):
    return frame(WINDOW_UPDATE, 0, stream, struct.pack('>I', by))


# ---- HPACK (RFC 7541) ----

def text(value):
    """A string literal, not compressed."""
    size = len(value)
    if size < 127:
        return bytes((size,)) + value
    size, rest = size - 127, b''
    while size >= 128:
        rest, size = rest + bytes((size % 128 + 128,)), size // 128
    return b'\x7f' + rest + bytes((size,)) + value


def field(name, value):
    """A field that is not put into the table."""
    return b'\x00' + text(name) + text(value)


def head(path='/page.html', method='GET', encrypted=False):
    """The pseudo-fields of a request."""
    known = {'GET': b'\x82', 'POST': b'\x83'}
    return (known.get(method) or b'\x02' + text(method.encode())) + (b'\x87' if encrypted else b'\x86') + \
        b'\x04' + text(path.encode()) + b'\x01' + text(b'localhost')


class Peer:
    def __init__(self, port, tls=None, settings=b'', reads=True, acknowledges=True, opens=True):
        self.reads, self.acknowledges = reads, acknowledges
        self.encrypted = tls is not None
        self.ended = None        # how: 'closed' or 'reset'
        self.goaway = None       # its error code
        self.resets = {}         # stream: error code
        self.statuses = {}       # stream: status of its answer
        self.finished = set()    # streams that the server has ended
        self.counts = collections.Counter()  # frames by kind
        self.received = 0        # bytes of bodies
        self.buffer = b''
        self.decoder = hpack.Decoder()
        self.block = b''
        self.socket = socket.create_connection(('127.0.0.1', port), 20, (ADDRESS, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname='localhost', suppress_ragged_eofs=False)
        self.socket.setblocking(False)
        self.put(PREFACE + frame(SETTINGS, 0, 0, settings) + (window(0, 2 ** 30) if opens else b''))
        if reads:  # so that nothing comes between the frames of the attack
            self.wait(lambda: self.counts[SETTINGS])

    def request(self, stream, path='/page.html', method='GET', more=b'', flags=END_STREAM | END_HEADERS):
        return frame(HEADERS, flags, stream, head(path, method, self.encrypted) + more)

    def put(self, data, seconds=20):
        """Sends, and takes what comes meanwhile. False: not all of it could be sent."""
        deadline, data = time.monotonic() + seconds, memoryview(data)
        while data and not self.ended:
            try:
                data = data[self.socket.send(data):]
                if self.reads:
                    self.take()
                continue
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
            except OSError:
                self.finish('reset')
                break
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            select.select([self.socket] if self.reads else [], [self.socket], [], left)
            if self.reads:
                self.take()
        return not data and not self.ended

    def finish(self, how):
        """Sending failed: what the server has said before is read yet."""
        self.take()
        self.ended = self.ended or how

    def take(self):
        while not self.ended:
            try:
                part = self.socket.recv(262144)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                break
            except OSError:
                self.ended = 'reset'
                break
            if not part:
                self.ended = 'closed'
            self.buffer += part
            self.parse()

    def parse(self):
        at = 0
        while len(self.buffer) - at >= 9:
            size = int.from_bytes(self.buffer[at:at + 3], 'big')
            if len(self.buffer) - at < 9 + size:
                break
            kind, flags = self.buffer[at + 3], self.buffer[at + 4]
            stream = int.from_bytes(self.buffer[at + 5:at + 9], 'big')
            self.on_frame(kind, flags, stream, self.buffer[at + 9:at + 9 + size])
            at += 9 + size
        self.buffer = self.buffer[at:]

    def on_frame(self, kind, flags, stream, payload):
        self.counts[kind] += 1
        if kind in (HEADERS, CONTINUATION):
            self.block += payload
            if flags & END_HEADERS:
                fields = self.decoder.decode(self.block)
                self.block = b''
                self.statuses[stream] = int(dict(fields)[':status'])
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            self.finished.add(stream)
        if kind == DATA:
            self.received += len(payload)
        elif kind == RST_STREAM:
            self.resets[stream] = struct.unpack('>I', payload)[0]
        elif kind == GOAWAY:
            self.goaway = struct.unpack('>I', payload[4:8])[0]
        elif kind == SETTINGS and not flags & ACK and self.acknowledges:
            try:
                self.socket.send(frame(SETTINGS, ACK))
            except OSError:
                pass

    def wait(self, condition, seconds=20):
        """Reads until the condition holds. False: it does not, in time."""
        deadline = time.monotonic() + seconds
        while True:
            self.take()
            if condition():
                return True
            left = deadline - time.monotonic()
            if self.ended or left <= 0:
                return False
            select.select([self.socket], [], [], left)

    def is_connected(self):
        """As the system sees it, without reading."""
        if self.ended:
            return False
        return self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == TCP_ESTABLISHED

    def how(self):
        """What became of it."""
        said = 'GOAWAY ' + ERRORS[self.goaway] if self.goaway is not None else 'no GOAWAY'
        return said + ', ' + (self.ended or 'open')

    def close(self):
        self.socket.close()
