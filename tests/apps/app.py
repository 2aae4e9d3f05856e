"""What the application tests share: a server on free ports, required tools, and a closing line of counts."""
import argparse
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'support'))
from scenario.server import Server, ServerError, free_port  # noqa: E402,F401


class App:
    """One application test: check() counts, finish() prints the closing line and ends the program."""

    def __init__(self, about, tools=(), paths=(), words=None):
        parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument('--server', required=True, help='the sakerd to test (a release build)')
        parser.add_argument('--backend', default='auto', help='its event-loop backend (auto)')
        parser.add_argument('--keep', metavar='DIR', help='copy what is worth a look (a screenshot, logs) there')
        if words:
            parser.add_argument('--only', metavar='WORD', action='append', help=words)
        self.options = parser.parse_args()
        self.counts = {'ok': 0, 'FAILED': 0, 'SKIPPED': 0}
        self.instance = None
        missing = [tool for tool in tools if not shutil.which(tool)]
        missing += [name for path, name in paths if not os.path.exists(path)]
        if missing:
            self.say('SKIPPED', os.path.basename(sys.argv[0]), 'needs ' + ', '.join(missing))
            self.finish()

    def say(self, kind, name, text=''):
        self.counts[kind] += 1
        print('%-8s %s%s' % (kind, name, ': ' + text if text else ''), flush=True)

    def check(self, condition, name, text=''):
        self.say('ok' if condition else 'FAILED', name, text)
        return condition

    def server(self, workers=1):
        self.instance = Server(self.options.server, self.options.backend, workers)
        return self.instance

    def run(self, command, **more):
        """A tool's output; what it says on failure is part of it."""
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors='replace', check=False, **more)
        return done.returncode, done.stdout

    def keep(self, path):
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            shutil.copy(path, self.options.keep)

    def finish(self):
        if self.instance:
            try:
                self.instance.stop()
            except ServerError as error:
                self.say('FAILED', 'the end of the server', str(error))
            self.instance.remove()
        print('%d passed, %d failed, %d skipped' % (self.counts['ok'], self.counts['FAILED'], self.counts['SKIPPED']))
        sys.exit(1 if self.counts['FAILED'] else 0)

    def play(self, body):
        """Runs the test; whatever goes wrong, the server is ended and the counts are printed."""
        try:
            body(self)
        except Exception as error:  # the closing line must come
            self.say('FAILED', os.path.basename(sys.argv[0]), '%s: %s' % (type(error).__name__, error))
        self.finish()
