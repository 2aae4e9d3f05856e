"""Carries out the steps of a scenario: one function a verb, named step_<verb>. tests/scenarios/README.md lists them."""
import json
import os
import re
import shlex
import shutil
import time

from . import expect, protocols, script, server as servers, wire


def seconds(text):
    match = re.match(r'([\d.]+) ?(ms|s)$', text)
    if not match:
        raise script.ScriptError('not a time: %s' % text)
    return float(match.group(1)) * (0.001 if match.group(2) == 'ms' else 1)


def pattern(size):
    """Bytes of a file that do not repeat within 64 KiB, so that a shifted range shows."""
    block = b''.join(b'%08x' % (i * 2654435761 % 2 ** 32) for i in range(8192))
    return (block * (size // len(block) + 1))[:size]


class Player:
    """Plays steps against one server. Files are named below the served folder, www/."""

    def __init__(self, server):
        self.server = server
        self.timeout = 10.0 * server.patience
        self.saved = {}
        self.expectation = expect.Expectation(self.value, self.read_file, self.saved.__setitem__)
        self.connections = {}
        self.asked = {}           # methods sent on a connection whose answers were not read yet
        self.current = 'main'
        self.client = None
        self.answer = None        # the one that was looked at last
        self.by_request = False   # the last thing asked was a `request`, not bytes
        self.status = self.printed = None  # of the last `run`
        self.begun = {}           # connection -> answer whose body is not read yet

    # ---- playing ----

    def play(self, steps):
        for step in steps:
            function = getattr(self, 'step_' + step.verb.replace('-', '_'), None)
            if function is None:
                raise script.ScriptError('%s: no step is called "%s"' % (step.where(), step.verb))
            try:
                function(self.expanded(step.argument), step)
            except (expect.Mismatch, wire.ProtocolError, OSError) as error:
                text = '%s: %s: %s' % (step.where(), (step.verb + ' ' + step.argument).strip()[:80], error)
                if self.answer is not None and isinstance(error, expect.Mismatch) and 'The answer was:' not in text:
                    text += '\nThe answer was:\n' + str(self.answer)
                raise expect.Mismatch(text) from error

    def finish(self):
        """At the end nothing may have come that no step expected."""
        for name, connection in self.connections.items():
            if name not in self.begun and not self.asked.get(name) and connection.buffer:
                raise expect.Mismatch('connection %s holds bytes nobody asked for: %r' % (name, connection.buffer[:200]))

    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.connections.clear()
        if self.client:
            self.client.close()
            self.client = None

    def close_except(self, kept):
        """Before a step is tried again: connections of the last try are of no use to the next."""
        for name in set(self.connections) - kept:
            self.connections.pop(name).close()
            self.asked.pop(name, None)
        if self.client:
            self.client.close()

    def value(self, name):
        if name in self.saved:
            return self.saved[name]
        if name == 'port':
            return self.server.port
        if name == 'dir':
            return self.server.folder
        if name.startswith('port'):
            return self.saved.setdefault(name, servers.free_port())
        raise script.ScriptError('nothing is known under the name {{%s}}' % name)

    def expanded(self, text):
        return script.expand(text, self.value)

    def path(self, name):
        return os.path.join(self.server.folder, 'www', name)

    def read_file(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    # ---- files ----

    def content(self, step, argument):
        """(path, bytes): text behind the name, or the block with its lines ended by \\n."""
        name, _, text = argument.partition(' ')
        if step.block:
            text = self.expanded(step.text) + '\n'
        return self.path(os.fsdecode(script.unescape(name))), script.unescape(text)

    def put(self, path, data, mode='wb'):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode) as file:
            file.write(data)

    def step_file(self, argument, step):
        self.put(*self.content(step, argument))

    step_write = step_file

    def step_append(self, argument, step):
        self.put(*self.content(step, argument), mode='ab')

    def step_replace(self, argument, step):
        path, data = self.content(step, argument)
        self.put(path + '.new', data)
        os.rename(path + '.new', path)

    def step_fill(self, argument, step):
        name, size = argument.split()
        self.put(self.path(name), pattern(int(size)))

    def step_truncate(self, argument, step):
        name, size = argument.split()
        os.truncate(self.path(name), int(size))

    def step_touch(self, argument, step):
        name, when = argument.split()
        os.utime(self.path(name), (int(when), int(when)))

    def step_mkdir(self, argument, step):
        os.makedirs(self.path(argument), exist_ok=True)

    def step_symlink(self, argument, step):
        name, _, target = argument.partition(' -> ')
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        os.symlink(target, self.path(name))

    def step_delete(self, argument, step):
        path = self.path(argument)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)

    def step_rename(self, argument, step):
        old, new = argument.split()
        os.rename(self.path(old), self.path(new))

    def step_compress(self, argument, step):
        """compress PATH: makes PATH.gz, PATH.br and PATH.zst beside it."""
        path = self.path(argument)
        for program in (['gzip', '-kf9'], ['brotli', '-kf'], ['zstd', '-kqf']):
            servers.subprocess.run(program + [path], check=True)

    # ---- bytes ----

    @property
    def connection(self):
        if self.current not in self.connections:
            self.connections[self.current] = wire.Connection(self.server.port, self.timeout,
                                                              tls=self.server.protocol.tls())
        return self.connections[self.current]

    def step_connect(self, argument, step):
        """connect NAME [to PORT [at ADDRESS]]: a new connection, which the steps below use."""
        name, _, port = argument.partition(' to ')
        port, _, address = port.partition(' at ')
        self.current = name or 'main'
        if self.current in self.connections:
            self.connections[self.current].close()
        self.asked[self.current] = []
        self.begun.pop(self.current, None)
        self.by_request = False
        port = int(port or self.server.port)
        self.connections[self.current] = wire.Connection(
            port, self.timeout, address or '127.0.0.1', self.server.protocol.tls() if port == self.server.port else None)

    def step_secure(self, argument, step):
        """secure NAME to PORT: a connection over TLS, whatever the server's certificate is."""
        name, _, port = argument.partition(' to ')
        self.current, self.by_request, self.asked[name] = name, False, []
        self.connections[name] = wire.Connection(int(port), self.timeout, tls=protocols.unverified())

    def step_on(self, argument, step):
        self.current = argument
        self.by_request = False

    def lines(self, step):
        return b''.join(script.unescape(self.expanded(line)) + b'\r\n' for line in step.block)

    def sent(self, data):
        """Remembers the methods of the requests in it, for answers without a body."""
        self.by_request = False
        found = re.findall(rb'^(?:\r\n)*([A-Za-z-]+) [^\r\n]* HTTP/1', data, re.M)
        self.asked.setdefault(self.current, []).extend(x.decode() for x in found)

    def step_send(self, argument, step):
        """send TEXT, or a block whose lines end with CRLF; nothing is added."""
        data = script.unescape(argument) + self.lines(step)
        self.sent(data)
        self.connection.send(data)

    def step_head(self, argument, step):
        """A block of lines with CRLF, and the empty line. `head bytewise` sends every byte by itself."""
        data = self.lines(step) + b'\r\n'
        self.sent(data)
        if argument == 'bytewise':
            for i in range(len(data)):
                self.connection.send(data[i:i + 1])
        else:
            self.connection.send(data)

    def step_half_close(self, argument, step):
        self.connection.half_close()

    def step_drop(self, argument, step):
        self.connection.close(reset=argument == 'reset')
        del self.connections[self.current]
        self.asked[self.current] = []
        self.begun.pop(self.current, None)

    def step_begin(self, argument, step):
        """begin STATUS: reads the head of the next answer and leaves its body for `finish`."""
        answer = self.connection.head()
        wire.check_head(answer)
        self.asked[self.current] = self.asked.get(self.current, [])[1:]
        self.begun[self.current] = self.answer = answer
        expect.check_status(answer, argument)
        self.expectation.check(answer, step.block)

    def step_finish(self, argument, step):
        """Reads the body that `begin` left. `finish cut off`: the server ends the connection before its end."""
        answer = self.begun.pop(self.current)
        self.connection.body(answer, 'GET')
        self.answer = answer
        if answer.complete == (argument == 'cut off'):
            raise expect.Mismatch('the body is %s after %d bytes' %
                                  ('complete' if answer.complete else 'cut off', len(answer.body)))
        self.expectation.check(answer, step.block)

    # ---- requests ----

    def step_request(self, argument, step):
        """request METHOD TARGET with a block of fields; `body: TEXT` is the body. Host is localhost if not given."""
        method, target = argument.split(' ', 1)
        fields, body = [], None
        for line in step.block:
            name, colon, value = self.expanded(line).partition(':')
            if not colon:
                raise script.ScriptError('%s: not a field: %s' % (step.where(), line))
            if name == 'body':
                body = script.unescape(value.strip())
            else:
                fields.append((name, value.strip()))
        if not any(name.lower() == 'host' for name, _ in fields):
            fields.insert(0, ('Host', 'localhost'))
        if self.client is None:
            self.client = self.server.protocol.client(self.server.port, self.timeout)
        try:
            self.answer = self.client.request(method, target, fields, body)
        except (wire.ProtocolError, OSError):
            self.client.close()
            raise
        self.by_request = True

    # ---- expectations ----

    def step_expect(self, argument, step):
        words = argument.split()
        if words[0] == 'closed':
            self.expect_closed()
            return
        if words[0] == 'silence':
            if not self.connection.is_silent(seconds(words[1]) if len(words) > 1 else 0.1):
                raise expect.Mismatch('something came, or the connection ended: %r' % self.connection.buffer[:200])
            return
        if words[0] == 'interim':
            self.answer = self.connection.head()
            expect.check_status(self.answer, words[1])
            return
        if not self.by_request:
            self.answer = None
            methods = self.asked.get(self.current, [])
            self.answer = self.connection.response(methods.pop(0) if methods else 'GET')
        if not self.answer.complete:
            raise expect.Mismatch('the connection ended within the body, after %d bytes' % len(self.answer.body))
        expect.check_status(self.answer, words[0])
        self.expectation.check(self.answer, step.block)

    def step_redirects(self, argument, step):
        """redirects home: where the answer sends the client, if anywhere, is on the host it asked."""
        target = self.answer.get('Location')
        if target and not re.match(r'(https?://localhost(:\d+)?)?/([^/\\]|$)', target):
            raise expect.Mismatch('Location: %s leads away' % target)

    def expect_closed(self):
        data = self.connection.rest()
        if data:
            raise expect.Mismatch('more bytes before the end: %r' % data[:300])
        if self.connection.isCut:
            raise expect.Mismatch('the end came without a close_notify of TLS')
        self.asked[self.current] = []
        self.connections.pop(self.current).close()

    def step_turned(self, argument, step):
        """turned away: no answer, or 503, and the end of the connection."""
        data = self.connection.rest()
        if data and not data.startswith(b'HTTP/1.1 503 '):
            raise expect.Mismatch('an answer came: %r' % data[:200])
        self.asked[self.current] = []
        self.connections.pop(self.current).close()

    def step_times(self, argument, step):
        """times N: the block N times."""
        for _ in range(int(argument)):
            self.play(step.inner())

    def step_eventually(self, argument, step):
        """eventually within 1s: the block is played again until it passes or the time is over."""
        match = re.match(r'within (.+)$', argument)
        deadline = time.monotonic() + seconds(match.group(1)) * self.server.patience
        steps = step.inner()
        kept = set(self.connections)
        while True:
            try:
                self.play(steps)
                return
            except expect.Mismatch:
                self.close_except(kept)
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def step_pause(self, argument, step):
        """For what is slow by intention, such as a client that stops in the middle of a header."""
        time.sleep(seconds(argument))

    # ---- the server as a process ----

    def step_configure(self, argument, step):
        """A new configuration file: JSON merged over the runner's, or with `configure raw` just this text."""
        if argument == 'raw':
            self.server.write_config(self.expanded(step.text) + '\n')
        else:
            self.server.configure(self.expanded(step.text))

    def step_signal(self, argument, step):
        self.server.signal(argument)

    def step_console(self, argument, step):
        self.server.console(argument)

    def step_console_end(self, argument, step):
        self.server.process.stdin.close()
        self.server.process.stdin = None

    def step_output(self, argument, step):
        self.wait_for(argument, lambda: self.server.output.text())

    def step_errors(self, argument, step):
        self.wait_for(argument, lambda: self.server.errors.text())

    def step_said(self, argument, step):
        """On either stream."""
        self.wait_for(argument, lambda: self.server.output.text() + self.server.errors.text())

    def wait_for(self, argument, text):
        """contains TEXT | ~ REGEX | lacks TEXT: within the usual time limit."""
        operator, _, operand = argument.partition(' ')
        deadline = time.monotonic() + self.timeout
        while not compare_text(text(), operator, operand):
            if time.monotonic() > deadline:
                raise expect.Mismatch('not said: the last of it was:\n' + text()[-1500:])
            time.sleep(0.01)

    def step_listening(self, argument, step):
        if not servers.answers(int(argument)):
            raise expect.Mismatch('nobody listens on port %s' % argument)

    def step_refused(self, argument, step):
        if servers.answers(int(argument)):
            raise expect.Mismatch('somebody listens on port %s' % argument)

    def step_running(self, argument, step):
        if not self.server.is_running():
            status = self.server.process.poll() if self.server.process else None
            raise expect.Mismatch('the server has ended with status %s:\n%s' % (status, self.server.said()))

    def step_exits(self, argument, step):
        """exits STATUS|any [within TIME]"""
        status, _, limit = argument.partition(' within ')
        ended = self.server.wait(seconds(limit) if limit else 5)
        if ended is None:
            raise expect.Mismatch('the server still runs')
        if status not in (str(ended), 'any'):
            raise expect.Mismatch('the server ended with status %d:\n%s' % (ended, self.server.said()))
        self.server.process = None

    def step_start(self, argument, step):
        """start [ARGUMENTS]: the server of this scenario, ended before, starts again."""
        self.server.stop()
        self.server.start(shlex.split(argument))

    def step_run(self, argument, step):
        """run ARGUMENTS: the program is to end by itself; `exit` and `printed` look at what it did."""
        self.status, self.printed = self.server.run(shlex.split(argument))

    def step_exit(self, argument, step):
        """exit STATUS | exit not STATUS"""
        status = argument.split()[-1]
        if (str(self.status) == status) == argument.startswith('not '):
            raise expect.Mismatch('it ended with status %d and said:\n%s' % (self.status, self.printed))

    def step_printed(self, argument, step):
        operator, _, operand = argument.partition(' ')
        if operator == 'json':
            json.loads(self.printed)
        elif not compare_text(self.printed, operator, operand):
            raise expect.Mismatch('it printed:\n' + self.printed)


    def step_keep(self, argument, step):
        """keep printed as PATH: what `run` printed, as a file."""
        self.put(self.path(argument.split(' as ')[1]), self.printed.encode())

    # ---- files that the server writes ----

    def step_holds(self, argument, step):
        """holds PATH contains TEXT (or ~, lacks, count)."""
        name, operator, operand = argument.split(' ', 2)
        text = self.read_file(name).decode('utf-8', 'backslashreplace')
        if not compare_text(text, operator, script.unescape(operand).decode()):
            raise expect.Mismatch('%s holds:\n%s' % (name, text[-1000:]))

    def step_json_lines(self, argument, step):
        """json-lines PATH N: that many lines, each a JSON object."""
        name, count = argument.split()
        lines = self.read_file(name).decode().splitlines()
        if len(lines) != int(count) or not all(isinstance(json.loads(line), dict) for line in lines):
            raise expect.Mismatch('%s holds:\n%s' % (name, '\n'.join(lines[-5:])))

    def step_one(self, argument, step):
        """one of PATH PATH contains TEXT"""
        _, first, second, rest = argument.split(' ', 3)
        self.step_holds('%s %s' % (first if os.path.exists(self.path(first)) else second, rest), step)

    def step_absent(self, argument, step):
        if os.path.exists(self.path(argument)):
            raise expect.Mismatch('%s is there' % argument)

    def step_occupy(self, argument, step):
        """occupy PORT: this program listens there until the scenario ends."""
        listener = servers.socket.create_server(('127.0.0.1', int(argument)))
        self.connections['occupied ' + argument] = Occupied(listener)


class Occupied:
    """A listener of ours among the connections, so that it is closed with them."""
    buffer = b''

    def __init__(self, listener):
        self.listener = listener

    def close(self):
        self.listener.close()


def compare_text(text, operator, operand):
    if operator == 'contains':
        return operand in text
    if operator == 'lacks':
        return operand not in text
    if operator == '~':
        return re.search(operand, text, re.M) is not None
    if operator == 'count':
        number, operand = operand.split(' ', 1)
        return text.count(operand) == int(number)
    raise script.ScriptError('not a comparison: %s %s' % (operator, operand))
