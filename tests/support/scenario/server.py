"""A sakerd of a test's own: a folder, free ports, loopback only. Started, spoken to, and ended by its process id."""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from . import protocols

# Ports that this run has given out; two servers of one run never get the same.
_given = set()
_lock = threading.Lock()


def port_range():
    """Ports that the system does not give to clients: one that is free now stays free until a server takes it."""
    try:
        with open('/proc/sys/net/ipv4/ip_local_port_range', encoding='ascii') as file:
            lowest = int(file.read().split()[0])
    except (OSError, ValueError):
        lowest = 32768
    return (10240, lowest) if lowest > 12000 else (10240, 65536)


def free_port():
    with _lock:
        while True:
            port = random.randrange(*port_range())
            if port in _given:
                continue
            _given.add(port)
            try:
                with socket.socket() as probe:
                    probe.bind(('127.0.0.1', port))
                return port
            except OSError:
                pass


def answers(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(('127.0.0.1', port)) == 0


class Lines:
    """What a program prints, collected while it runs."""

    def __init__(self, stream):
        self.data = b''
        self.thread = threading.Thread(target=self.collect, args=(stream,), daemon=True)
        self.thread.start()

    def collect(self, stream):
        while True:
            part = os.read(stream.fileno(), 65536)
            if not part:
                stream.close()
                return
            self.data += part

    def text(self):
        return self.data.decode('utf-8', 'backslashreplace')


class ServerError(Exception):
    """The server did not start, died, or did not end."""


def merge(base, more):
    """JSON objects, keys compared without case; an object's members are merged too."""
    names = {key.lower(): key for key in base}
    for key, value in more.items():
        name = names.get(key.lower(), key)
        if isinstance(value, dict) and isinstance(base.get(name), dict) and value.pop('', None) != 'replace':
            merge(base[name], value)
        else:
            base[name] = value
    return base


class Server:
    def __init__(self, program, backend, workers=1, patience=1.0, protocol=None):
        self.program = os.path.abspath(program)
        self.backend = backend
        self.protocol = protocol or protocols.ALL['http1']
        self.workers = workers
        self.patience = patience  # factor for time limits: a sanitizer build is slower
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix='saker-scenario-'))
        os.makedirs(self.folder + '/www/localhost')
        self.config = self.folder + '/saker.json'
        self.port = free_port()
        self.process = None
        self.output = self.errors = None
        self.names = {}           # values of {{names}} that its set-up used, e.g. further ports

    def base_config(self):
        return {'BackendDir': 'www', 'EventBackend': self.backend, 'Workers': self.workers, **self.protocol.ports(self.port)}

    def configure(self, text):
        """Writes the configuration: this JSON, merged over what every server of a test has."""
        config = merge(self.base_config(), json.loads(text) if text else {})
        self.write_config(json.dumps(config, indent=2) + '\n')

    def write_config(self, text):
        """As an editor does: a new file takes the old one's place."""
        with open(self.config + '.new', 'w', encoding='utf-8') as file:
            file.write(text)
        os.rename(self.config + '.new', self.config)

    def environment(self):
        keep = {key: value for key, value in os.environ.items()
                if key in ('PATH', 'LANG', 'LC_ALL', 'TZ') or key.endswith('SAN_OPTIONS')}
        keep.update(HOME=self.folder)
        return keep

    def start(self, arguments=None):
        command = [self.program] + (arguments or ['--config=' + self.config, '--ip=127.0.0.1'])
        self.process = subprocess.Popen(command, cwd=self.folder, env=self.environment(), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        self.output, self.errors = Lines(self.process.stdout), Lines(self.process.stderr)
        deadline = time.monotonic() + 10 * self.patience
        # It listens before it is all there; a signal in between would find no one to end gracefully.
        while not answers(self.port) or 'Listening for' not in self.output.text():
            if self.process.poll() is not None:
                status, self.process = self.process.returncode, None
                raise ServerError('sakerd ended with status %d at its start:\n%s' % (status, self.said()))
            if time.monotonic() > deadline:
                self.kill()
                raise ServerError('sakerd does not listen on port %d:\n%s' % (self.port, self.said()))
            time.sleep(0.01)

    def said(self):
        self.output.thread.join(1)
        self.errors.thread.join(1)
        errors = self.errors.text()
        fault = re.search(r'(ERROR: \w+Sanitizer|runtime error: |WARNING: ThreadSanitizer|Assertion )', errors)
        if fault:  # the first lines tell most
            return errors[max(0, fault.start() - 200):][:5000]
        return self.output.text()[-3000:] + errors[-3000:]

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, name):
        self.process.send_signal(getattr(signal, 'SIG' + name))

    def console(self, line):
        self.process.stdin.write(line.encode() + b'\n')

    def wait(self, seconds):
        """Its exit status once it ends within the time, else None."""
        try:
            return self.process.wait(seconds * self.patience)
        except subprocess.TimeoutExpired:
            return None

    def kill(self):
        if self.is_running():
            self.process.kill()
            self.process.wait()

    def stop(self):
        """Ends it politely; anything but a clean end is a ServerError."""
        if self.process is None:
            return
        process, self.process = self.process, None
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10 * self.patience)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise ServerError('sakerd does not end on SIGTERM:\n' + self.said())
        if process.stdin:
            process.stdin.close()
        if process.returncode != 0:
            raise ServerError('sakerd ended with status %d:\n%s' % (process.returncode, self.said()))

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, arguments, seconds=10):
        """Runs the program to its end: (status, output and errors together)."""
        done = subprocess.run([self.program] + arguments, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds * self.patience, check=False)
        return done.returncode, done.stdout.decode('utf-8', 'backslashreplace')
