#include "observe/log_setup.h"

#include "observe/append_file.h"
#include "observe/log_escape.h"
#include "observe/repeat_limit.h"
#include "os/local_time.h"
#include "os/standard_error.h"

#include <Poco/AutoPtr.h>
#include <Poco/Channel.h>
#include <Poco/Exception.h>
#include <Poco/FileChannel.h>
#include <Poco/Logger.h>
#include <Poco/Message.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace saker::log {

namespace {

using Poco::Message;

Message::Priority priorityOf(Level level) {
    switch (level) {
    case Level::error:
        return Message::PRIO_ERROR;
    case Level::warning:
        return Message::PRIO_WARNING;
    case Level::info:
        return Message::PRIO_INFORMATION;
    case Level::debug:
        break;
    }
    return Message::PRIO_DEBUG;
}

/// Poco's own messages have priorities that ours lack.
Level levelOf(Message::Priority priority) {
    if (priority <= Message::PRIO_ERROR) {
        return Level::error;
    }
    if (priority == Message::PRIO_WARNING) {
        return Level::warning;
    }
    return priority <= Message::PRIO_INFORMATION ? Level::info : Level::debug;
}

/// The digit of syslog, which the journal reads in "<3>".
int syslogPriority(Level level) {
    switch (level) {
    case Level::error:
        return 3;
    case Level::warning:
        return 4;
    case Level::info:
        return 6;
    case Level::debug:
        break;
    }
    return 7;
}

const char* colourOf(Level level) {
    switch (level) {
    case Level::error:
        return "\033[1;31m";
    case Level::warning:
        return "\033[33m";
    case Level::info:
        return "\033[32m";
    case Level::debug:
        break;
    }
    return "\033[2m";
}

/// "[2024-05-01T12:34:56+02:00] [error] source: text".
std::string fullLine(const os::CalendarTime& time, Level level, const std::string& text) {
    int offset = std::abs(time.offsetMinutes);
    return fmt::format("[{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:{:02}] [{}] {}", time.year, time.month,
                       time.day, time.hour, time.minute, time.second, time.offsetMinutes < 0 ? '-' : '+',
                       offset / 60, offset % 60, levelName(level), text);
}

/// The one channel of Poco's root logger: stderr always, a file when there is one. Poco's own messages arrive
/// here too.
class LogChannel final : public Poco::Channel {
public:
    LogChannel() { lookAtStandardError(); }

    void log(const Message& message) override {
        Level level = levelOf(message.getPriority());
        std::string text = observe::escapeMessage(message.getText());
        if (!message.getSource().empty()) {
            text = observe::escapeMessage(message.getSource()) + ": " + text;
        }
        os::CalendarTime time = os::localTime(message.getTime().epochTime());
        std::lock_guard lock(mutex_);
        toStandardError(time, level, text);
        if (file_) {
            toFile(time, level, text);
        }
    }

    Result<void> use(const Setup& setup) {
        Poco::AutoPtr<Poco::FileChannel> file;
        if (!setup.file.empty()) {
            // Poco says that a file cannot be opened, but not why.
            if (auto probe = observe::AppendFile::open(setup.file, 0666); !probe) {
                return Error{probe.error().kind,
                             "the error log cannot be opened: " + probe.error().message +
                                 ". Name a file in a folder that this user may write to",
                             setup.file};
            }
            try {
                file =
                    new Poco::FileChannel(setup.file); // counted by AutoPtr, which takes the first reference
                file->setProperty("rotation",
                                  setup.rotateBytes == 0 ? "never" : std::to_string(setup.rotateBytes));
                file->setProperty("archive", "number");
                file->setProperty("purgeCount", std::to_string(std::max(1u, setup.keep)));
                file->open();
            } catch (const Poco::Exception& failure) {
                return Error{ErrorKind::failure,
                             "the error log cannot be opened: " + failure.displayText() +
                                 ". Name a file in a folder that this user may write to",
                             setup.file};
            }
        }
        std::lock_guard lock(mutex_);
        lookAtStandardError();
        file_ = std::move(file);
        fileName_ = setup.file;
        return {};
    }

    void reopen() {
        std::lock_guard lock(mutex_);
        if (file_) {
            try {
                file_->close();
                file_->open();
            } catch (const Poco::Exception& failure) {
                sayFileFailure(os::localTime(Poco::Timestamp().epochTime()), failure.displayText());
            }
        }
    }

private:
    // All below: with the lock held.
    void lookAtStandardError() {
        kind_ = os::standardErrorKind();
        const char* noColour = std::getenv("NO_COLOR");
        coloured_ = kind_ == os::StandardErrorKind::terminal && (!noColour || *noColour == '\0');
    }

    void toStandardError(const os::CalendarTime& time, Level level, const std::string& text) {
        std::string line;
        switch (kind_) {
        case os::StandardErrorKind::journal:
            line = fmt::format("<{}>{}\n", syslogPriority(level), text);
            break;
        case os::StandardErrorKind::terminal:
            line = fmt::format("{:02}:{:02}:{:02} {}{:<7}{} {}\n", time.hour, time.minute, time.second,
                               coloured_ ? colourOf(level) : "", levelName(level), coloured_ ? "\033[0m" : "",
                               text);
            break;
        case os::StandardErrorKind::other:
            line = fullLine(time, level, text) + "\n";
            break;
        }
        os::writeStandardError(line);
    }

    void toFile(const os::CalendarTime& time, Level level, const std::string& text) {
        try {
            file_->log(Message({}, fullLine(time, level, text), priorityOf(level)));
        } catch (const Poco::Exception& failure) {
            // A stream that has failed once (disk full) stays failed: the next line opens the file anew.
            file_->close();
            sayFileFailure(time, failure.displayText());
        }
    }

    void sayFileFailure(const os::CalendarTime& time, const std::string& why) {
        if (fileFailures_.admit()) {
            toStandardError(time, Level::error,
                            observe::escapeMessage("log: " + fileName_ + " cannot be written: " + why));
        }
    }

    std::mutex mutex_;
    os::StandardErrorKind kind_ = os::StandardErrorKind::other;
    bool coloured_ = false;
    Poco::AutoPtr<Poco::FileChannel> file_;
    std::string fileName_;
    observe::RepeatLimit fileFailures_{std::chrono::seconds(60)};
};

/// Installed in Poco's root logger with the first use.
LogChannel& channel() {
    static Poco::AutoPtr<LogChannel> instance = [] {
        auto made = Poco::makeAuto<LogChannel>();
        Poco::Logger::root().setChannel(made);
        Poco::Logger::root().setLevel(priorityOf(detail::currentLevel.load(std::memory_order_relaxed)));
        return made;
    }();
    return *instance;
}

} // namespace

void write(Level level, std::string_view source, std::string_view text) noexcept {
    if (!isOn(level)) {
        return;
    }
    try {
        channel().log(Message(std::string(source), std::string(text), priorityOf(level)));
    } catch (...) {
        os::writeStandardError("log: a line was lost for want of memory\n");
    }
}

Result<void> setUp(const Setup& setup) {
    Result<void> used = channel().use(setup);
    if (used) {
        detail::currentLevel.store(setup.level, std::memory_order_relaxed);
        Poco::Logger::root().setLevel(priorityOf(setup.level));
    }
    return used;
}

void reopen() {
    channel().reopen();
}

} // namespace saker::log
