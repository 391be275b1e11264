import Glibc
import Synchronization
import TestPeers

/// A TCP server on a loopback port that plays a script with each connection.
final class ScriptedServer: Sendable {
  enum Family {
    case v4
    case v6
  }

  typealias Script = @Sendable (StreamSocket, _ number: Int) throws -> Void

  let port: UInt16
  private let listener: Int32
  private let script: Script
  private let accepted = Mutex(0)
  private let errors = Mutex<[String]>([])

  /// - Parameter script: Played on a thread of its own; the connection ends with it. Connections
  ///   are numbered from 0.
  init(_ family: Family = .v4, _ script: @escaping Script) throws {
    self.script = script
    (listener, port) = try family == .v4 ? Self.listenV4() : Self.listenV6()
    TestThread.start { [self] in serve() }
  }

  /// How many connections there were so far.
  var connectionCount: Int { accepted.withLock { $0 } }
  /// What went wrong in scripts.
  var failures: [String] { errors.withLock { $0 } }

  var url: String { "ws://127.0.0.1:\(port)" }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      let number = accepted.withLock { count in
        defer { count += 1 }
        return count
      }
      TestThread.start { [self] in
        do { try script(StreamSocket(taking: client), number) } catch {
          errors.withLock { $0.append("\(error)") }
        }
      }
    }
    close(listener)
  }

  private static func listenV4() throws -> (Int32, UInt16) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = try listen(AF_INET, &address)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func listenV6() throws -> (Int32, UInt16) {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    guard inet_pton(AF_INET6, "::1", &address.sin6_addr) == 1 else {
      throw TestFailure("::1 is no address")
    }
    let descriptor = try listen(AF_INET6, &address)
    return (descriptor, UInt16(bigEndian: address.sin6_port))
  }

  private static func listen<Address>(_ family: Int32, _ address: inout Address) throws -> Int32 {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var length = socklen_t(MemoryLayout<Address>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { throw TestFailure("a scripted server can't listen") }
    return descriptor
  }
}
