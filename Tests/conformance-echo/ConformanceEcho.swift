import ArgumentParser
import HTTP
import Reactor
import Transport

/// Echoes every message over the transport of the gateway.
@main
struct ConformanceEcho: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance-echo",
    abstract: "Echoes WebSocket messages, for test suites of the protocol.",
    discussion: """
      Echoes text and binary messages of up to 32 MiB unchanged. Accepts permessage-deflate with \
      all four parameters, and keeps contexts if the client allows it.
      """)

  @Option(help: "The numeric address and port to listen on; port 0 picks a free one and prints it.")
  var listen = "127.0.0.1:9001"

  func run() throws {
    let loop = try EventLoop()
    let service = EchoService()
    var configuration = TransportConfiguration()
    configuration.webSocket.messageBytes = 33_554_432
    configuration.outboundBytes = 134_217_728
    let transport = Transport(loop: loop, configuration: configuration, delegate: service)
    let descriptor = try Socket.listen(on: try address())
    let bound = try SocketAddress(boundTo: descriptor)
    try transport.listen(descriptor, security: .plain)
    loop.endOfTurn = { transport.flush() }
    print("listening on ws://\(bound)")
    // A script that waits for this line may read it through a pipe.
    flushStandardOutput()
    loop.run()
  }

  private func address() throws -> SocketAddress {
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[colon...].dropFirst()),
      let address = SocketAddress(
        host: listen[..<colon].trimmingBrackets(), port: port)
    else {
      throw ValidationError("--listen \(listen): expected a numeric host:port, as 127.0.0.1:9001")
    }
    return address
  }
}

extension Substring {
  fileprivate func trimmingBrackets() -> String {
    hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : String(self)
  }
}
