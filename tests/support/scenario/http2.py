"""HTTP/2 (RFC 9113) as a client of the scenarios, over TLS or by prior knowledge. Needs the Python package h2."""
import re
import time

from . import wire

try:
    import h2.config
    import h2.connection
    import h2.errors
    import h2.events
    import h2.exceptions
except ImportError:  # an interpreter other than the system's finds the system's packages here
    import sys
    sys.path.append('/usr/lib/python3/dist-packages')
    try:
        import h2.config
        import h2.connection
        import h2.errors
        import h2.events
        import h2.exceptions
    except ImportError:
        h2 = None

WINDOW = 16 * 1024 * 1024


def is_there():
    return h2 is not None


class Http2Client:
    def __init__(self, port, timeout, tls=None):
        self.port = port
        self.timeout = timeout
        self.tls = tls
        self.connection = None
        self.state = None

    def connect(self):
        self.connection = wire.Connection(self.port, self.timeout, tls=self.tls)
        if self.tls and self.connection.socket.selected_alpn_protocol() != 'h2':
            raise wire.ProtocolError('the server did not choose h2: %r' % self.connection.socket.selected_alpn_protocol())
        self.state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding='utf-8'))
        self.state.initiate_connection()
        self.state.increment_flow_control_window(WINDOW)
        self.connection.send(self.state.data_to_send())

    def request(self, method, target, fields, body=None):
        """Sends a request on a stream of its own and returns its answer."""
        if self.connection is None:
            self.connect()
        head, regular = [(':method', method), (':scheme', 'https' if self.tls else 'http'), (':path', target)], []
        for name, value in fields:
            if name.lower() == 'host':
                head.append((':authority', value))
            elif name.lower() not in ('connection', 'keep-alive'):  # HTTP/2 has no such fields (RFC 9113, 8.2.2)
                regular.append((name.lower(), value))
        if body is not None:
            regular.append(('content-length', str(len(body))))
        try:
            return self.exchange(method, head + regular, body)
        except h2.exceptions.ProtocolError as error:
            self.close()
            raise wire.ProtocolError('the server broke the rules of HTTP/2: %s' % error) from error
        except wire.ProtocolError:
            self.close()
            raise

    def exchange(self, method, head, body):
        stream = self.state.get_next_available_stream_id()
        self.state.send_headers(stream, head, end_stream=not body)
        unsent, interim, answer = body or b'', [], None
        self.state.increment_flow_control_window(WINDOW, stream)
        deadline = time.monotonic() + self.timeout
        while True:
            while unsent and self.state.local_flow_control_window(stream) > 0:
                size = min(len(unsent), self.state.local_flow_control_window(stream), self.state.max_outbound_frame_size)
                self.state.send_data(stream, unsent[:size], end_stream=size == len(unsent))
                unsent = unsent[size:]
            self.connection.send(self.state.data_to_send())
            if answer and answer.complete:
                return self.checked(answer, interim)
            self.connection.buffer = b''
            if not self.connection.fill(deadline):
                self.close()
                if answer is None:
                    raise wire.ProtocolError('the connection ended without an answer')
                return answer
            for event in self.state.receive_data(self.connection.buffer):
                if isinstance(event, h2.events.ConnectionTerminated):
                    if answer is None:
                        raise wire.ProtocolError('GOAWAY with error %s' % event.error_code)
                if getattr(event, 'stream_id', None) != stream:
                    continue
                if isinstance(event, h2.events.InformationalResponseReceived):
                    interim.append(self.answer(event.headers))
                elif isinstance(event, h2.events.ResponseReceived):
                    answer = self.answer(event.headers)
                elif isinstance(event, h2.events.DataReceived):
                    answer.body += event.data
                    deadline = time.monotonic() + self.timeout
                    self.state.acknowledge_received_data(event.flow_controlled_length, stream)
                elif isinstance(event, h2.events.TrailersReceived):
                    answer.trailers = list(event.headers)
                elif isinstance(event, h2.events.StreamEnded):
                    answer.complete = True
                    unsent = b''
                elif isinstance(event, h2.events.StreamReset):
                    if answer is None and event.error_code == h2.errors.ErrorCodes.PROTOCOL_ERROR:
                        # A malformed request is a stream error here (RFC 9113, 8.1.1) where HTTP/1.1 says 400.
                        malformed = wire.Response('HTTP/2', 400, '', [])
                        malformed.complete, malformed.interim = True, interim
                        return malformed
                    if answer is None:
                        raise wire.ProtocolError('the stream was reset with error %s' % event.error_code)
                    if answer.complete:  # the rest of the request is not wanted (RFC 9113, 8.1)
                        continue
                    return answer

    def answer(self, headers):
        status = int(dict(headers)[':status'])
        fields = [(name, value) for name, value in headers if not name.startswith(':')]
        for name, value in fields:
            if name in ('connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection'):
                raise wire.ProtocolError('a field that HTTP/2 does not have: %s: %s' % (name, value))
            if name != name.lower() or re.search(r'[\r\n\0]', value):
                raise wire.ProtocolError('not a field of HTTP/2: %r: %r' % (name, value))
        return wire.Response('HTTP/2', status, '', fields)

    def checked(self, answer, interim):
        answer.interim = interim
        wire.check_head(answer)
        return answer

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None
