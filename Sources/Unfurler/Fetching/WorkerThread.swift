import Glibc

/// A thread of the operating system that runs one function.
struct WorkerThread: Sendable {
  private let handle: pthread_t

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts the thread; `nil` when the system has none to give.
  init?(_ run: @escaping @Sendable () -> Void) {
    var handle = pthread_t()
    let body = Unmanaged.passRetained(Body(run))
    let result = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      body.release()
      return nil
    }
    self.handle = handle
  }

  /// Waits for the function's end; once only, and not on the thread itself.
  func join() { pthread_join(handle, nil) }

  /// Lets the thread end by itself; instead of ``join()``.
  func detach() { pthread_detach(handle) }

  /// Whether the caller runs on this thread.
  var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }
}
