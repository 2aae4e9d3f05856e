#include "tls/file_read.h"

#include "os/file.h"
#include "support/temp_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace saker::tls {
namespace {

TEST(FileRead, readsWhatIsThere) {
    test::TempFolder folder;
    folder.write("file", "0123456789");
    Ref<FileHandle> file = std::move(*os::openForRead(folder.at("file"))).share();
    warmFilePart(file->native(), 0, 10);
    warmFilePart(file->native(), 5, 1'000'000); // beyond its end
    for (bool mayWait : {false, true}) {
        std::string to(4, '\0');
        FileRead read = readFilePart(*file, 3, to, mayWait);
        EXPECT_EQ(read.outcome, FileRead::Outcome::read);
        EXPECT_EQ(read.size, 4U);
        EXPECT_EQ(to, "3456");
        read = readFilePart(*file, 8, to, mayWait);
        EXPECT_EQ(read.size, 2U);
        read = readFilePart(*file, 10, to, mayWait);
        EXPECT_EQ(read.outcome, FileRead::Outcome::failed);
        EXPECT_EQ(read.error, EIO);
    }
}

TEST(FileRead, tellsWhatCannotBeRead) {
    const Ref<FileHandle> closed = makeRef<FileHandle>(-1);
    std::string to(4, '\0');
    EXPECT_EQ(readFilePart(*closed, 0, to, false).error, EBADF);
}

} // namespace
} // namespace saker::tls
