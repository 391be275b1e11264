internal import Glibc
internal import Reactor

/// The supervisor that started the process: a service manager with the datagram protocol of
/// sd_notify(3).
final class Supervisor: Sendable {
  /// How long a notice may wait for room; then it is lost.
  private static let patience = timeval(tv_sec: 5, tv_usec: 0)

  private let address: NotifySocketAddress
  private let descriptor: Int32

  /// Finds the supervisor that the environment names.
  ///
  /// - Returns: `nil` if it names no supervisor that can be notified.
  convenience init?(environment: [String: String]) {
    guard let text = environment["NOTIFY_SOCKET"], let address = NotifySocketAddress(text) else {
      return nil
    }
    self.init(address)
  }

  private init?(_ address: NotifySocketAddress) {
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_UNIX, kind, 0)
    self.address = address
    guard descriptor >= 0 else { return nil }
    // A supervisor that does not read must not hold the process up.
    var patience = Self.patience
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
  }

  /// Tells it something.
  ///
  /// - Throws: Why that failed. The process goes on: what it has to do does not depend on it.
  func tell(_ notice: Notice) throws(SystemError) {
    let datagram = notice.datagram
    // A sign of life is sent on an event loop without waiting: the next one follows soon.
    let flags = Int32(MSG_NOSIGNAL) | (notice == .alive ? Int32(MSG_DONTWAIT) : 0)
    while true {
      let count = address.withSockAddr {
        sendto(descriptor, datagram, datagram.count, flags, $0, $1)
      }
      if count >= 0 { return }
      if errno != EINTR { throw .last("sendto", on: "NOTIFY_SOCKET") }
    }
  }
}
