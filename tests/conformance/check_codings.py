"""Accept-Encoding against RFC 9110, section 12.5.3: every weight of every coding."""
import itertools
import shutil

import conformance
from scenario import expect

TEXT = b'<p>A paragraph of a page that says the same thing again and again.</p>\n' * 400
FILES = {**conformance.CANARY_FILE, 'coded.html': TEXT}
CODINGS = ('gzip', 'br', 'zstd', 'identity', '*')


def weights(client_weights):
    """Weight of each coding the server has: 0 means refused. What the asterisk says about identity is read in two ways
    (is it a coding that is not listed?), so there only a refusal counts."""
    result = {}
    for coding in ('gzip', 'br', 'zstd', 'identity'):
        if coding in client_weights:
            result[coding] = client_weights[coding]
        elif coding == 'identity':
            result[coding] = 0.0005 if client_weights.get('*') != 0 else 0  # fine unless something else is liked
        else:
            result[coding] = client_weights.get('*', 0)
    return result


def each_weight(instance, failures):
    """Every combination of weights of gzip, br, zstd, identity and the asterisk."""
    client = conformance.Client(instance)
    count = 0
    checked = set()
    for values in itertools.product((None, '', '0', '0.5'), repeat=len(CODINGS)):
        given = {c: 1.0 if v == '' else float(v) for c, v in zip(CODINGS, values) if v is not None}
        field = ', '.join(c + (';q=' + v if v else '') for c, v in zip(CODINGS, values) if v is not None)
        fields = {'Accept-Encoding': field} if given else {}
        answer = client.ask('GET', '/coded.html', fields)
        count += 1
        wanted = weights(given)
        coding = (answer.get('Content-Encoding') or 'identity').lower()
        if answer.status == 406:
            if any(wanted.values()):
                failures.add(field, 'status 406, though something is acceptable')
            continue
        if answer.status != 200 or coding not in wanted:
            failures.add(field, 'status %d, coding %s' % (answer.status, coding))
            continue
        best = max(wanted.values())
        if best > 0 and wanted[coding] < best and not (coding == 'identity' and given.get('*', 0) >= best):
            failures.add(field, '%s (weight %s) was sent, something of weight %s was there' % (coding, wanted[coding], best))
        elif best == 0 and coding != 'identity':
            failures.add(field, '%s was sent though it was refused' % coding)
        if 'accept-encoding' not in (answer.get('Vary') or '').lower():
            failures.add(field, 'Vary: %s' % answer.get('Vary'))
        if coding not in checked and shutil.which({'br': 'brotli', 'zstd': 'zstd'}.get(coding, 'true')):
            checked.add(coding)
            if expect.decoded(answer) != TEXT:
                failures.add(field, 'the %s body is another text' % coding)
    client.close()
    return count


def odd_fields(instance, failures):
    """Spellings that clients send: blanks, case, unknown codings, weights that are none."""
    client = conformance.Client(instance)
    cases = [('GZIP', {'gzip'}), ('gzip ; q=1', {'gzip', 'identity'}), (' gzip , br ', {'gzip', 'br'}), ('gzip;q=1.000', {'gzip'}),
             ('gzip;q=0.000', {'identity'}), ('gzip;Q=0', {'identity'}), ('sdch, gzip', {'gzip'}), ('compress', {'identity'}),
             ('gzip;q=1.001', {'gzip', 'identity'}), ('gzip;q=x', {'gzip', 'identity'}), (',,gzip,,', {'gzip'}),
             ('x' * 3000, {'identity'}), ('gzip;q=0.001', {'gzip'}), ('br;q=0.002, gzip;q=0.001', {'br'})]
    for field, allowed in cases:
        answer = client.ask('GET', '/coded.html', {'Accept-Encoding': field})
        coding = (answer.get('Content-Encoding') or 'identity').lower()
        if answer.status != 200 or coding not in allowed:
            failures.add(repr(field[:60]), 'status %d, coding %s' % (answer.status, coding))
        elif coding == 'gzip' and expect.decoded(answer) != TEXT:
            failures.add(repr(field[:60]), 'another text')
    client.close()
    return len(cases)


CHECKS = (each_weight, odd_fields)
