"""Every byte at every place of a request's head where it could change its meaning (RFC 9112, sections 2 to 5)."""
import conformance
from scenario import wire

FILES = {**conformance.CANARY_FILE, 'one.txt': b'one'}
TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def each_byte(instance, failures, data, verdict, method='GET'):
    """data(byte) is the request; verdict(byte) the statuses allowed, with 400 meaning that the connection ends too."""
    for value in range(256):
        byte = bytes([value])
        allowed = verdict(value)
        try:
            status, goes_on = conformance.probe(instance.port, data(byte), 5 * instance.patience, method)
        except (wire.ProtocolError, OSError) as error:
            failures.add('byte 0x%02x' % value, error)
            continue
        if status not in allowed:
            failures.add('byte 0x%02x' % value, 'status %d, expected %s' % (status, '/'.join(map(str, sorted(allowed)))))
        elif status == 400 and goes_on and allowed == {400}:
            failures.add('byte 0x%02x' % value, 'refused, but the connection goes on')
    return 256


def in_the_method(instance, failures):
    """Each byte inside the method."""
    return each_byte(instance, failures, lambda b: b'G' + b + b'T /one.txt HTTP/1.1\r\nHost: localhost\r\n\r\n',
                     lambda v: {405, 501, 200} if v in TOKEN else {400})


def before_the_method(instance, failures):
    """Each byte before the method."""
    return each_byte(instance, failures, lambda b: b + b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\n\r\n',
                     lambda v: {405, 501} if v in TOKEN else {400, 200} if v in b'\r\n' else {400})


def in_the_target(instance, failures):
    """Each byte inside the target."""
    def verdict(value):
        if value <= 0x20 or value == 0x7f or value == ord('#'):
            return {400}
        return {200} if value == ord('?') else {200, 301, 308, 400, 403, 404}
    return each_byte(instance, failures, lambda b: b'GET /one.txt' + b + b'x HTTP/1.1\r\nHost: localhost\r\n\r\n', verdict)


def in_the_version(instance, failures):
    """Each byte in place of the version's minor number."""
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.' + b + b'\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n',
                     lambda v: {200} if v in b'01' else {200, 400, 505} if v in b'23456789' else {400, 505})


def in_a_name(instance, failures):
    """Each byte inside a field's name."""
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\nX' + b + b'Y: v\r\n\r\n',
                     lambda v: {200} if v in TOKEN or v == ord(':') else {400})


def after_a_name(instance, failures):
    """Each byte between a field's name and its colon."""
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\nX-Y' + b + b': v\r\n\r\n',
                     lambda v: {200} if v in TOKEN or v == ord(':') else {400})


def in_a_value(instance, failures):
    """Each byte inside a field's value."""
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\nX-Y: a' + b + b'b\r\n\r\n',
                     lambda v: {200} if v == 9 or 0x20 <= v != 0x7f else {400})


def at_a_line_start(instance, failures):
    """Each byte at the start of a field line."""
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\n' + b + b'X-Y: v\r\n\r\n',
                     lambda v: {200} if v in TOKEN else {400})


def at_a_line_end(instance, failures):
    """Each byte between a value and its line end."""
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.1\r\nHost: localhost\r\nX-Y: v' + b + b'\r\n\r\n',
                     lambda v: {200} if v == 9 or 0x20 <= v != 0x7f else {400})


def in_the_host(instance, failures):
    """Each byte inside the Host field."""
    refused = set(range(0x21)) | {0x7f} | set(b'/\\?#@<>"{}|^`') | set(range(0x80, 0x100))
    return each_byte(instance, failures, lambda b: b'GET /one.txt HTTP/1.1\r\nHost: local' + b + b'host\r\n\r\n',
                     lambda v: {400} if v in refused else {200, 400, 404})


CHECKS = (in_the_method, before_the_method, in_the_target, in_the_version, in_a_name, after_a_name, in_a_value,
          at_a_line_start, at_a_line_end, in_the_host)
