import Glibc
import Testing

@testable import Reactor

@Suite("Near end of a connection")
struct LocalEndTests {
  @Test("a connection comes from the address it is bound to")
  func source() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let (listener, bound) = try Socket.listenFirst(on: address)
    defer { Socket.close(listener) }
    let local = LocalEnd(address: SocketAddress(host: "127.0.0.77", port: 0))
    let client = try Socket.connect(to: bound, from: local)
    defer { Socket.close(client) }
    #expect(try SocketAddress(boundTo: client).description.hasPrefix("127.0.0.77:"))
  }

  @Test("an address that is not this machine's is named in the error")
  func foreign() throws {
    let target = try #require(SocketAddress(host: "127.0.0.1", port: 9))
    let local = LocalEnd(address: SocketAddress(host: "192.0.2.1", port: 0))
    let error = try #require(throws: SystemError.self) {
      try Socket.connect(to: target, from: local)
    }
    #expect(error.description.hasPrefix("bind 192.0.2.1:0: "))
  }
}
