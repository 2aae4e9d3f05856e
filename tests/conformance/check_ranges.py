"""Byte ranges against RFC 9110, section 14."""
import itertools
import re

import conformance

DATA = b'abcdefghijklmnopqrstuvwxyz'
FILES = {**conformance.CANARY_FILE, 'range.txt': DATA}
FIRSTS = ('', '0', '1', '24', '25', '26', '99', '007')
LASTS = ('', '0', '1', '24', '25', '26', '99', '18446744073709551616')


def model(first, last):
    """(first, last) of one range of the file; None: nothing of it is there; 'bad': no range at all."""
    size = len(DATA)
    if first == '' and last == '':
        return 'bad'
    if first == '':
        count = int(last)
        return None if count == 0 else (max(0, size - count), size - 1)
    if last != '' and int(last) < int(first):
        return 'bad'
    if int(first) >= size:
        return None
    return (int(first), min(size - 1, int(last) if last else size - 1))


def single(instance, failures):
    """Every pair of first and last byte."""
    client = conformance.Client(instance)
    pairs = list(itertools.product(FIRSTS, LASTS))
    for first, last in pairs:
        spec = 'bytes=%s-%s' % (first, last)
        answer = client.ask('GET', '/range.txt', {'Range': spec})
        wanted = model(first, last)
        if wanted == 'bad':
            expected = (200, None, DATA)
        elif wanted is None:
            expected = (416, 'bytes */%d' % len(DATA), None)
        else:
            expected = (206, 'bytes %d-%d/%d' % (*wanted, len(DATA)), DATA[wanted[0]:wanted[1] + 1])
        found = (answer.status, answer.get('Content-Range'), answer.body if expected[2] is not None else None)
        if found != expected:
            failures.add(spec, '%s, expected %s' % (found, expected))
    client.close()
    return len(pairs)


def parts_of(answer):
    """[(content range, bytes)] of an answer, of one part or several."""
    kind = answer.get('Content-Type') or ''
    if not kind.startswith('multipart/byteranges'):
        return [(answer.get('Content-Range'), answer.body)]
    boundary = re.search(r'boundary="?([^";]+)', kind).group(1).encode()
    pieces = answer.body.split(b'--' + boundary)
    if pieces[-1].strip() != b'--':
        raise ValueError('the last boundary is missing')
    found = []
    for piece in pieces[1:-1]:
        head, _, body = piece.partition(b'\r\n\r\n')
        found.append((re.search(rb'(?i)content-range: *([^\r]*)', head).group(1).decode(), body[:-2]))
    return found


def several(instance, failures):
    """Lists of two and three ranges: every byte that was asked for comes, each part says rightly what it is."""
    client = conformance.Client(instance)
    atoms = ('0-0', '2-5', '4-8', '-3', '20-', '25-99', '26-', '-0')
    count = 0
    for size in (2, 3):
        for combination in itertools.product(atoms, repeat=size):
            count += 1
            spec = 'bytes=' + ', '.join(combination)
            answer = client.ask('GET', '/range.txt', {'Range': spec})
            wanted = [r for r in (model(*atom.split('-')) for atom in combination) if r]
            if not wanted:
                if answer.status != 416:
                    failures.add(spec, 'status %d, expected 416' % answer.status)
                continue
            if answer.status == 200 and answer.body == DATA:
                continue  # a server may always answer with everything
            if answer.status != 206:
                failures.add(spec, 'status %d, expected 206' % answer.status)
                continue
            covered = set()
            for said, body in parts_of(answer):
                match = re.match(r'bytes (\d+)-(\d+)/%d$' % len(DATA), said or '')
                if not match or body != DATA[int(match.group(1)):int(match.group(2)) + 1]:
                    failures.add(spec, 'a part says %s and holds %r' % (said, body))
                    break
                covered.update(range(int(match.group(1)), int(match.group(2)) + 1))
            missing = {i for first, last in wanted for i in range(first, last + 1)} - covered
            if missing:
                failures.add(spec, 'bytes %s did not come' % sorted(missing))
    client.close()
    return count


def not_ranges(instance, failures):
    """What is no valid Range is as if it were not there."""
    client = conformance.Client(instance)
    specs = ('bytes', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1', 'bytes=1-2-3', 'bytes=--1', 'bytes=+1-2', 'bytes=1-+2',
             'bytes=0x1-2', 'bytes 0-1', 'items=0-1', 'bytes=1.0-2', 'bytes=5-2', 'bytes=0-1 2-3', 'bytes=0-1;2-3', '=0-1', '')
    for spec in specs:
        answer = client.ask('GET', '/range.txt', {'Range': spec})
        if answer.status != 200 or answer.body != DATA:
            failures.add(repr(spec), 'status %d with %d bytes' % (answer.status, len(answer.body)))
    client.close()
    return len(specs)


CHECKS = (single, several, not_ranges)
