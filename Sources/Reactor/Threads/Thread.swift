import CLinux
import Dispatch
import Glibc
import Synchronization

/// An operating system thread that runs one function.
package final class Thread: Sendable {
  /// The share of the processors that a thread gets under load.
  package enum Priority: Int32, Sendable {
    case normal = 0
    /// About a tenth of the share of other threads (`nice` 10).
    case background = 10
  }

  private let handle: Mutex<pthread_t?>

  /// Starts a thread.
  ///
  /// All signals are blocked in it: the main thread handles them.
  package init(
    name: String, priority: Priority = .normal, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let start = Unmanaged.passRetained(
      Start(name: name, priority: priority, script: Kernel.script, body: body))
    var thread = pthread_t()
    var all = sigset_t()
    var old = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &old)
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        clinux_name_thread(start.name)
        // On Linux this affects only the calling thread; on failure its priority stays normal.
        if start.priority != .normal { _ = clinux_set_thread_nice(start.priority.rawValue) }
        start.run()
        return nil
      }, start.toOpaque())
    pthread_sigmask(SIG_SETMASK, &old, nil)
    guard code == 0 else {
      start.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    handle = Mutex(thread)
  }

  // The thread can no longer be joined, so it frees its resources when it ends.
  deinit {
    handle.withLock { handle in
      if let handle { pthread_detach(handle) }
    }
  }

  /// Whether the caller runs on this thread, which must not wait for itself.
  package var isCurrent: Bool {
    handle.withLock { handle in
      guard let handle else { return false }
      return pthread_equal(handle, pthread_self()) != 0
    }
  }

  /// Waits until the thread has ended.
  ///
  /// A second call returns immediately.
  package func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }

  private final class Start: Sendable {
    let name: String
    let priority: Priority
    /// The kernel replacement of the starting thread, if a test has set one.
    private let script: (any KernelScript)?
    private let body: @Sendable () -> Void

    init(
      name: String, priority: Priority, script: (any KernelScript)?,
      body: @escaping @Sendable () -> Void
    ) {
      self.name = name
      self.priority = priority
      self.script = script
      self.body = body
    }

    func run() {
      guard let script else { return body() }
      Kernel.replaced(by: script, body)
    }
  }
}

/// The outcomes of starting threads, for the thread that waits for them.
package final class StartReport<Failure: Error>: Sendable {
  private let outcomes = Mutex<[Result<Void, Failure>]>([])
  private let reported = DispatchSemaphore(value: 0)

  package init() {}

  /// Adds the outcome of one thread.
  package func add(_ outcome: Result<Void, Failure>) {
    outcomes.withLock { $0.append(outcome) }
    reported.signal()
  }

  /// Waits for `count` outcomes.
  ///
  /// - Throws: The first that is a failure.
  package func wait(for count: Int) throws(Failure) {
    for _ in 0..<count { reported.wait() }
    for outcome in outcomes.withLock({ $0 }) { try outcome.get() }
  }
}
