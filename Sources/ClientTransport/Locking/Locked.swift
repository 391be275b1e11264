#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A value that any thread may use, one at a time.
///
/// The client's only lock. `Mutex` and `Atomic` of the standard library need iOS 18 and macOS 15; a
/// POSIX mutex is available everywhere, and the same on Linux, where it is tested.
package final class Locked<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  package init(_ value: sending Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1).deallocate()
    value.deinitialize(count: 1).deallocate()
  }

  /// Reads or changes the value while no other thread does.
  ///
  /// Not reentrant: `body` must not use the same lock.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
