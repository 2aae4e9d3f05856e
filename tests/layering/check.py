#!/usr/bin/env python3
"""Holds the sources to the layers of resources/docs/design/architecture.md, section 1.

    check.py [--root DIR] [--layers FILE]

Reads which library may include which (FILE is build/<preset>/layers.txt as CMake writes it; without it the
saker_library() calls of engine/CMakeLists.txt are read), then every #include under engine/, gui/ and cli/, and fails on
an edge that is not declared, on a cycle of libraries, and on a header of the system or of another project in a file
that has to do without it.
"""
import argparse
import os
import re
import sys

SOURCE = re.compile(r'\.(h|cpp)$')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.M)

# Bodies for one system, by the end of the file's name; the same names that CMake leaves out elsewhere.
PLATFORM_FILE = re.compile(r'_(posix|linux|epoll|io_uring|win|iocp)\.(h|cpp)$')

# Headers of an operating system. Those that C++ shares with C (stdio.h, time.h …) are not in it.
PLATFORM_HEADER = re.compile(
    r'^(sys/|arpa/|net/if|netinet/|linux/|asm/|mach/'
    r'|(unistd|fcntl|poll|signal|pthread|sched|dirent|dlfcn|pwd|grp|spawn|termios|netdb|syslog|glob|fnmatch|ftw|endian)\.h$'
    r'|(windows|winsock2|ws2tcpip|mswsock|winbase|windef|winnt|io|direct|process|shlobj|aclapi|sddl|bcrypt)\.h$)', re.I)

ALL = None
NONE = set()
# Other projects' headers: pattern, the libraries that may include them, and those whose headers may do so too.
VENDOR = [
    (r'^Poco/', {'observe', 'net', 'store', 'tls', 'host', 'control/server', 'handlers', 'filters'}, {'host'}),
    (r'^openssl/', {'tls'}, {'tls'}),
    (r'^rapidjson/', {'schema', 'control/protocol'}, NONE),
    (r'^nghttp2/', {'http/h2'}, {'http/h2'}),
    (r'^liburing', {'loop'}, NONE),
    (r'^pcre2', {'routing'}, NONE),
    (r'^(brotli/|zstd|zlib|libdeflate)', {'handlers', 'filters'}, NONE),
    (r'^(nethost|hostfxr|coreclr_delegates)', {'handlers/dotnet'}, NONE),
    (r'^(wasm|wasmtime)\.h$|^wasmtime', {'handlers/wasm'}, NONE),
    (r'^(Qt[A-Z]\w*/|Q[A-Z]\w*$)', {'gui'}, {'gui'}),
    (r'^(gtest|gmock|benchmark)/', NONE, NONE),
    (r'^fmt/', ALL, ALL),
]

# The desktop app and the command line are programs beside the engine: what they share with it is this.
PROGRAMS = {
    'gui': {'base', 'os', 'schema', 'control/protocol', 'control/client'},
    'cli': {'base', 'os', 'schema', 'control/protocol', 'control/client'},
}


def layers_of_text(text):
    """{library: {may include}} of lines 'name: dependency dependency'."""
    layers = {}
    for line in text.splitlines():
        name, colon, dependencies = line.partition(':')
        if colon:
            layers[name.strip()] = set(dependencies.split())
    return layers


def layers_of_cmake(text):
    """The same, of saker_library(name … DEPENDS …) calls."""
    layers = {}
    text = re.sub(r'#.*', '', text)
    for call in re.finditer(r'\bsaker_library\s*\(([^)]*)\)', text):
        words, section = call.group(1).split(), ''
        layers.setdefault(words[0], set())
        for word in words[1:]:
            if word in ('FOLDERS', 'DEPENDS', 'PACKAGES', 'PRIVATE_PACKAGES'):
                section = word
            elif section == 'DEPENDS':
                layers[words[0]].add(word)
    return layers


def cycle_in(layers):
    """One cycle of libraries as a list, or None."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return None
        path.append(name)
        for dependency in sorted(layers.get(name, ())):
            found = visit(dependency)
            if found:
                return found
        path.pop()
        done.add(name)
        return None

    for name in sorted(layers):
        found = visit(name)
        if found:
            return found
    return None


def library_of(path, layers):
    """The library whose folder under engine/ holds this path: the longest name that fits."""
    folder = os.path.dirname(path)
    while folder:
        if folder in layers:
            return folder
        folder = os.path.dirname(folder)
    return None


def sources_under(root, top):
    for folder, folders, files in os.walk(os.path.join(root, top)):
        folders.sort()
        for name in sorted(files):
            if SOURCE.search(name):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


class Checker:
    def __init__(self, root, layers):
        self.root = root
        self.layers = layers
        self.problems = []
        self.files = 0
        self.includes = 0

    def problem(self, path, line, text):
        self.problems.append('%s:%d: %s' % (path, line, text))

    def run(self):
        for name, dependencies in sorted(self.layers.items()):
            for unknown in sorted(dependencies - set(self.layers)):
                self.problem('engine/CMakeLists.txt', 1, 'library %s depends on %s, which is not declared' % (name, unknown))
        cycle = cycle_in(self.layers)
        if cycle:
            self.problem('engine/CMakeLists.txt', 1, 'libraries in a circle: ' + ' -> '.join(cycle))
        for top in ('engine', 'gui', 'cli'):
            for path in sources_under(self.root, top):
                self.check_file(top, path)
        return self.problems

    def check_file(self, top, path):
        self.files += 1
        library = top if top in PROGRAMS else library_of(path[len('engine/'):], self.layers)
        if library is None:
            self.problem(path, 1, 'belongs to no library: declare its folder with saker_library() in engine/CMakeLists.txt')
            return
        with open(os.path.join(self.root, path), encoding='utf-8') as file:
            text = file.read()
        for match in INCLUDE.finditer(text):
            self.includes += 1
            line = text.count('\n', 0, match.start(2)) + 1
            self.check_include(path, line, library, match.group(2), match.group(1) == '"')

    def check_include(self, path, line, library, name, quoted):
        if quoted or library_of(name, self.layers):
            own = self.own_file(path, name)
            if own:
                self.check_edge(path, line, library, name, own)
                return
        if PLATFORM_HEADER.search(name):
            if not PLATFORM_FILE.search(path):
                self.problem(path, line, '<%s> is a header of one system: move what needs it into a *_posix, *_linux, '
                             '*_epoll, *_io_uring, *_win or *_iocp file' % name)
            return
        for pattern, libraries, in_headers in VENDOR:
            if not re.search(pattern, name):
                continue
            if not self.is_in(library, libraries):
                self.problem(path, line, '<%s> is not for %s: only %s may include it' %
                             (name, library, ', '.join(sorted(libraries)) or 'tests'))
            elif path.endswith('.h') and not self.is_in(library, in_headers) and not PLATFORM_FILE.search(path):
                self.problem(path, line, '<%s> in a header: keep it in the .cpp files' % name)
            return

    @staticmethod
    def is_in(library, libraries):
        return libraries is ALL or any(library == x or library.startswith(x + '/') for x in libraries)

    def own_file(self, path, name):
        """(top, path below the top) of an include that names a file of ours, else None."""
        for base in ('engine', 'gui', 'cli', os.path.dirname(path)):
            full = os.path.normpath(os.path.join(base, name)).replace(os.sep, '/')
            if os.path.exists(os.path.join(self.root, full)):
                top, _, rest = full.partition('/')
                return top, rest
        if library_of(name, self.layers):  # written by the build, e.g. base/version.h
            return 'engine', name
        return None

    def check_edge(self, path, line, library, name, own):
        top, rest = own
        target = top if top in PROGRAMS else library_of(rest, self.layers)
        if target is None:
            self.problem(path, line, '"%s" belongs to no library' % name)
            return
        allowed = PROGRAMS.get(library) if library in PROGRAMS else self.layers[library]
        if target != library and target not in allowed:
            self.problem(path, line, '%s includes "%s" of %s, which it does not declare (it declares: %s)' %
                         (library, name, target, ', '.join(sorted(allowed)) or 'nothing'))
        if PLATFORM_FILE.search(name) and not PLATFORM_FILE.search(path):
            self.problem(path, line, '"%s" is for one system: only files for that system may include it' % name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument('--root', default=os.path.dirname(os.path.dirname(here)), help='of the source tree')
    parser.add_argument('--layers', help='layers.txt of a configured build')
    arguments = parser.parse_args()
    if arguments.layers:
        with open(arguments.layers, encoding='utf-8') as file:
            layers = layers_of_text(file.read())
    else:
        with open(os.path.join(arguments.root, 'engine/CMakeLists.txt'), encoding='utf-8') as file:
            layers = layers_of_cmake(file.read())
    if not layers:
        sys.exit('layering: no library is declared')
    checker = Checker(arguments.root, layers)
    problems = checker.run()
    for problem in problems:
        print(problem)
    print('layering: %d libraries, %d files, %d includes, %d problem(s)' %
          (len(layers), checker.files, checker.includes, len(problems)))
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
