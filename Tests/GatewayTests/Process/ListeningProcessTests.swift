import Configuration
import Reactor
import TestPeers
import TestSupport
import Testing

@testable import Gateway

@Suite("The process that listens on an address", .onOwnThreads)
struct ListeningProcessTests {
  @Test("has the socket among its descriptors")
  func descriptors() {
    let sockets: [Substring] = ["71", "72"]
    #expect(
      ListeningProcess.isListening(descriptors: ["/dev/null", "socket:[72]"], inodes: sockets)
        == true)
    #expect(
      ListeningProcess.isListening(descriptors: ["/dev/null", "socket:[9]"], inodes: sockets)
        == false)
    // Those of a process in another user namespace can be listed and not looked at.
    #expect(ListeningProcess.isListening(descriptors: [nil, nil], inodes: sockets) == nil)
    #expect(
      ListeningProcess.isListening(descriptors: ["/dev/null", nil], inodes: sockets) == nil)
    #expect(ListeningProcess.isListening(descriptors: [], inodes: sockets) == nil)
  }

  @Test("is recognized as a gateway by its response")
  func greets() throws {
    let running = try RunningGateway()
    let loopback = ListenAddress.loopback(port: try running.port)
    #expect(GatewayGreeting.answers(at: SocketAddress(loopback.address, port: loopback.port)))
    // A socket that listens and never answers.
    let silent = try Socket.listenFirst(on: SocketAddress(loopback.address, port: 0))
    defer { Socket.close(silent.descriptor) }
    #expect(!GatewayGreeting.answers(at: silent.address))
  }
}
