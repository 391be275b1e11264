import CLinux
import Glibc

/// The readiness events that a descriptor is watched for, or has.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// The peer disconnected or the socket is broken; reported even if not requested.
  package static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
}

/// The kernel's readiness queue (epoll, level-triggered).
struct Poller: ~Copyable {
  private let descriptor: Int32
  private let events: UnsafeMutableBufferPointer<epoll_event>

  init(capacity: Int = 512) throws(SystemError) {
    descriptor = Kernel.makePoller()
    guard descriptor >= 0 else { throw .last("epoll_create1") }
    events = .allocate(capacity: capacity)
  }

  deinit {
    Socket.close(descriptor)
    events.deallocate()
  }

  func add(_ target: Int32, _ interest: Readiness, key: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, target, interest, key)
  }

  func change(_ target: Int32, _ interest: Readiness, key: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, target, interest, key)
  }

  func remove(_ target: Int32) {
    var event = epoll_event()
    _ = Kernel.controlPoller(descriptor, EPOLL_CTL_DEL, target, &event)
  }

  private func control(
    _ operation: Int32, _ target: Int32, _ interest: Readiness, _ key: UInt64
  ) throws(SystemError) {
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: key))
    guard Kernel.controlPoller(descriptor, operation, target, &event) == 0 else {
      throw .last("epoll_ctl")
    }
  }

  /// Waits until something is ready.
  ///
  /// - Parameter milliseconds: 0 returns immediately; `nil` waits without a limit.
  /// - Returns: The number of events that ``event(_:)`` can return.
  func wait(milliseconds: Int64?) -> Int {
    let timeout = milliseconds.map { Int32(clamping: $0) } ?? -1
    // A signal ends the wait early; the loop then runs another turn.
    return max(0, Kernel.wait(descriptor, events.baseAddress, events.count, timeout))
  }

  /// An event of the last wait.
  func event(_ index: Int) -> (key: UInt64, readiness: Readiness) {
    (events[index].data.u64, Readiness(rawValue: events[index].events))
  }
}
