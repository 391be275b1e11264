import Glibc
import TestSupport
import Testing

@testable import Reactor

@Suite("Socket")
struct SocketTests {
  @Test("a listener on port 0 gets a port, and data sent to it arrives")
  func connects() throws {
    let pair = try ConnectedPair()
    #expect(Socket.pendingError(pair.client) == 0)
    #expect(send(pair.client, Array("hello".utf8)) == .transferred(5))
    pair.awaitReadable(pair.server)
    #expect(receive(pair.server, limit: 64).bytes == Array("hello".utf8))
    #expect(receive(pair.server, limit: 64).outcome == .wouldBlock)
  }

  @Test("two listeners share one port")
  func sharesAPort() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let first = try Socket.listen(on: address)
    defer { Socket.close(first) }
    let bound = try SocketAddress(boundTo: first)
    #expect(bound.port != 0)
    let second = try Socket.listen(on: bound)
    defer { Socket.close(second) }
    #expect(try SocketAddress(boundTo: second).port == bound.port)
  }

  @Test("an address that is not this machine's is named in the error")
  func refusesForeignAddresses() throws {
    let address = try #require(SocketAddress(host: "192.0.2.1", port: 0))
    let error = try #require(throws: SystemError.self) { try Socket.listen(on: address) }
    #expect(error.call == "bind")
    #expect(error.code == EADDRNOTAVAIL)
    #expect(error.description.hasPrefix("bind 192.0.2.1:0: "))
  }

  @Test("without a pending connection there is nothing to accept")
  func acceptsNothing() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Socket.listen(on: address)
    #expect(try Socket.accept(listener) == nil)
    Socket.close(listener)
    // A number that no other test can be given.
    #expect(throws: SystemError(call: "accept", code: EBADF)) { try Socket.accept(-1) }
  }

  @Test("the end of the peer's side is distinguished from an empty socket")
  func seesTheEnd() throws {
    let pair = try ConnectedPair()
    Socket.shutDownWriting(pair.client)
    pair.awaitReadable(pair.server)
    #expect(receive(pair.server, limit: 8).outcome == .ended)
    #expect(send(pair.server, [1]) == .transferred(1))
  }

  @Test("a full socket takes a part, then nothing")
  func fills() throws {
    let pair = try ConnectedPair()
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    var outcome = send(pair.client, bytes)
    while case .transferred = outcome { outcome = send(pair.client, bytes) }
    #expect(outcome == .wouldBlock)
  }

  @Test("a write to a closed peer fails and raises no signal")
  func failsWithoutSignal() throws {
    let pair = try ConnectedPair()
    Socket.close(pair.takeServer())
    var outcome = send(pair.client, [1])
    while case .transferred = outcome { outcome = send(pair.client, [1]) }
    guard case .failed(let code) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(code == EPIPE || code == ECONNRESET)
  }
}
