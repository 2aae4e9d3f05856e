#!/usr/bin/env python3
"""The layering check on small trees: a good one passes, each kind of bad one fails with its reason."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402

CMAKE = '''
saker_library(base PACKAGES fmt::fmt)
saker_library(os DEPENDS base)
saker_library(loop DEPENDS base os PRIVATE_PACKAGES PkgConfig::uring) # a comment
saker_library(control/protocol DEPENDS base)
saker_library(http FOLDERS h1 DEPENDS base
              loop)
'''

GOOD = {
    'engine/base/text.h': '#include <string>\n',
    'engine/base/text.cpp': '#include "base/text.h"\n#include <fmt/format.h>\n#include "base/version.h"\n',
    'engine/os/file.h': '#include "base/text.h"\n',
    'engine/os/file_posix.cpp': '#include "os/file.h"\n#include <unistd.h>\n#include <sys/stat.h>\n',
    'engine/os/file_win.cpp': '#include <windows.h>\n',
    'engine/loop/backend.h': '#include "os/file.h"\n',
    'engine/loop/backend_io_uring.cpp': '#include "loop/backend.h"\n#include <liburing.h>\n',
    'engine/http/h1/parser.h': '#include "loop/backend.h"\n',
    'cli/main.cpp': '#include "control/protocol/message.h"\n',
    'engine/control/protocol/message.h': '',
    'gui/main.cpp': '#include <QApplication>\n#include <QtCore/QString>\n',
}


def problems_of(changes, cmake=CMAKE):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**GOOD, **changes}.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)
        return check.Checker(root, check.layers_of_cmake(cmake)).run()


class Layering(unittest.TestCase):
    def expect(self, changes, part, cmake=CMAKE):
        problems = problems_of(changes, cmake)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(part, problems[0])

    def test_good_tree_passes(self):
        self.assertEqual(problems_of({}), [])

    def test_undeclared_library(self):
        self.expect({'engine/os/bad.h': '\n\n#include "loop/backend.h"\n'}, 'engine/os/bad.h:3: os includes "loop/backend.h"')

    def test_upward_include_from_a_sub_folder(self):
        self.expect({'engine/base/bad.h': '#include "http/h1/parser.h"\n'}, 'of http, which it does not declare')

    def test_same_folder_form_does_not_hide_an_edge(self):
        self.expect({'engine/os/bad.h': '#include "../loop/backend.h"\n'}, 'of loop')

    def test_angle_form_does_not_hide_an_edge(self):
        self.expect({'engine/os/bad.h': '#include <loop/backend.h>\n'}, 'of loop')

    def test_spaced_directive_does_not_hide_an_edge(self):
        self.expect({'engine/os/bad.h': '  #  include\t"loop/backend.h"\n'}, 'of loop')

    def test_program_beyond_the_control_libraries(self):
        self.expect({'cli/bad.cpp': '#include "http/h1/parser.h"\n'}, 'cli includes')

    def test_engine_including_a_program(self):
        self.expect({'cli/table.h': '', 'engine/http/bad.cpp': '#include "../../cli/table.h"\n'}, 'of cli')

    def test_folder_without_a_library(self):
        self.expect({'engine/misc/thing.cpp': ''}, 'belongs to no library')

    def test_cycle(self):
        self.expect({}, 'circle: base -> os -> base', CMAKE.replace('saker_library(base', 'saker_library(base DEPENDS os'))

    def test_unknown_dependency(self):
        self.expect({}, 'depends on nowhere', CMAKE + 'saker_library(tls DEPENDS nowhere)\n')

    def test_platform_header_in_a_header(self):
        self.expect({'engine/os/bad.h': '#include <sys/socket.h>\n'}, 'header of one system')

    def test_platform_header_in_a_neutral_source(self):
        self.expect({'engine/http/bad.cpp': '#include <unistd.h>\n'}, 'header of one system')

    def test_windows_header_in_a_neutral_source(self):
        self.expect({'engine/base/bad.cpp': '#include <Windows.h>\n'}, 'header of one system')

    def test_header_for_one_system_from_a_neutral_source(self):
        self.expect({'engine/os/fd_posix.h': '#include <unistd.h>\n', 'engine/os/bad.cpp': '#include "os/fd_posix.h"\n'},
                    'only files for that system')

    def test_vendor_header_in_the_wrong_library(self):
        for name in ('Poco/Logger.h', 'openssl/ssl.h', 'rapidjson/reader.h', 'nghttp2/nghttp2.h', 'liburing.h', 'QString'):
            self.expect({'engine/os/bad.cpp': '#include <%s>\n' % name}, '<%s> is not for os' % name)

    def test_vendor_header_in_a_header(self):
        self.expect({'engine/control/protocol/bad.h': '#include <rapidjson/document.h>\n'}, 'in a header')

    def test_test_framework_in_the_engine(self):
        self.expect({'engine/http/bad.cpp': '#include <gtest/gtest_prod.h>\n'}, 'only tests may')

    def test_layers_file_reads_the_same(self):
        text = 'base: \nos: base\ncontrol/protocol: base os\n'
        self.assertEqual(check.layers_of_text(text), {'base': set(), 'os': {'base'}, 'control/protocol': {'base', 'os'}})


if __name__ == '__main__':
    unittest.main()
