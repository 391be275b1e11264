import CLinux
import Glibc

/// The interface to the kernel: sockets, readiness, events and files.
///
/// Functions return the results of the C library: -1 with `errno` for a failure. A test can replace the
/// kernel with a ``KernelScript``, for its own thread and the threads started from it. Without a script
/// a call costs one load from thread-local memory and a branch that is never taken; `send`, which every
/// delivery calls, costs nothing extra.
package enum Kernel {
  /// Runs `body` with a script in place of the kernel, on this thread.
  package static func replaced<Result>(
    by script: any KernelScript, _ body: () throws -> Result
  ) rethrows -> Result {
    clinux_replace_send { descriptor, bytes, count, flags in
      Kernel.call(.send, descriptor, count) { Glibc.send(descriptor, bytes, $0, flags) }
    }
    let (replacement, previous) = (Replacement(script), clinux_thread_kernel())
    clinux_set_thread_kernel(Unmanaged.passUnretained(replacement).toOpaque())
    defer { clinux_set_thread_kernel(previous) }
    return try withExtendedLifetime(replacement) { try body() }
  }

  /// Whether a script is in effect on this thread.
  package static var isReplaced: Bool { clinux_thread_kernel() != nil }

  /// The script that handles this thread's calls.
  static var script: (any KernelScript)? {
    clinux_thread_kernel().map {
      Unmanaged<Replacement>.fromOpaque($0).takeUnretainedValue().script
    }
  }

  /// An object, because thread-local memory holds it as a single pointer.
  private final class Replacement {
    let script: any KernelScript

    init(_ script: any KernelScript) { self.script = script }
  }

  /// Repeats a call while a signal interrupts it.
  package static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    var result = call()
    while result < 0, errno == EINTR { result = call() }
    return result
  }

  @inline(__always)
  static func call(
    _ call: SystemCall, _ descriptor: Int32, _ count: Int = 0, _ body: (Int) -> Int
  ) -> Int {
    guard clinux_thread_kernel() != nil else { return body(count) }
    return scripted(call, descriptor, count, body)
  }

  @inline(never)
  private static func scripted(
    _ call: SystemCall, _ descriptor: Int32, _ count: Int, _ body: (Int) -> Int
  ) -> Int {
    guard let script else { return body(count) }
    let result = script.perform(call, on: descriptor, count: count) {
      let result = body($0)
      return result < 0 ? -Int(errno) : result
    }
    guard result < 0 else { return result }
    errno = Int32(-result)
    return -1
  }
}

/// Sockets.
extension Kernel {
  static func socket(_ family: Int32, _ type: Int32) -> Int32 {
    Int32(call(.socket, -1) { _ in Int(Glibc.socket(family, type, 0)) })
  }

  static func bind(
    _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> Int32 {
    Int32(call(.bind, descriptor) { _ in Int(Glibc.bind(descriptor, address, length)) })
  }

  static func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    Int32(call(.listen, descriptor) { _ in Int(Glibc.listen(descriptor, backlog)) })
  }

  static func connect(
    _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
  ) -> Int32 {
    Int32(call(.connect, descriptor) { _ in Int(Glibc.connect(descriptor, address, length)) })
  }

  /// Accepts a connection as a non-blocking descriptor that is closed on exec.
  static func accept(_ listener: Int32) -> Int32 {
    Int32(call(.accept, listener) { _ in Int(clinux_accept(listener)) })
  }

  static func setOption(
    _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
  ) -> Int32 {
    let result = call(.setsockopt, descriptor) { _ in
      var value = value
      let size = socklen_t(MemoryLayout<Int32>.size)
      return Int(setsockopt(descriptor, level, option, &value, size))
    }
    return Int32(result)
  }

  static func option(
    _ descriptor: Int32, _ level: Int32, _ option: Int32, into value: inout Int32
  ) -> Int32 {
    let result = call(.getsockopt, descriptor) { _ in
      var size = socklen_t(MemoryLayout<Int32>.size)
      return Int(getsockopt(descriptor, level, option, &value, &size))
    }
    return Int32(result)
  }

  static func shutDown(_ descriptor: Int32, _ direction: Int32) -> Int32 {
    Int32(call(.shutdown, descriptor) { _ in Int(shutdown(descriptor, direction)) })
  }

  @inline(__always)
  static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int
  {
    call(.recv, descriptor, count) { recv(descriptor, buffer, $0, 0) }
  }

  /// Sends without raising a signal when the peer has disconnected.
  @inline(__always)
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    clinux_send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
  }

  /// Copies a part of a file to a socket inside the kernel.
  static func sendFile(
    _ socket: Int32, _ file: Int32, from offset: Int64, _ count: Int
  ) -> Int {
    call(.sendfile, socket, count) { Int(clinux_send_file(socket, file, offset, $0)) }
  }
}

/// Readiness and events.
extension Kernel {
  static func makePoller() -> Int32 {
    Int32(call(.epollCreate, -1) { _ in Int(epoll_create1(Int32(O_CLOEXEC))) })
  }

  static func controlPoller(
    _ poller: Int32, _ operation: Int32, _ target: Int32, _ event: inout epoll_event
  ) -> Int32 {
    let kind: SystemCall =
      switch operation {
      case EPOLL_CTL_ADD: .epollAdd
      case EPOLL_CTL_MOD: .epollModify
      default: .epollDelete
      }
    return Int32(call(kind, target) { _ in Int(epoll_ctl(poller, operation, target, &event)) })
  }

  static func wait(
    _ poller: Int32, _ events: UnsafeMutablePointer<epoll_event>?, _ count: Int, _ timeout: Int32
  ) -> Int {
    call(.epollWait, poller, count) { Int(epoll_wait(poller, events, Int32($0), timeout)) }
  }

  static func makeEvent() -> Int32 {
    Int32(call(.eventfd, -1) { _ in Int(eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))) })
  }

  static func makeTimer() -> Int32 {
    Int32(call(.timerfd, -1) { _ in Int(clinux_timer_create()) })
  }
}

/// A system call that is made through ``Kernel``.
package enum SystemCall: Sendable, Hashable, CaseIterable {
  case socket, bind, listen, connect, accept, setsockopt, getsockopt, shutdown
  case recv, send, sendfile
  case epollCreate, epollAdd, epollModify, epollDelete, epollWait
  case eventfd, timerfd
  case open, close, read, write
  case pread, ftruncate, fsync, writeBack, flock, rename, unlink, mkdir
}

/// A replacement for the kernel in a test.
package protocol KernelScript: AnyObject, Sendable {
  /// Performs a system call, or returns a result instead of the kernel.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor that the call operates on; the watched one for `epoll_ctl`, and -1
  ///     for calls that create one.
  ///   - count: The most bytes or events that the call may move; 0 for calls that move none.
  ///   - body: Makes the real call, with a count chosen by the script.
  /// - Returns: The kernel's result; the negated `errno` for a failure.
  func perform(
    _ call: SystemCall, on descriptor: Int32, count: Int, _ body: (_ count: Int) -> Int
  ) -> Int
}
