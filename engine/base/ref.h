// Counted references within one loop. The count is a plain integer: an object and all its references stay on
// one thread at a time; handing it over means handing over every reference (by EventLoop::post).
#pragma once

#include <cstdint>
#include <utility>

namespace saker {

/// Base of what Ref<T> can hold. Starts with no reference; dies with the last one.
class RefCounted {
public:
    RefCounted() = default;
    RefCounted(const RefCounted&) = delete;
    RefCounted& operator=(const RefCounted&) = delete;
    virtual ~RefCounted() = default;

    void addRef() { ++references_; }
    bool isShared() const { return references_ > 1; }
    std::uint32_t references() const { return references_; }
    void dropRef() {
        if (--references_ == 0) {
            delete this;
        }
    }

private:
    std::uint32_t references_ = 0;
};

template <class T>
class Ref {
public:
    Ref() = default;
    explicit Ref(T* object) : object_(object) {
        if (object_) {
            object_->addRef();
        }
    }
    Ref(const Ref& other) : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    template <class U>
    Ref(const Ref<U>& other) : Ref(other.get()) {}
    template <class U>
    Ref(Ref<U>&& other) noexcept : object_(other.leak()) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_) {
            object_->dropRef();
        }
    }

    T* get() const { return object_; }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }
    /// Gives the reference away: the caller owns one count.
    T* leak() { return std::exchange(object_, nullptr); }

private:
    T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> makeRef(Args&&... args) {
    return Ref<T>(new T(std::forward<Args>(args)...));
}

} // namespace saker
