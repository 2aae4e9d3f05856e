"""Holds an answer against the lines of an `expect` block."""
import gzip
import re
import subprocess
import zlib

from . import script


class Mismatch(Exception):
    """The server does something else than the scenario says."""


def decoded(answer):
    """The body without its content coding."""
    coding = (answer.get('Content-Encoding') or 'identity').lower()
    try:
        if coding == 'identity':
            return answer.body
        if coding == 'gzip':
            return gzip.decompress(answer.body)
        if coding == 'deflate':
            return zlib.decompress(answer.body)
        if coding in ('br', 'zstd'):
            program = {'br': ['brotli', '-dc'], 'zstd': ['zstd', '-dcq']}[coding]
            return subprocess.run(program, input=answer.body, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True).stdout
    except (OSError, EOFError, zlib.error, subprocess.CalledProcessError) as error:
        raise Mismatch('the body is not what Content-Encoding: %s says: %s' % (coding, error))
    raise Mismatch('an unknown Content-Encoding: %s' % coding)


def check_status(answer, wanted):
    if str(answer.status) not in wanted.split('|'):
        raise Mismatch('status %d where %s was expected' % (answer.status, wanted))


COMPARED = re.compile(r'(decoded body|body|version|reason|trailer [\w-]+)(?: (=|~|contains|lacks|size|is|file|starts) ?(.*))?$')


class Expectation:
    """One block of expectations. `values` expands variables, `read_file` gives a file's bytes, `save` keeps a value."""

    def __init__(self, values, read_file, save):
        self.values = values
        self.read_file = read_file
        self.save = save

    def check(self, answer, lines):
        for line in lines:
            line = script.expand(line.strip(), self.values)
            if line:
                self.check_line(answer, line)

    def check_line(self, answer, line):
        match = COMPARED.match(line)
        if match:
            self.compare(self.part(answer, match.group(1)), match.group(2), match.group(3), line)
            return
        words = line.split(' ', 1)
        if words[0] == 'no':
            if answer.all(words[1]):
                raise Mismatch('%s: %s, where that field was not expected' % (words[1], answer.get(words[1])))
        elif words[0] == 'once':
            if len(answer.all(words[1])) != 1:
                raise Mismatch('%s is there %d times, expected once' % (words[1], len(answer.all(words[1]))))
        elif words[0] == 'save':
            name, _, variable = words[1].partition(' as ')
            self.save(variable, self.field(answer, name))
        elif re.match(r'[\w-]+ ~ ', line):
            name, _, pattern = line.partition(' ~ ')
            if not re.search(pattern, self.field(answer, name)):
                raise Mismatch('%s: %s, which does not match %s' % (name, answer.get(name), pattern))
        elif re.match(r'[\w-]+:', line):
            name, _, value = line.partition(':')
            if self.field(answer, name) != value.strip():
                raise Mismatch('%s: %s, expected %s' % (name, answer.get(name), value.strip()))
        else:
            raise script.ScriptError('not an expectation: %s' % line)

    @staticmethod
    def field(answer, name):
        value = answer.get(name)
        if value is None:
            raise Mismatch('the field %s is missing' % name)
        return value

    @staticmethod
    def part(answer, name):
        if name == 'decoded body':
            return decoded(answer)
        if name == 'body':
            return answer.body
        if name.startswith('trailer '):
            return dict((k.lower(), v) for k, v in answer.trailers).get(name[8:].lower(), '').encode()
        return getattr(answer, name).encode('latin-1')

    def compare(self, actual, operator, operand, line):
        wanted = script.unescape(operand or '')
        if operator == '=':
            ok = actual == wanted
        elif operator == '~':
            ok = re.search(wanted, actual, re.S)
        elif operator == 'contains':
            ok = wanted in actual
        elif operator == 'lacks':
            ok = wanted not in actual
        elif operator == 'starts':
            ok = actual.startswith(wanted)
        elif operator == 'is' and operand == 'empty':
            ok = actual == b''
        elif operator == 'is' and operand == 'incomplete':
            raise script.ScriptError('"incomplete" is a line of its own kind: use the step "cut off"')
        elif operator == 'file':
            ok = actual == self.read_file(operand)
        elif operator == 'size':
            relation, number = re.match(r'([<>]?) ?(\d+)$', operand).groups()
            size, number = len(actual), int(number)
            ok = size < number if relation == '<' else size > number if relation == '>' else size == number
        else:
            raise script.ScriptError('not an expectation: %s' % line)
        if not ok:
            shown = actual[:300].decode('utf-8', 'backslashreplace')
            raise Mismatch('expected "%s", found %d bytes: %s' % (line, len(actual), shown))
