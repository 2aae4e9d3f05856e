#include "handlers/static_files/static_options.h"

#include "http/configured_field.h"
#include "schema/type_of.h"

namespace saker::static_files {

using schema::field;
using schema::Unit;

StaticOptions::StaticOptions()
    : downloadIfExtension{"zip", "tar", "gz", "jar", "apk", "dll", "exe", "bat", "bash", "sh", "x86_64"},
      extTypes{
          {"html,htm,xhtml", {"Content-Type: text/html", "Cache-Control: max-age=86400"}},
          {"php", {"Content-Type: text/html"}},
          {"txt,log", {"Content-Type: text/plain"}},
          {"css", {"Content-Type: text/css"}},
          {"svg", {"Content-Type: image/svg+xml"}},
          {"mp3", {"Content-Type: audio/mpeg"}},
          {"js", {"Content-Type: application/javascript"}},
          {"json", {"Content-Type: application/json"}},
          {"pdf", {"Content-Type: application/pdf"}},
          {"zip", {"Content-Type: application/zip"}},
          {"jar", {"Content-Type: application/jar"}},
          {"dll", {"Content-Type: application/dll"}},
          {"exe", {"Content-Type: application/exe"}},
          {"apk", {"Content-Type: application/vnd.android.package-archive"}},
          {"wasm", {"Content-Type: application/wasm"}},
          {"png", {"Content-Type: image/png"}},
          {"jpeg,jpg", {"Content-Type: image/jpeg"}},
          {"gif", {"Content-Type: image/gif"}},
          {"webp", {"Content-Type: image/webp"}},
          {"ico", {"Content-Type: image/ico"}},
          {"wav", {"Content-Type: audio/wav"}},
          {"ogg", {"Content-Type: audio/ogg"}},
          {"mp4", {"Content-Type: video/mp4"}},
          {"flv", {"Content-Type: video/flv"}},
          {"mkv", {"Content-Type: video/mkv"}},
          {"wmf", {"Content-Type: video/wmf"}},
          {"avi", {"Content-Type: video/avi"}},
          {"webm", {"Content-Type: video/webm"}},
          {"srt,vtt", {"Content-Type: text/plain; charset=utf-8"}},
      },
      defaultHeaders{
          {"Server", "Saker"},
          {"vary", "Accept-Encoding"},
          {"Accept-Ranges", "bytes"},
          {"Access-Control-Allow-Origin", "*"},
          {"cache-control", "max-age=300"},
      } {}

const schema::Description& StaticOptions::fields() {
    static const schema::Description kFields = schema::describe<StaticOptions>(
        "Static files",
        {field("DownloadIfExtension", "Downloads", &StaticOptions::downloadIfExtension)
             .withHelp(
                 "File extensions, without dot, that browsers are told to save instead of showing them.")
             .withNote("Browsers save these instead of showing them"),
         field("CompressionLevel", "Compression", &StaticOptions::compressionLevel)
             .withHelp("How hard gzip, brotli and zstd compress, for types that gain from it. A file is "
                       "compressed once and kept in the content cache.")
             .withNote("\"Optimal\" / 0, \"Fastest\" / 1, \"NoCompression\" / 2, \"SmallestSize\" / 3")
             .orNumbers(),
         field("ExtTypes", "Headers by extension", &StaticOptions::extTypes)
             .withHelp("Headers for files by their extension; several extensions are separated by commas. "
                       "They come before DefaultHeaders. Types not listed here are known to the server.")
             .withNote("Set headers per file extension")
             .keyedBy("extensions"),
         field("DefaultHeaders", "Headers", &StaticOptions::defaultHeaders)
             .withHelp("Headers of all static answers that are not errors. Answers of PHP, proxied servers, "
                       "C# and WebAssembly pages never get Cache-Control, Access-Control-Allow-Origin and "
                       "Accept-Ranges from here, nor a header that the page has set itself.")
             .withNote("Default headers of all answers that are not errors")
             .keyedBy("header"),
         field("DirectoryListing", "List folders", &StaticOptions::directoryListing)
             .withHelp(
                 "Whether a folder without index file is answered with a list of its files instead of 404."),
         field("Precompressed", "Use precompressed files", &StaticOptions::precompressed)
             .withHelp("Whether page.html.br, page.html.zst or page.html.gz is sent for page.html to clients "
                       "that accept it.")
             .forExperts(),
         field("ContentCacheSize", "Content cache", &StaticOptions::contentCacheSize)
             .withHelp("The most memory for the contents of small files and their compressed forms. 0 means "
                       "none: nothing is compressed on the fly then.")
             .countedIn(Unit::bytes)
             .forExperts(),
         field("MaxCachedFileSize", "Largest cached file", &StaticOptions::maxCachedFileSize)
             .withHelp("Larger files are not kept in the content cache but sent from the disk.")
             .countedIn(Unit::bytes)
             .forExperts()});
    return kFields;
}

void StaticOptions::check(schema::Checker& checker) const {
    http::checkDefaultHeaders(checker, defaultHeaders);
    http::checkExtTypes(checker, extTypes);
    for (std::size_t i = 0; i < downloadIfExtension.size(); ++i) {
        const std::string& extension = downloadIfExtension[i];
        if (extension.empty() || extension.front() == '.') {
            checker.error({"DownloadIfExtension", std::to_string(i)},
                          "expected a file extension without its dot, such as \"zip\"");
        }
    }
}

} // namespace saker::static_files
