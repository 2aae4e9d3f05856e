#include "tls/credential_files.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::tls {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// "certificate+chain+key+pkcs12+password+ocsp" for each, without the folder.
std::vector<std::string> pairs(std::vector<std::string> names) {
    std::vector<std::string> out;
    for (const CredentialFiles& files : pairFiles("/c", std::move(names))) {
        std::string text;
        for (const std::string& path :
             {files.certificate, files.chain, files.key, files.pkcs12, files.password, files.ocspResponse}) {
            text += (text.empty() ? "" : "+") + (path.empty() ? "-" : path.substr(3));
        }
        out.push_back(text);
    }
    return out;
}

TEST(PairFiles, ByRole) {
    EXPECT_THAT(pairs({"README", "cert.pem", "chain.pem", "fullchain.pem", "privkey.pem"}),
                ElementsAre("fullchain.pem+-+privkey.pem+-+-+-"));
    EXPECT_THAT(pairs({"cert.pem", "chain.pem", "privkey.pem"}),
                ElementsAre("cert.pem+chain.pem+privkey.pem+-+-+-"));
    EXPECT_THAT(pairs({"cert.pem", "privkey.pem"}), ElementsAre("cert.pem+-+privkey.pem+-+-+-"));
    EXPECT_THAT(pairs({"privkey.pem"}), ElementsAre("-+-+privkey.pem+-+-+-"));
    EXPECT_THAT(pairs({"fullchain.pem"}), ElementsAre("fullchain.pem+-+-+-+-+-"));
    EXPECT_THAT(
        pairs({"fullchain-rsa.pem", "fullchain.pem", "privkey-rsa.pem", "privkey.pem"}),
        ElementsAre("fullchain-rsa.pem+-+privkey-rsa.pem+-+-+-", "fullchain.pem+-+privkey.pem+-+-+-"));
}

TEST(PairFiles, ByStem) {
    EXPECT_THAT(pairs({"tls.crt", "tls.key"}), ElementsAre("tls.crt+-+tls.key+-+-+-"));
    EXPECT_THAT(pairs({"a.example+2-key.pem", "a.example+2.pem"}),
                ElementsAre("a.example+2.pem+-+a.example+2-key.pem+-+-+-"));
    EXPECT_THAT(pairs({"cert.pem", "key.pem"}), ElementsAre("cert.pem+-+key.pem+-+-+-"));
    EXPECT_THAT(pairs({"a.cer", "a.key", "ca.cer", "fullchain.cer"}),
                testing::Contains("a.cer+-+a.key+-+-+-"));
    EXPECT_THAT(pairs({"a.chain.pem", "a.key.pem", "a.pem"}),
                ElementsAre("a.pem+a.chain.pem+a.key.pem+-+-+-"));
    EXPECT_THAT(pairs({"both.pem"}), ElementsAre("both.pem+-+-+-+-+-"));
}

TEST(PairFiles, WithPasswordsAndResponses) {
    EXPECT_THAT(pairs({"a.p12", "a.p12.password", "b.PFX"}),
                ElementsAre("-+-+-+a.p12+a.p12.password+-", "-+-+-+b.PFX+-+-"));
    EXPECT_THAT(pairs({"fullchain.pem", "fullchain.pem.ocsp", "privkey.pem", "privkey.pem.password"}),
                ElementsAre("fullchain.pem+-+privkey.pem+-+privkey.pem.password+fullchain.pem.ocsp"));
}

TEST(PairFiles, PassesOverTheRest) {
    EXPECT_THAT(pairs({"README", "chain.pem", "dhparams.pem", "a.txt", "x.password", ".key", ""}), IsEmpty());
}

TEST(ListCredentialFiles, LooksIntoFoldersOneLevelDown) {
    test::TempFolder folder;
    folder.write("b.example/fullchain.pem");
    folder.write("b.example/privkey.pem");
    folder.write("a.example/cert.p12");
    folder.write("a.example/deeper/x.p12");
    folder.write(".hidden/x.p12");
    folder.write("flat.crt");
    folder.write("flat.key");
    folder.makeFolder("empty");
    const CredentialTree tree = listCredentialFiles(folder.at(""));
    EXPECT_THAT(tree.problems, IsEmpty());
    ASSERT_THAT(tree.files, SizeIs(3));
    EXPECT_EQ(tree.files[0].certificate, folder.at("flat.crt"));
    EXPECT_EQ(tree.files[1].pkcs12, folder.at("a.example/cert.p12"));
    EXPECT_EQ(tree.files[2].key, folder.at("b.example/privkey.pem"));
    EXPECT_THAT(tree.folders, ElementsAre(folder.at(""), folder.at("a.example"), folder.at("b.example"),
                                          folder.at("empty")));
}

TEST(ListCredentialFiles, KnowsLetsEncryptsTree) {
    test::TempFolder folder;
    folder.write("archive/a.example/privkey1.pem");
    folder.write("archive/a.example/fullchain1.pem");
    folder.link("live/a.example/privkey.pem", "../../archive/a.example/privkey1.pem");
    folder.link("live/a.example/fullchain.pem", "../../archive/a.example/fullchain1.pem");
    folder.link("live/a.example-0001/privkey.pem", "../../archive/a.example/privkey1.pem");
    folder.link("live/a.example-0001/fullchain.pem", "../../archive/a.example/fullchain1.pem");
    folder.write("live/README");
    for (const char* top : {"", "live"}) {
        const CredentialTree tree = listCredentialFiles(folder.at(top));
        ASSERT_THAT(tree.files, SizeIs(2)) << top;
        EXPECT_EQ(tree.files[0].key, folder.at("live/a.example/privkey.pem"));
        EXPECT_EQ(tree.files[1].certificate, folder.at("live/a.example-0001/fullchain.pem"));
    }
}

TEST(ListCredentialFiles, AMissingFolderIsSaid) {
    test::TempFolder folder;
    const CredentialTree tree = listCredentialFiles(folder.at("none"));
    ASSERT_THAT(tree.problems, SizeIs(1));
    EXPECT_EQ(tree.problems[0].severity, Severity::information);
    EXPECT_THAT(tree.problems[0].text(), HasSubstr(folder.at("none")));
}

} // namespace
} // namespace saker::tls
