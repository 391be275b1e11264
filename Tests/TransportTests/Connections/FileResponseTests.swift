import Foundation
import HTTP
import Reactor
import TestPeers
import Testing

@testable import Transport

@Suite("Connection: files after a head")
struct FileResponseTests {
  private let directory: TestPeers.TemporaryDirectory
  private let content: [UInt8]
  private let file: OpenFile

  init() throws {
    directory = try TemporaryDirectory()
    content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 9)) }
    try Data(content).write(to: URL(fileURLWithPath: directory.path(of: "file")))
    file = try OpenFile(readingFrom: directory.path(of: "file"))
  }

  private let get = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  /// Reads until nothing has come in several turns.
  private func drain(_ peer: DrivenPeer, _ server: BodyServer) -> [UInt8] {
    var bytes: [UInt8] = []
    var idleTurns = 0
    while idleTurns < 5 {
      server.settle()
      let piece = peer.readAll()
      bytes += piece
      idleTurns = piece.isEmpty ? idleTurns + 1 : 0
      if !peer.hasEnded { peer.connection.descriptorIsReady(for: .writable) }
    }
    return bytes
  }

  private func body(_ answer: [UInt8]) throws -> ArraySlice<UInt8> {
    let end = try #require(answer.firstRange(of: Array("\r\n\r\n".utf8)))
    return answer[end.upperBound...]
  }

  @Test("a file arrives as it is on disk, and the connection remains usable after it")
  func sends() throws {
    let server = try BodyServer()
    server.file = FileSpan(file)
    let peer = try server.connect()
    peer.deliver(get + get)
    let both = drain(peer, server)
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\nConnection: keep-alive\r\n\r\n"
    #expect(both.elementsEqual(Array(head.utf8) + content + Array(head.utf8) + content))
    #expect(server.requests.count == 2)
  }

  @Test("a part of a file arrives as that part")
  func sendsPart() throws {
    let server = try BodyServer()
    server.file = FileSpan(file, 1_000_000..<1_200_001)
    let peer = try server.connect()
    peer.deliver(get)
    #expect(try body(drain(peer, server)).elementsEqual(content[1_000_000..<1_200_001]))
  }

  @Test("HEAD gets the length alone, and an empty file has no body")
  func sendsNothing() throws {
    let server = try BodyServer()
    server.file = FileSpan(file)
    let peer = try server.connect()
    peer.deliver(Array("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let head = drain(peer, server)
    #expect(String(decoding: head, as: UTF8.self).contains("Content-Length: 3000000\r\n"))
    #expect(try body(head).isEmpty)
    server.file = FileSpan(file, 0..<0)
    peer.deliver(get)
    #expect(try body(drain(peer, server)).isEmpty)
    #expect(server.requests.count == 2)
  }

  @Test("a peer that does not read uses no memory, and gets the rest when it reads")
  func slowReader() throws {
    let server = try BodyServer()
    server.file = FileSpan(file)
    let peer = try server.connect()
    peer.shrinkBuffer()
    peer.deliver(get)
    for _ in 0..<20 {
      server.settle()
      peer.connection.descriptorIsReady(for: .writable)
    }
    #expect(peer.connection.queuedByteCount < 1000)
    #expect(peer.connection.interest.contains(.writable))
    #expect(peer.connection.isAnswering)
    #expect(try body(drain(peer, server)).elementsEqual(content))
    #expect(!peer.connection.isAnswering)
    #expect(!peer.connection.interest.contains(.writable))
  }

  @Test("a peer that disconnects in the middle ends the transfer")
  func leaves() throws {
    let server = try BodyServer()
    server.file = FileSpan(file)
    let peer = try server.connect()
    peer.shrinkBuffer()
    peer.deliver(get)
    server.settle()
    peer.close()
    for _ in 0..<3 where server.transport.connectionCount > 0 {
      peer.connection.descriptorIsReady(for: [.readable, .writable])
    }
    #expect(server.transport.connectionCount == 0)
  }

  @Test("ending the connection lets the current file finish")
  func ends() throws {
    let server = try BodyServer()
    server.file = FileSpan(file)
    let peer = try server.connect()
    peer.deliver(get)
    server.settle()
    peer.connection.end()
    #expect(try body(drain(peer, server)).elementsEqual(content))
    #expect(peer.hasEnded)
  }

  @Test("a file that has become shorter closes the connection")
  func truncated() throws {
    let server = try BodyServer()
    server.file = FileSpan(file)
    let peer = try server.connect()
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path(of: "file")))
    try handle.truncate(atOffset: 1_000_000)
    peer.deliver(get)
    #expect(try body(drain(peer, server)).elementsEqual(content[..<1_000_000]))
    #expect(peer.hasEnded)
  }
}
