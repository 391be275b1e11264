import Glibc
import Testing

@testable import Reactor

/// Two connected sockets over loopback; closed at the end.
final class ConnectedPair {
  let client: Int32
  private(set) var server: Int32

  init() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Socket.listen(on: address)
    defer { Socket.close(listener) }
    client = try Socket.connect(to: SocketAddress(boundTo: listener))
    server = -1
    awaitReadable(listener)
    server = try #require(try Socket.accept(listener))
  }

  deinit {
    Socket.close(client)
    if server >= 0 { Socket.close(server) }
  }

  /// Hands the server's side over, to be closed by the caller.
  func takeServer() -> Int32 {
    defer { server = -1 }
    return server
  }

  func awaitReadable(_ descriptor: Int32) {
    var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&target, 1, -1)
  }
}

func send(_ descriptor: Int32, _ bytes: [UInt8]) -> TransferOutcome {
  bytes.withUnsafeBytes { Socket.send(descriptor, $0) }
}

func receive(
  _ descriptor: Int32, limit: Int
) -> (outcome: TransferOutcome, bytes: [UInt8]) {
  var buffer = [UInt8](repeating: 0, count: limit)
  let outcome = buffer.withUnsafeMutableBytes { Socket.receive(descriptor, into: $0) }
  guard case .transferred(let count) = outcome else { return (outcome, []) }
  return (outcome, Array(buffer[..<count]))
}
