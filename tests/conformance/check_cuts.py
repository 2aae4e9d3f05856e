"""The same bytes in other packets are the same requests."""
import conformance
from scenario import wire

FILES = {**conformance.CANARY_FILE, 'one.txt': b'one', 'two.html': b'<p>two</p>' * 300}
STREAM = (b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\nUser-Agent: cut\r\n\r\n'
          b'POST /one.txt HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;x="y"\r\nhello\r\n0\r\nX-T: 1\r\n\r\n'
          b'HEAD /two.html HTTP/1.1\r\nhost:localhost\r\nRange: bytes=0-4\r\n\r\n'
          b'\r\nGET http://localhost/two.html?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
          b'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n') + conformance.CANARY
METHODS = ('GET', 'POST', 'HEAD', 'GET', 'OPTIONS', 'GET')


def answers(instance, pieces):
    connection = wire.Connection(instance.port, 5 * instance.patience)
    try:
        for piece in pieces:
            connection.send(piece)
        found = []
        for method in METHODS:
            answer = connection.response(method)
            fields = [(k, v) for k, v in answer.fields if k.lower() != 'date']
            found.append((answer.status, fields, answer.body))
        if connection.rest():
            raise wire.ProtocolError('more bytes after the last answer')
        return found
    finally:
        connection.close()


def two_pieces(instance, failures):
    """A stream of requests cut in two at every byte."""
    wanted = answers(instance, [STREAM])
    for at in range(1, len(STREAM)):
        try:
            if answers(instance, [STREAM[:at], STREAM[at:]]) != wanted:
                failures.add('cut at %d' % at, 'other answers')
        except (wire.ProtocolError, OSError) as error:
            failures.add('cut at %d' % at, error)
    return len(STREAM) - 1


def many_pieces(instance, failures):
    """A stream of requests in pieces of every size from 1 to 64 bytes."""
    wanted = answers(instance, [STREAM])
    for size in range(1, 65):
        try:
            if answers(instance, [STREAM[i:i + size] for i in range(0, len(STREAM), size)]) != wanted:
                failures.add('pieces of %d' % size, 'other answers')
        except (wire.ProtocolError, OSError) as error:
            failures.add('pieces of %d' % size, error)
    return 64


CHECKS = (two_pieces, many_pieces)
