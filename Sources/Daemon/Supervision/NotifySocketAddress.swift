internal import Glibc

/// The address of a supervisor's datagram socket, as `NOTIFY_SOCKET` gives it.
struct NotifySocketAddress: Sendable {
  private var storage = sockaddr_un()
  private let length: socklen_t

  /// Reads an absolute path, or `@` and a name in Linux's abstract namespace.
  ///
  /// - Returns: `nil` for anything else, such as an address of another family, and for what is too
  ///   long for the kernel.
  init?(_ text: String) {
    var name = Array(text.utf8)
    guard let first = name.first, name.count > 1, !name.contains(0) else { return nil }
    switch first {
    // A path ends with a zero byte, an abstract name begins with one and has its length.
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

  /// Lends the address to a system call.
  func withSockAddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
