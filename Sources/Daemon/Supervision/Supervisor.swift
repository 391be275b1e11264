internal import Glibc
internal import Reactor

/// The supervisor that started the process: a service manager with the datagram protocol of
/// sd_notify(3).
final class Supervisor: Sendable {
  /// The maximum time for which a notice waits for buffer space; after that it is lost.
  private static let patience = timeval(tv_sec: 5, tv_usec: 0)

  private let address: NotifySocketAddress
  private let descriptor: Int32

  /// Finds the supervisor given in the environment.
  ///
  /// - Returns: `nil` if the environment contains no supervisor that can be notified.
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
    // A supervisor that does not read must not block the process.
    var patience = Self.patience
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
  }

  /// Sends a notice.
  ///
  /// - Throws: The failed system call. The process continues without its supervisor.
  func notify(_ notice: Notice) throws(SystemError) {
    let datagram = notice.datagram
    // A watchdog notice is sent on an event loop without waiting, because the next one follows soon.
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

/// A notification of a daemon to its supervisor, as documented in sd_notify(3).
enum Notice: Sendable, Hashable {
  /// The start is waiting for something, for at most two minutes until the next such notice.
  case waiting(String)
  /// The daemon is serving; sent at the start and after a reload.
  case ready
  /// The daemon serves with its previous settings, because the reloaded ones are invalid.
  case refusedReload
  /// The daemon reloads settings and files; the time is on the monotonic clock, in microseconds.
  case reloading(at: Int64)
  /// The daemon begins to shut down.
  case stopping
  /// The event loops of the daemon take turns.
  case alive

  /// One datagram: assignments, one per line.
  var datagram: [UInt8] { Array(lines.joined(separator: "\n").utf8) }

  private var lines: [String] {
    switch self {
    case .waiting(let reason):
      [
        "EXTEND_TIMEOUT_USEC=120000000",
        "STATUS=" + reason.prefix(200).replacing("\n", with: " "),
      ]
    case .ready: ["READY=1", "STATUS=serving"]
    case .refusedReload:
      [
        "READY=1",
        "STATUS=serving with the previous settings: the new ones are not valid, see the log",
      ]
    case .reloading(let time):
      ["RELOADING=1", "MONOTONIC_USEC=\(time)", "STATUS=reading settings and files again"]
    case .stopping: ["STOPPING=1", "STATUS=draining"]
    case .alive: ["WATCHDOG=1"]
    }
  }
}

/// The address of a supervisor's datagram socket, in the format of `NOTIFY_SOCKET`.
struct NotifySocketAddress: Sendable {
  private var storage = sockaddr_un()
  private let length: socklen_t

  /// Parses an absolute path, or `@` and a name in Linux's abstract namespace.
  ///
  /// - Returns: `nil` for anything else, such as an address of another family, and for one that is too
  ///   long for the kernel.
  init?(_ text: String) {
    var name = Array(text.utf8)
    guard let first = name.first, name.count > 1, !name.contains(0) else { return nil }
    switch first {
    // A path ends with a zero byte; an abstract name begins with one and is delimited by its length.
    case UInt8(ascii: "/"): name.append(0)
    case UInt8(ascii: "@"): name[0] = 0
    default: return nil
    }
    guard let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path),
      name.count <= MemoryLayout.size(ofValue: storage.sun_path)
    else { return nil }
    storage.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage) { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: name)
    }
    length = socklen_t(offset + name.count)
  }

  /// Passes the address to a system call.
  func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
