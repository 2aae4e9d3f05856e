"""Every combination of conditional fields against the order of RFC 9110, section 13.2.2."""
import itertools

import conformance

FILES = {**conformance.CANARY_FILE, 'condition.txt': b'abcdefghijklmnopqrstuvwxyz'}
SAME, OLDER, NEWER = 'Tue, 14 Nov 2023 22:13:20 GMT', 'Tue, 14 Nov 2023 22:13:19 GMT', 'Tue, 14 Nov 2023 22:13:21 GMT'


def model(method, etag, fields):
    """The status a request gets."""
    if 'If-Match' in fields:
        value = fields['If-Match']
        if value != '*' and etag not in [tag.strip() for tag in value.split(',')]:
            return 412
    elif fields.get('If-Unmodified-Since') == OLDER:
        return 412
    if 'If-None-Match' in fields:
        value = fields['If-None-Match']
        tags = [tag.strip()[2:] if tag.strip().startswith('W/') else tag.strip() for tag in value.split(',')]
        if value == '*' or etag in tags:
            return 304
    elif fields.get('If-Modified-Since') in (SAME, NEWER):
        return 304
    if 'Range' in fields and method == 'GET':
        condition = fields.get('If-Range')
        if condition is None or condition in (etag, SAME):
            return 416 if fields['Range'] == 'bytes=90-' else 206
    return 200


def run(instance, failures, choices):
    client = conformance.Client(instance)
    etag = client.ask('GET', '/condition.txt', {}).get('ETag') or '"none"'
    names = list(choices)
    count = 0
    for method in ('GET', 'HEAD'):
        for values in itertools.product(*(choices[name] for name in names)):
            fields = {name: value.replace('$', etag) for name, value in zip(names, values) if value is not None}
            count += 1
            answer = client.ask(method, '/condition.txt', fields)
            wanted = model(method, etag, fields)
            if answer.status != wanted:
                failures.add('%s %s' % (method, fields), 'status %d, expected %d' % (answer.status, wanted))
            elif answer.status in (200, 206, 304) and answer.get('ETag') != etag:
                failures.add('%s %s' % (method, fields), 'status %d with ETag %s' % (answer.status, answer.get('ETag')))
    client.close()
    return count


def preconditions(instance, failures):
    """If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since in every combination."""
    return run(instance, failures, {
        'If-Match': (None, '$', '"other"', '*', 'W/$', '"other", $'),
        'If-Unmodified-Since': (None, SAME, OLDER, NEWER, 'no date'),
        'If-None-Match': (None, '$', 'W/$', '"other"', '*', '"a", W/$, "b"'),
        'If-Modified-Since': (None, SAME, OLDER, NEWER, 'no date'),
    })


def ranges(instance, failures):
    """Conditions together with Range and If-Range."""
    return run(instance, failures, {
        'If-Match': (None, '$', '"other"'),
        'If-None-Match': (None, '$', '"other"'),
        'If-Modified-Since': (None, SAME, OLDER),
        'Range': (None, 'bytes=0-4', 'bytes=90-'),
        'If-Range': (None, '$', 'W/$', '"other"', SAME, OLDER, NEWER, 'nonsense'),
    })


CHECKS = (preconditions, ranges)
