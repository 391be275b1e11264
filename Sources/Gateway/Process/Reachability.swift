import Basics
import Glibc
import Reactor

/// Tests whether other servers can be reached.
enum Reachability {
  /// Connects to one of a host's addresses and disconnects.
  ///
  /// Blocks the caller's thread.
  ///
  /// - Throws: The reason of the last failure.
  static func connect(to host: Host, port: UInt16, withinSeconds patience: Int32) throws {
    let addresses: [SocketAddress] =
      switch host {
      case .address(let address): [SocketAddress(address, port: port)]
      case .name(let name): try NameLookup.addresses(of: name, port: port)
      }
    var failure: SystemError?
    for address in addresses {
      do throws(SystemError) {
        return try connect(to: address, patience)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  private static func connect(
    to address: SocketAddress, _ patience: Int32
  ) throws(SystemError) {
    let descriptor = try Socket.connect(to: address)
    defer { Socket.close(descriptor) }
    var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&question, 1, patience * 1000) > 0 else {
      throw SystemError(call: "connect", code: ETIMEDOUT, object: address.description)
    }
    let code = Socket.pendingError(descriptor)
    guard code == 0 else {
      throw SystemError(call: "connect", code: code, object: address.description)
    }
  }
}

/// A running gateway, recognized by its answer.
enum GatewayGreeting {
  private static let patience: Int32 = 2_000
  private static let request =
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
  private static let byteLimit = 4_096

  /// Returns whether a gateway answers at an address, without TLS.
  ///
  /// Blocks the caller's thread for a few seconds at most.
  static func answers(at address: SocketAddress) -> Bool {
    guard let descriptor = try? Socket.connect(to: address) else { return false }
    defer { Socket.close(descriptor) }
    guard isReady(descriptor, for: POLLOUT) else { return false }
    let bytes = Array(request.utf8)
    guard case .transferred(bytes.count) = bytes.withUnsafeBytes({ Socket.send(descriptor, $0) })
    else { return false }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1_024)
    while answer.count < byteLimit, isReady(descriptor, for: POLLIN) {
      let count = Kernel.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    let text = String(decoding: answer, as: UTF8.self)
    return text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\nalive\n")
  }

  private static func isReady(_ descriptor: Int32, for event: Int32) -> Bool {
    var question = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&question, 1, patience) > 0
  }
}

/// The sockets on which another process listens, as shown in /proc.
enum ListeningProcess {
  private static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
  private static let tableByteCount = 16_777_216
  /// The state of a listening socket.
  private static let listening = "0A"

  /// Whether a process listens on the port of an address; `nil` when its descriptors are not visible.
  static func isListening(_ process: Int32, on address: SocketAddress) -> Bool? {
    let folder = "/proc/\(process)/fd"
    guard let names = try? Kernel.names(inDirectory: folder) else { return nil }
    return isListening(
      descriptors: names.map { Kernel.linkTarget(folder + "/" + $0) },
      inodes: inodes(ofPort: address.port))
  }

  /// Returns whether a process with these descriptors has one of these sockets.
  ///
  /// - Parameter descriptors: `nil` for descriptors that this user cannot read: the folder of a process
  ///   in another user namespace can be listed all the same.
  static func isListening(descriptors: [String?], inodes: [Substring]) -> Bool? {
    let sockets = Set(descriptors.compactMap(\.self))
    if inodes.contains(where: { sockets.contains("socket:[\($0)]") }) { return true }
    return sockets.count < Set(descriptors).count || sockets.isEmpty ? nil : false
  }

  /// The inodes of the sockets that listen on a port.
  private static func inodes(ofPort port: UInt16) -> [Substring] {
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    return tables.flatMap { path -> [Substring] in
      let bytes = (try? FileContents.read(path, atMost: tableByteCount)) ?? []
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
        line -> Substring? in
        let fields = line.split(separator: " ")
        guard fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == listening else {
          return nil
        }
        return fields[9]
      }
    }
  }
}
