"""A socket that speaks TLS and does what wire.Connection asks of one, half-closing included, which Python's own cannot."""
import select
import socket
import ssl
import time

READ = 262144


class Cut(ConnectionError):
    """The stream ended without the server's close_notify: somebody may have cut it (RFC 8446, section 6.1)."""


class TlsSocket:
    def __init__(self, raw, context, name):
        self.raw = raw
        self.timeout = raw.gettimeout()
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname=name)
        self.hasEnded = False
        while True:
            try:
                self.tls.do_handshake()
                self.flush()
                return
            except ssl.SSLWantReadError:
                self.flush()
                if not self.take():
                    raise ConnectionResetError('the connection ended within the handshake')

    def flush(self):
        if self.outgoing.pending:
            self.raw.sendall(self.outgoing.read())

    def take(self):
        """Bytes of the connection; False at its end."""
        data = self.raw.recv(READ)
        if data:
            self.incoming.write(data)
        else:
            self.incoming.write_eof()
        return bool(data)

    # ---- as a socket ----

    def settimeout(self, timeout):
        self.raw.settimeout(timeout)

    def setsockopt(self, *arguments):
        self.raw.setsockopt(*arguments)

    def selected_alpn_protocol(self):
        return self.tls.selected_alpn_protocol()

    def sendall(self, data):
        """In records of all sizes: the first bytes by themselves, as clients do that follow BEAST's cure."""
        at = 0
        while at < len(data):
            at += self.tls.write(data[at:at + 16384] if at else data[:1])
        self.flush()

    def recv(self, size):
        while True:
            try:
                return self.tls.read(size)
            except ssl.SSLWantReadError:
                self.flush()
                if not self.take() and not self.hasEnded:
                    self.hasEnded = True
            except ssl.SSLZeroReturnError:
                return b''
            except ssl.SSLEOFError:
                raise Cut('the server ended the connection without saying so in TLS')
            except ssl.SSLError as error:
                raise ConnectionError('TLS: %s' % error)

    def is_silent(self, seconds):
        """No bytes of the stream come, and it does not end, for so long. Tickets may come."""
        end = time.monotonic() + seconds
        while True:
            try:
                self.tls.read(1)
                return False
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError:
                return False
            if not select.select([self.raw], [], [], max(0, end - time.monotonic()))[0]:
                return True
            if not self.take():
                return False

    def shutdown(self, how):
        """Says in TLS, and in TCP below it, that nothing more is sent."""
        assert how == socket.SHUT_WR
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()
        self.raw.shutdown(how)

    def close(self):
        self.raw.close()
