import ArgumentParser
import HTTP1
import Reactor
import Transport
import WebSocket

/// Echoes every message, over the very transport that the gateway uses.
@main
struct ConformanceEcho: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance-echo",
    abstract: "Echoes WebSocket messages, so that any outside test suite can judge the engine.",
    discussion: """
      Text and binary messages up to 32 MiB come back as they are. permessage-deflate is agreed \
      to with all four parameters, contexts kept when the client allows it.
      """)

  @Option(help: "The numeric address and port to listen on; port 0 picks one and prints it.")
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
    // Whoever waits for the line may read it through a pipe.
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
