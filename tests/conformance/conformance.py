"""What the checks share: a list of failures, and the canary that shows where the server thinks a request ends."""
import time

from scenario import client, wire

CANARY = b'GET /canary.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
CANARY_FILE = {'canary.txt': b'canary'}


class Failures:
    SHOWN = 12

    def __init__(self):
        self.count = 0
        self.lines = []

    def add(self, what, problem):
        self.count += 1
        if len(self.lines) < self.SHOWN:
            self.lines.append(('         %s: %s' % (what, problem))[:200])

    def text(self):
        more = self.count - len(self.lines)
        return '\n'.join(self.lines + (['         … and %d more' % more] if more else []))


def probe(port, data, timeout, method='GET'):
    """Sends bytes and the canary behind them. Returns (status, whether the canary was answered); anything but one clean
    refusal, or one answer and the canary's, is a ProtocolError."""
    connection = wire.Connection(port, timeout)
    try:
        connection.send(data + CANARY)
        answer = connection.response(method)
        if not answer.complete:
            raise wire.ProtocolError('the answer (%d) is cut off' % answer.status)
        if 'close' in (answer.get('Connection') or '').lower():
            rest = connection.rest()
            if rest:
                raise wire.ProtocolError('more bytes after the last answer (%d): %r' % (answer.status, rest[:120]))
            return answer.status, False
        if not connection.buffer and not connection.fill(time.monotonic() + timeout):
            return answer.status, False  # its body turned out to be bad after the answer had left
        canary = connection.response('GET')
        if canary.status != 200 or canary.body != b'canary':
            raise wire.ProtocolError('%d, and then %d with %r instead of the canary' %
                                     (answer.status, canary.status, canary.body[:60]))
        rest = connection.rest()
        if rest:
            raise wire.ProtocolError('more bytes after the canary: %r' % rest[:120])
        return answer.status, True
    finally:
        connection.close()


class Client(client.Http1Client):
    """Keeps one connection; get() is a request with a dictionary of fields."""

    def __init__(self, instance):
        super().__init__(instance.port, 5.0 * instance.patience)

    def ask(self, method, path, fields):
        return self.request(method, path, [('Host', 'localhost')] + list(fields.items()))
