#!/usr/bin/env python3
"""The scenario runner tries itself: on a small server with known faults, right expectations pass and wrong ones fail."""
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from scenario import script  # noqa: E402

# Answers by path; what it sends for a faulty one is what the runner has to find.
FAKE = '''#!%s
import json, re, signal, socket, sys, threading
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
config = json.load(open([a for a in sys.argv if a.startswith('--config=')][0][9:]))
HEAD = 'HTTP/1.1 200 OK\\r\\nDate: now\\r\\nContent-Length: 4\\r\\nX-Kind: a b\\r\\n\\r\\n'
ANSWERS = {
    '/good': HEAD + 'good',
    '/nodate': HEAD.replace('Date: now\\r\\n', '') + 'good',
    '/twice': HEAD.replace('Date', 'Date: now\\r\\nDate') + 'good',
    '/lengths': HEAD.replace('X-Kind', 'Content-Length: 4\\r\\nX-Kind') + 'good',
    '/extra': HEAD + 'good' + 'extra',
    '/short': HEAD + 'goo',
    '/lf': HEAD.replace('now\\r\\n', 'now\\n') + 'good',
    '/chunked': HEAD.replace('Content-Length: 4', 'Transfer-Encoding: chunked') + '2\\r\\ngo\\r\\n2;x\\r\\nod\\r\\n0\\r\\n\\r\\n',
    '/plainchunks': HEAD.replace('Content-Length: 4', 'Transfer-Encoding: chunked') + '2\\r\\ngo\\r\\n2\\r\\nod\\r\\n0\\r\\nX-T: 1\\r\\n\\r\\n',
    '/head': HEAD,
    '/interim': 'HTTP/1.1 100 Continue\\r\\n\\r\\n' + HEAD + 'good',
}
def serve(connection):
    data = b''
    while True:
        while b'\\r\\n\\r\\n' not in data:
            part = connection.recv(4096)
            if not part:
                return
            data += part
        head, data = data.split(b'\\r\\n\\r\\n', 1)
        path = head.split()[1].decode()
        if path == '/die':
            import os
            os._exit(3)
        if path == '/close':
            connection.close()
            return
        connection.sendall(ANSWERS[path].encode())
        if path == '/short':
            connection.close()
            return
with socket.create_server(('127.0.0.1', config['HttpPorts'][0])) as listener:
    print('Listening for HTTP', flush=True)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
''' % sys.executable


class Runner(unittest.TestCase):
    def play(self, body, setup=''):
        """The last line and the whole output of the runner on one scenario."""
        with tempfile.TemporaryDirectory() as folder:
            fake = os.path.join(folder, 'fake')
            with open(fake, 'w', encoding='utf-8') as file:
                file.write(FAKE)
            os.chmod(fake, 0o755)
            with open(os.path.join(folder, 'one.scn'), 'w', encoding='utf-8') as file:
                file.write(setup + '\nscenario The one\n' + textwrap.indent(textwrap.dedent(body), '    '))
            done = subprocess.run([sys.executable, os.path.join(TESTS, 'scenarios/run'), '--server', fake, '--folder', folder,
                                   '--backend', 'epoll'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        lines = done.stdout.strip().split('\n')
        self.assertEqual(done.returncode, 0 if ' 0 failed' in lines[-1] else 1, done.stdout)
        return lines[-1], done.stdout

    def passes(self, body, setup=''):
        last, output = self.play(body, setup)
        self.assertEqual(last, '1 passed, 0 failed, 0 skipped', output)

    def fails(self, body, part):
        last, output = self.play(body)
        self.assertRegex(last, '^0 passed, [12] failed, 0 skipped$', output)
        self.assertIn(part, output)

    def test_a_right_expectation_passes(self):
        self.passes('''
            request GET /good
            expect 200
                body = good
                X-Kind: a b
                X-Kind ~ ^a
                once X-Kind
                no X-Other
                body size 4
                body ~ ^go+d$
            head
                GET /good HTTP/1.1
            expect 200
            head bytewise
                GET /plainchunks HTTP/1.1
            expect 200
                body = good
                trailer X-T = 1
            head
                HEAD /head HTTP/1.1
            expect 200
                body is empty
            send GET /good HTTP/1.1\\r\\n\\r\\nGET /good HTTP/1.1\\r\\n\\r\\n
            times 2
                expect 200
            head
                GET /close HTTP/1.1
            expect closed
            ''')

    def test_interim_answers_are_skipped_unless_expected(self):
        self.passes('''
            head
                GET /interim HTTP/1.1
            expect 200
            head
                GET /interim HTTP/1.1
            expect interim 100
            expect 200
            ''')

    def test_variables_and_files(self):
        self.passes('''
            request GET /good
            expect 200
                save X-Kind as kind
                body file localhost/good.txt
            file localhost/again.txt {{kind}}
            replace localhost/again.txt {{repeat 3 ab}}
            holds localhost/again.txt ~ ^ababab$
            expect 200
                X-Kind: {{kind}}
            ''', 'file localhost/good.txt good')

    def test_wrong_expectations_fail(self):
        for body, part in (
                ('request GET /good\nexpect 404', 'status 200 where 404 was expected'),
                ('request GET /good\nexpect 200\n    body = bad', 'expected "body = bad"'),
                ('request GET /good\nexpect 200\n    X-Kind: a', 'X-Kind: a b, expected a'),
                ('request GET /good\nexpect 200\n    X-Other: a', 'the field X-Other is missing'),
                ('request GET /good\nexpect 200\n    no X-Kind', 'was not expected'),
                ('request GET /good\nexpect 200\n    X-Kind ~ ^b', 'does not match'),
                ('request GET /good\nexpect 200\n    body size < 4', 'found 4 bytes'),
                ('holds ../nothing contains x', 'No such file'),
                ('run --nothing\nexit 0', 'it ended with status')):
            with self.subTest(body):
                self.fails(body, part)

    def test_faulty_answers_fail_whatever_is_expected(self):
        for path, part in (('nodate', 'one Date'), ('twice', 'one Date'), ('lengths', 'not told in one way'),
                           ('extra', 'bytes after the end'), ('short', 'within the body'), ('lf', 'does not end with CRLF'),
                           ('chunked', 'not a chunk size'), ('die', 'ended')):
            with self.subTest(path):
                self.fails('request GET /%s\nexpect 200' % path, part)

    def test_bytes_nobody_asked_for_fail(self):
        self.fails('head\n    GET /extra HTTP/1.1\nexpect 200', 'bytes nobody asked for')

    def test_a_wrong_script_fails(self):
        self.fails('nonsense', 'no step is called')
        self.fails('request GET /good\nexpect 200\n    what is this', 'not an expectation')

    def test_a_missing_tool_is_a_skip(self):
        last, output = self.play('needs no-such-tool\nrequest GET /good')
        self.assertEqual(last, '0 passed, 0 failed, 1 skipped')
        self.assertIn('needs no-such-tool', output)


class Scripts(unittest.TestCase):
    def test_escapes(self):
        self.assertEqual(script.unescape('a\\r\\n\\t\\0\\x7f\\\\n é'), b'a\r\n\t\0\x7f\\n \xc3\xa9')

    def test_macros(self):
        self.assertEqual(script.expand('{{x}}-{{repeat 3 a b}}', {'x': 1}.get), '1-a ba ba b')

    def test_blocks(self):
        steps = script.parse_steps(['# comment', 'send', '    a', '', '      b', '', 'next one  two'], 'f', 1)
        self.assertEqual([(s.verb, s.argument, s.block, s.line) for s in steps],
                         [('send', '', ['a', '', '  b'], 2), ('next', 'one  two', [], 7)])

    def test_every_scenario_file_reads(self):
        count = 0
        for folder, _, names in os.walk(os.path.join(TESTS, 'scenarios')):
            for name in names:
                if name.endswith('.scn'):
                    count += len(script.load(os.path.join(folder, name)).scenarios)
        self.assertGreater(count, 0)


if __name__ == '__main__':
    unittest.main()
