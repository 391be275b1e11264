import HTTP
import TestSupport
import Testing

@testable import ClientTransport
@testable import ClientSockets
@testable import ParleyClient

@Suite("Proxy tunnel and opening handshake", .onOwnThreads)
struct OpeningExchangeTests {
  private func plan(_ url: String = "ws://a.b:81/chat") throws -> ConnectionPlan {
    try ConnectionPlan(ConnectionSettings(serverURL: url))
  }

  /// How an exchange ended, as far as tests compare it.
  private enum Outcome: Equatable, Sendable {
    case done(rest: Int)
    case failed(ConnectionFailure.Kind)
  }

  /// Feeds pieces to an exchange until it ends, and counts the bytes that it left.
  private func verify(
    _ bytes: [UInt8], _ expected: Outcome,
    _ makeExchange: () -> (Span<UInt8>) throws(ConnectionFailure) -> Int?
  ) {
    for cut in 0...bytes.count {
      let receive = makeExchange()
      var outcome: Outcome?
      for piece in [Array(bytes[..<cut]), Array(bytes[cut...])] {
        if case .done(let rest)? = outcome {
          outcome = .done(rest: rest + piece.count)
          continue
        }
        guard outcome == nil else { continue }
        do throws(ConnectionFailure) {
          if let consumed = try receive(piece.span) {
            outcome = .done(rest: piece.count - consumed)
          }
        } catch {
          outcome = .failed(error.kind)
        }
      }
      #expect(outcome == expected, "cut at \(cut)")
    }
  }

  @Test("any 2xx status opens the tunnel, wherever the response is split")
  func tunnel() throws {
    let server = try ServerURL("wss://a.b")
    let proxy = try ProxyURL("http://proxy.test")
    let table: [(String, Outcome)] = [
      ("HTTP/1.1 200 OK\r\n\r\nabc", .done(rest: 3)),
      ("HTTP/1.0 200 OK\r\nContent-Length: 10\r\n\r\n", .done(rest: 0)),
      ("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nhi", .failed(.lasting)),
      ("HTTP/1.1 502 No\r\n\r\n", .failed(.temporary)),
      ("HTTP/1.1 503 No\r\nRetry-After: 7\r\n\r\n", .failed(.unavailable(retryAfter: 7000))),
      (
        "HTTP/1.1 503 No\r\nRetry-After: Fri, 31 Dec\r\n\r\n",
        .failed(.unavailable(retryAfter: nil))
      ),
      ("nonsense\r\n\r\n", .failed(.lasting)),
    ]
    for (text, outcome) in table {
      verify(Array(text.utf8), outcome) {
        var tunnel = ProxyTunnel(to: server, through: proxy)
        return { bytes throws(ConnectionFailure) in try tunnel.receive(bytes) }
      }
    }
    let request = String(
      decoding: ProxyTunnel(to: try ServerURL("ws://[::1]:9"), through: proxy).request,
      as: UTF8.self)
    #expect(request == "CONNECT [::1]:9 HTTP/1.1\r\nHost: [::1]:9\r\n\r\n")
  }

  @Test("an upgrade is accepted wherever the response is split")
  func upgrade() throws {
    let plan = try plan()
    let nonce = [UInt8](repeating: 7, count: 16)
    let request = UpgradeExchange(plan, nonce: nonce).request
    var parser = HTTPRequestParser()
    guard case .request(let parsed)? = try parser.receive(request.span).event else {
      Issue.record("no request")
      return
    }
    #expect(parsed.head.target == "/chat")
    #expect(parsed.head.fields["Host"] == "a.b:81")
    var response: [UInt8] = []
    try ServerHandshake(subprotocols: ["parley.v1"]).accept(parsed.head).serialize(into: &response)
    verify(response + [1, 2], .done(rest: 2)) {
      var exchange = UpgradeExchange(plan, nonce: nonce)
      return { bytes throws(ConnectionFailure) in try exchange.receive(bytes)?.consumed }
    }
  }

  @Test("a refusal followed by the end of the connection keeps its status")
  func refusalWithoutLength() throws {
    var exchange = UpgradeExchange(try plan(), nonce: [UInt8](repeating: 7, count: 16))
    let text = Array("HTTP/1.1 503 Full\r\nRetry-After: 2\r\n\r\nsorry".utf8)
    #expect(try exchange.receive(text.span) == nil)
    #expect(exchange.receiveEnd(because: "cut").kind == .unavailable(retryAfter: 2000))
    var cut = UpgradeExchange(try plan(), nonce: [UInt8](repeating: 7, count: 16))
    #expect(cut.receiveEnd(because: "cut").kind == .temporary)
  }
}
