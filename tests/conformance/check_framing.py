"""Where a request ends: RFC 9112, section 6. Whatever the server makes of a shape, the bytes of a body must never be
taken for a request, and a shape that can be read in two ways ends the connection."""
import conformance
from scenario import wire

FILES = {**conformance.CANARY_FILE, 'one.txt': b'one'}
METHODS = ('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'BREW')

# Shapes that must be refused with the connection closed.
BAD_LENGTHS = ['', ' ', '+5', '-5', '0x5', '5 5', '5,5', '5, 5', '5;', '5.0', '5e0', '"5"', '٥', '18446744073709551616',
               '99999999999999999999999999999999', '5\t5', '\x0b5', 'five', '5, 6', ',5', '5,']
BAD_CODINGS = ['identity', 'xchunked', 'chunkedx', 'chunked, identity', 'chunked, gzip', 'chunked, chunked', 'chunked;q=1',
               '"chunked"', 'chun ked', 'chunked\x0b', '\x0bchunked', 'gzip', 'gzip, chunked', 'deflate', '', ',', 'chunk',
               'cow, chunked']
BAD_CHUNKS = [b'g\r\nhello\r\n', b'0x5\r\nhello\r\n', b'-5\r\nhello\r\n', b'+5\r\nhello\r\n', b'\r\nhello\r\n', b'5\nhello\r\n',
              b'5\r\nhello\n', b'5\r\nhelloo\r\n', b'5\r\nhell\r\n', b'5\rhello\r\n', b'10000000000000005\r\nhello\r\n',
              b'fffffffffffffffff\r\nhello\r\n', b'5;a\nb\r\nhello\r\n', b'5;a\rb\r\nhello\r\n', b'5\x00\r\nhello\r\n',
              b' 5\r\nhello\r\n', b'5,\r\nhello\r\n', b'5\r\nhello\r\r\n', b'5\x0b\r\nhello\r\n', b';5\r\nhello\r\n']
GOOD_CHUNKS = [b'5\r\nhello\r\n', b'005\r\nhello\r\n', b'5;name\r\nhello\r\n', b'5;name=value\r\nhello\r\n',
               b'5;n="a b"\r\nhello\r\n', b'1\r\nh\r\n4\r\nello\r\n', b'']
GOOD_TRAILERS = [b'', b'X-Sum: 5\r\n', b'X-A: 1\r\nX-B: 2\r\n', b'Content-Length: 5\r\n', b'Transfer-Encoding: chunked\r\n']
BAD_TRAILERS = [b'X Sum: 5\r\n', b'X-Sum : 5\r\n', b'nonsense\r\n', b' folded: 1\r\n', b'X: a\x00b\r\n', b'X: a\nY: b\r\n']


def request(method, fields, body):
    return ('%s /one.txt HTTP/1.1\r\nHost: localhost\r\n' % method).encode() + fields + b'\r\n' + body


def refused(instance, failures, what, data, method):
    """An error and the end of the connection; nothing behind it may be answered."""
    try:
        status, goes_on = conformance.probe(instance.port, data, 5 * instance.patience, method)
    except (wire.ProtocolError, OSError) as error:
        failures.add(what, error)
        return
    if goes_on:
        failures.add(what, 'status %d, and the connection goes on' % status)
    elif status not in (400, 413, 501):
        failures.add(what, 'status %d, expected a refusal' % status)


def passed(instance, failures, what, data, method):
    """Any answer, and then the canary's."""
    try:
        status, goes_on = conformance.probe(instance.port, data, 5 * instance.patience, method)
    except (wire.ProtocolError, OSError) as error:
        failures.add(what, error)
        return
    if status == 400:
        failures.add(what, 'refused')
    elif not goes_on and method in ('GET', 'HEAD'):
        failures.add(what, 'status %d, and the connection ends' % status)


def bad_lengths(instance, failures):
    """Content-Length that is no number."""
    for method in METHODS:
        for value in BAD_LENGTHS:
            refused(instance, failures, '%s with Content-Length: %r' % (method, value),
                    request(method, b'Content-Length: ' + value.encode() + b'\r\n', b'hello'), method)
    return len(METHODS) * len(BAD_LENGTHS)


def two_lengths(instance, failures):
    """Content-Length twice."""
    for method in METHODS:
        for first, second in (('5', '5'), ('5', '0'), ('0', '5'), ('5', '05')):
            refused(instance, failures, '%s with lengths %s and %s' % (method, first, second),
                    request(method, ('Content-Length: %s\r\nContent-Length: %s\r\n' % (first, second)).encode(), b'hello'), method)
    return len(METHODS) * 4


def bad_codings(instance, failures):
    """Transfer-Encoding that is not chunked, once, alone."""
    for method in METHODS:
        for value in BAD_CODINGS:
            refused(instance, failures, '%s with Transfer-Encoding: %r' % (method, value),
                    request(method, b'Transfer-Encoding: ' + value.encode() + b'\r\n', b'0\r\n\r\n'), method)
    return len(METHODS) * len(BAD_CODINGS)


def both(instance, failures):
    """Content-Length with Transfer-Encoding, in either order and any spelling."""
    count = 0
    for method in METHODS:
        for length in ('Content-Length: 5', 'content-length:0', 'CONTENT-LENGTH: 5'):
            for coding in ('Transfer-Encoding: chunked', 'transfer-encoding:chunked', 'Transfer-Encoding:  Chunked '):
                for lines in ((length, coding), (coding, length)):
                    count += 1
                    refused(instance, failures, '%s with %s' % (method, ' and '.join(lines)),
                            request(method, '\r\n'.join(lines).encode() + b'\r\n', b'0\r\n\r\n'), method)
    return count


def hidden_codings(instance, failures):
    """Field names that only look like Content-Length or Transfer-Encoding."""
    names = ['Transfer-Encoding ', 'Transfer-Encoding\t', ' Transfer-Encoding', 'Transfer-Encoding\x00', 'Transfer\r-Encoding',
             'X: y\nTransfer-Encoding', 'X: y\rTransfer-Encoding', 'Content-Length ', ' Content-Length', 'Content-Length\x0b']
    for name in names:
        value = 'chunked' if 'Transfer' in name else '5'
        refused(instance, failures, repr(name),
                request('POST', ('%s: %s\r\n' % (name, value)).encode('latin-1'), b'0\r\n\r\n'), 'POST')
    return len(names)


def bad_chunks(instance, failures):
    """Chunks that are none."""
    for data in BAD_CHUNKS:
        what = repr(data)
        try:
            status, goes_on = conformance.probe(
                instance.port, request('GET', b'Transfer-Encoding: chunked\r\n', data + b'0\r\n\r\n'), 5 * instance.patience)
        except (wire.ProtocolError, OSError) as error:
            failures.add(what, error)
            continue
        if goes_on:
            failures.add(what, 'status %d, and the connection goes on' % status)
    return len(BAD_CHUNKS)


def bad_trailers(instance, failures):
    """Trailers that are none."""
    for trailer in BAD_TRAILERS:
        try:
            status, goes_on = conformance.probe(
                instance.port, request('GET', b'Transfer-Encoding: chunked\r\n', b'0\r\n' + trailer + b'\r\n'), 5 * instance.patience)
            if goes_on:
                failures.add(repr(trailer), 'status %d, and the connection goes on' % status)
        except (wire.ProtocolError, OSError) as error:
            failures.add(repr(trailer), error)
    return len(BAD_TRAILERS)


def good_bodies(instance, failures):
    """Bodies that are fine, for every method: the next request is where they end."""
    count = 0
    for method in METHODS:
        for chunks in GOOD_CHUNKS:
            for trailer in GOOD_TRAILERS:
                for end in (b'0', b'000', b'0;last'):
                    count += 1
                    data = request(method, b'Transfer-Encoding: chunked\r\n', chunks + end + b'\r\n' + trailer + b'\r\n')
                    passed(instance, failures, '%s with %r' % (method, data[-60:]), data, method)
        for size in (0, 1, 5, 4096, 70000):
            count += 1
            body = (conformance.CANARY.replace(b'canary.txt', b'one.txt') * (size // 60 + 1))[:size]
            data = request(method, b'Content-Length: %d\r\n' % size, body)
            passed(instance, failures, '%s with %d bytes' % (method, size), data, method)
    return count


CHECKS = (bad_lengths, two_lengths, bad_codings, both, hidden_codings, bad_chunks, bad_trailers, good_bodies)
