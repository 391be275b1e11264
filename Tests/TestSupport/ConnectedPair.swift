import Glibc
package import Reactor

/// Two connected sockets over loopback; closed at the end.
package final class ConnectedPair {
  package let client: Int32
  package private(set) var server: Int32

  package init() throws {
    guard let address = SocketAddress(host: "127.0.0.1", port: 0) else { throw NoConnection() }
    let listener = try Socket.listen(on: address)
    defer { Socket.close(listener) }
    client = try Socket.connect(to: SocketAddress(boundTo: listener))
    server = -1
    awaitReadable(listener)
    guard let accepted = try Socket.accept(listener) else { throw NoConnection() }
    server = accepted
  }

  deinit {
    Socket.close(client)
    if server >= 0 { Socket.close(server) }
  }

  /// Hands the server's side over, to be closed by the caller.
  package func takeServer() -> Int32 {
    defer { server = -1 }
    return server
  }

  package func awaitReadable(_ descriptor: Int32) {
    // Without the event, the read that follows fails the test.
    try? Deadline.standard.wait(for: "something to read", on: descriptor)
  }

  /// The listener had no connection although it was readable.
  private struct NoConnection: Error {}
}

package func send(_ descriptor: Int32, _ bytes: [UInt8]) -> TransferOutcome {
  bytes.withUnsafeBytes { Socket.send(descriptor, $0) }
}

package func receive(
  _ descriptor: Int32, limit: Int
) -> (outcome: TransferOutcome, bytes: [UInt8]) {
  var buffer = [UInt8](repeating: 0, count: limit)
  let outcome = buffer.withUnsafeMutableBytes { Socket.receive(descriptor, into: $0) }
  guard case .transferred(let count) = outcome else { return (outcome, []) }
  return (outcome, Array(buffer[..<count]))
}
