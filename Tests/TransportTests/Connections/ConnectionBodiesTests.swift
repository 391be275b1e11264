import Foundation
import Reactor
import TestPeers
import TestSupport
import Testing

@testable import Transport

@Suite("Connection: large bodies over sockets", .onOwnThreads)
struct ConnectionBodiesTests {
  enum Way: CaseIterable {
    case plain, encrypted
  }

  private let directory: TestPeers.TemporaryDirectory
  private let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8)) }

  init() throws {
    directory = try TemporaryDirectory()
    try Data(content).write(to: URL(fileURLWithPath: directory.path(of: "file")))
  }

  private func server(_ way: Way) throws -> (LoopServer, BlockingClient) {
    switch way {
    case .plain:
      let server = try LoopServer()
      return (server, try BlockingClient(server.address))
    case .encrypted:
      let certificate = try Certificate()
      let server = try LoopServer(security: certificate.security)
      return (server, try BlockingClient(server.address, tls: certificate.client))
    }
  }

  @Test("a file arrives as it is on disk, twice on one connection", arguments: Way.allCases)
  func sendsFiles(way: Way) throws {
    let (server, client) = try server(way)
    let path = directory.path(of: "file")
    let file = FileSpan(try OpenFile(readingFrom: path))
    _ = try server.ask { $0.file = file }
    for _ in 0..<2 {
      try client.write("GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(try client.readHead().contains("Content-Length: 2000000\r\n"))
      #expect(try client.read(content.count) == content)
    }
    #expect(try server.ask { $0.tlsFailures } == [])
  }

  @Test("a body arrives in chunks as it was sent", arguments: Way.allCases)
  func takesBodies(way: Way) throws {
    let (server, client) = try server(way)
    try client.write("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n")
    for start in stride(from: 0, to: content.count, by: 100_000) {
      try client.write(Array(content[start..<(start + 100_000)]))
    }
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
    #expect(try client.read(5) == Array("taken".utf8))
    #expect(try server.ask { $0.received } == content)
    #expect(try server.ask { $0.abandonmentCount } == 0)
  }

  @Test("the receiver is notified when the peer disconnects in the middle", arguments: Way.allCases)
  func breaksOff(way: Way) throws {
    let (server, client) = try server(way)
    try client.write("POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n")
    try client.write(Array(content[..<100_000]))
    try server.wait { $0.received.count == 100_000 }
    client.endWriting()
    try server.wait { $0.abandonmentCount == 1 && $0.transport.connectionCount == 0 }
  }

  @Test(
    "a connection whose peer does not read a file is closed in the end", arguments: Way.allCases)
  func stalls(way: Way) throws {
    let large = directory.path(of: "large")
    #expect(FileManager.default.createFile(atPath: large, contents: nil))
    try FileHandle(forWritingTo: URL(fileURLWithPath: large)).truncate(atOffset: 100_000_000)
    var configuration = TransportConfiguration()
    configuration.progressTimeout = 50
    let certificate = way == .encrypted ? try Certificate() : nil
    let server = try LoopServer(configuration, security: certificate?.security ?? .plain)
    let client = try BlockingClient(server.address, tls: certificate?.client)
    let file = FileSpan(try OpenFile(readingFrom: large))
    _ = try server.ask { $0.file = file }
    try client.write("GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try server.wait { !$0.tags.isEmpty && $0.transport.connectionCount == 0 }
  }
}
