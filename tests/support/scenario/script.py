"""Reads a scenario file: indentation makes the structure, one directive or step a line, its block below it."""
import re


class ScriptError(Exception):
    """The file itself is wrong, as opposed to what it finds out about the server."""


class Step:
    """One line and the block that belongs to it."""

    def __init__(self, verb, argument, block, file, line):
        self.verb = verb          # 'expect'
        self.argument = argument  # '200'
        self.block = block        # its lines, without their common indentation
        self.file = file
        self.line = line

    @property
    def text(self):
        return '\n'.join(self.block)

    def where(self):
        return '%s:%d' % (self.file, self.line)

    def inner(self):
        """The block as steps of their own."""
        return parse_steps(self.block, self.file, self.line + 1)


class Scenario:
    def __init__(self, name, step):
        self.name = name
        self.steps = step.inner()
        self.where = step.where()
        self.fresh = False    # a server and a folder of its own
        self.needs = []       # programs without which it is skipped
        self.plain = ''       # why it holds without TLS only


class Script:
    def __init__(self, path, steps):
        self.path = path
        self.config = None    # text of the configuration, merged over the runner's
        self.arguments = None # of the server, instead of --config
        self.setup = []       # steps that make files, before the server starts
        self.scenarios = []
        for step in steps:
            self.take(step)
        if not self.scenarios:
            raise ScriptError('%s: holds no scenario' % path)

    def take(self, step):
        if step.verb == 'config':
            self.config = step.text
        elif step.verb == 'server':
            self.arguments = step.argument
        elif step.verb == 'scenario':
            scenario = Scenario(step.argument, step)
            while scenario.steps and scenario.steps[0].verb in ('fresh', 'needs', 'plain'):
                mark = scenario.steps.pop(0)
                scenario.fresh = scenario.fresh or mark.verb == 'fresh'
                if mark.verb == 'needs':
                    scenario.needs += mark.argument.split()
                if mark.verb == 'plain':
                    scenario.plain = mark.argument or 'without TLS only'
            self.scenarios.append(scenario)
        else:
            self.setup.append(step)


def indentation(line):
    return len(line) - len(line.lstrip(' '))


def parse_steps(lines, file, first_line):
    """Lines of one level, each with the deeper ones below it."""
    steps = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip() or line.startswith('#'):
            at += 1
            continue
        if line.startswith((' ', '\t')):
            raise ScriptError('%s:%d: indented deeper than the line it belongs to' % (file, first_line + at))
        end = at + 1
        while end < len(lines) and (not lines[end].strip() or lines[end].startswith(' ')):
            end += 1
        block = lines[at + 1:end]
        while block and not block[-1].strip():
            block.pop()
        depth = min((indentation(x) for x in block if x.strip()), default=0)
        verb, _, argument = line.rstrip().partition(' ')
        steps.append(Step(verb, argument.strip(), [x[depth:] for x in block], file, first_line + at))
        at = end
    return steps


def load(path, shown=None):
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    for number, line in enumerate(lines, 1):
        if '\t' in line or line.endswith('\r'):
            raise ScriptError('%s:%d: a tab or a carriage return; write \\t or \\r' % (shown or path, number))
    return Script(shown or path, parse_steps(lines, shown or path, 1))


ESCAPE = re.compile(r'\\(x[0-9A-Fa-f]{2}|[rnt0\\e])')
PLAIN = {'r': '\r', 'n': '\n', 't': '\t', '0': '\0', '\\': '\\', 'e': '\x1b'}


def unescape(text):
    """Text of a scenario to bytes: \\r \\n \\t \\0 \\e \\\\ and \\xHH; all else is UTF-8."""
    out, at = b'', 0
    for match in ESCAPE.finditer(text):
        out += text[at:match.start()].encode()
        code = match.group(1)
        out += bytes([int(code[1:], 16)]) if code[0] == 'x' else PLAIN[code].encode()
        at = match.end()
    return out + text[at:].encode()


VARIABLE = re.compile(r'\{\{(.*?)\}\}')


def expand(text, values):
    """Replaces {{name}} by values(name), and {{repeat N TEXT}} by N times the text."""
    def one(match):
        words = match.group(1).split(' ', 2)
        if words[0] == 'repeat' and len(words) == 3:
            return int(words[1]) * words[2]
        return str(values(match.group(1)))
    return VARIABLE.sub(one, text)
