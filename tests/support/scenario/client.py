"""Clients that are told requests, not bytes: method, target, fields, body. Scenarios that use only this hold for every
version of HTTP, each of which is a class with the same two functions."""
from . import wire


class Http1Client:
    """HTTP/1.1, over TLS when there is a context for it."""

    def __init__(self, port, timeout, tls=None):
        self.port = port
        self.timeout = timeout
        self.tls = tls
        self.connection = None

    def request(self, method, target, fields, body=None):
        """Sends a request and returns its answer. Uses the connection again while the server keeps it."""
        lines = ['%s %s HTTP/1.1' % (method, target)]
        lines += ['%s: %s' % field for field in fields]
        if body is not None:
            lines.append('Content-Length: %d' % len(body))
        data = '\r\n'.join(lines).encode() + b'\r\n\r\n' + (body or b'')
        if self.connection is None:
            self.connection = wire.Connection(self.port, self.timeout, tls=self.tls)
        self.connection.send(data)
        answer = self.connection.response(method)
        if answer.until_close or not answer.complete or 'close' in (answer.get('Connection') or '').lower():
            self.close()
        elif self.connection.buffer:
            raise wire.ProtocolError('bytes after the end of the answer: %r' % self.connection.buffer[:200])
        return answer

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None
