import Glibc
import TestSupport
import Testing

/// A supervisor's end: a datagram socket of the local machine.
final class DatagramReceiver {
  /// As `NOTIFY_SOCKET` would name it.
  let name: String
  private let descriptor: Int32

  /// Binds a path, or with `@` a name in the abstract namespace.
  init(_ name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    let isAbstract = name.hasPrefix("@")
    if isAbstract { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = 2 + bytes.count + (isAbstract ? 0 : 1)
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(length))
      }
    }
    try #require(result == 0, "bind \(name): \(String(cString: strerror(errno)))")
  }

  deinit {
    close(descriptor)
    unlink(name)
  }

  /// Waits for the next datagram.
  func next() throws -> String {
    try Deadline.standard.wait(for: "a datagram", on: descriptor)
    return try #require(waiting())
  }

  /// The datagram that is there already, if any.
  func waiting() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  /// A name that nobody else has: a path.
  static func path() -> String { "/tmp/parley-notify-\(UInt64.random(in: 0...UInt64.max))" }

  /// A name that nobody else has, in the abstract namespace.
  static func abstractName() -> String { "@parley-notify-\(UInt64.random(in: 0...UInt64.max))" }
}
