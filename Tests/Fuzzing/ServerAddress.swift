@testable import ClientSockets
@testable import ClientTransport
@testable import ParleyClient

/// Reads any text as the URL of a server or proxy, and any bytes as their answers.
///
/// The handshake sees the same answer whole and byte by byte.
enum ServerAddressHarness: Harness {
  static func run(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let server = try? ServerURL(text) {
      precondition(!server.host.isEmpty && server.target.hasPrefix("/"))
      let written = server.hostField + server.target
      precondition(
        written.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }, "a URL breaks the request's head")
      let scheme = server.security == .tls ? "wss" : "ws"
      let copy = try? ServerURL("\(scheme)://\(server.authority)\(server.target)")
      precondition(copy == server, "a URL does not read back")
    }
    if let proxy = try? ProxyURL(text) { precondition(!proxy.host.isEmpty) }
    precondition(exchange(input, piece: input.count) == exchange(input, piece: 1))
    precondition(tunnel(input, piece: input.count) == tunnel(input, piece: 1))
  }

  private enum Outcome: Equatable {
    case accepted(consumed: Int)
    case failed(ConnectionFailure)
    case waiting
  }

  private static func exchange(_ stream: [UInt8], piece: Int) -> Outcome {
    guard let plan = try? ConnectionPlan(ConnectionSettings(serverURL: "ws://h/")) else {
      preconditionFailure("no plan")
    }
    var exchange = UpgradeExchange(plan, nonce: Array(repeating: 7, count: 16))
    return feed(stream, piece) { span throws(ConnectionFailure) in
      try exchange.receive(span)?.consumed
    }
  }

  private static func tunnel(_ stream: [UInt8], piece: Int) -> Outcome {
    guard let server = try? ServerURL("ws://h/"), let proxy = try? ProxyURL("http://p:8080") else {
      preconditionFailure("no URLs")
    }
    var tunnel = ProxyTunnel(to: server, through: proxy)
    return feed(stream, piece) { span throws(ConnectionFailure) in try tunnel.receive(span) }
  }

  private static func feed(
    _ stream: [UInt8], _ piece: Int, _ receive: (Span<UInt8>) throws(ConnectionFailure) -> Int?
  ) -> Outcome {
    var offset = 0
    do throws(ConnectionFailure) {
      while offset < stream.count {
        let end = min(stream.count, offset + max(1, piece))
        if let consumed = try receive(stream.span.extracting(offset..<end)) {
          return .accepted(consumed: offset + consumed)
        }
        offset = end
      }
      return .waiting
    } catch {
      return .failed(error)
    }
  }
}
