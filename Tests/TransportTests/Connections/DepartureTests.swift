import Glibc
import Reactor
import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("Connection: a peer that closes its sending side of a busy WebSocket")
struct DepartureTests {
  private let driven: DrivenTransport
  private let peer: DrivenPeer
  private let application: RecordingApplication

  init() throws {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = 40_000
    driven = try DrivenTransport(configuration)
    peer = try driven.open()
    application = try peer.application
    application.isBusy = true
  }

  private func send(_ text: String) {
    peer.connection.send(reply: Array(text.utf8))
    driven.settle()
  }

  @Test("messages received before a close frame are answered, then the close frame")
  func answersBeforeTheClose() {
    peer.deliver(clientText("a") + clientClose(.normalClosure) + clientText("too late"))
    driven.settle()
    #expect(application.hasPeerEnded && application.reasons.isEmpty)
    #expect(application.texts == ["a"])
    #expect(peer.connection.isOpen)
    send("re: a")
    peer.connection.close(.goingAway, reason: "done")
    driven.settle()
    #expect(peer.readAll() == serverText("re: a") + serverClose(.normalClosure))
    #expect(application.reasons == [.peerClosed(.normalClosure)])
    #expect(peer.hasEnded)
  }

  @Test("a peer that closes only its sending side is answered; our side ends without a close frame")
  func answersHalfClosedPeers() {
    peer.write(clientText("a"))
    Socket.shutDownWriting(peer.descriptor)
    peer.connection.descriptorIsReady(for: .readable)
    peer.connection.descriptorIsReady(for: .readable)
    #expect(application.texts == ["a"] && application.hasPeerEnded)
    #expect(!peer.connection.interest.contains(.readable))
    send("re: a")
    peer.connection.close(.normalClosure)
    driven.settle()
    #expect(peer.readAll() == serverText("re: a"))
    #expect(application.reasons == [.lost])
    peer.connection.descriptorIsReady(for: .readable)
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("requests of a peer that has closed its socket are still carried out")
  func outlastsClosedPeers() {
    peer.write(clientText("a") + clientClose(.goingAway))
    peer.close()
    peer.connection.descriptorIsReady(for: .readable)
    peer.connection.descriptorIsReady(for: .readable)
    send("an answer that a closed socket would reset the connection for")
    peer.connection.descriptorIsReady(for: .writable)
    #expect(peer.connection.isOpen && application.reasons.isEmpty)
    peer.connection.close(.normalClosure)
    driven.settle()
    #expect(application.reasons == [.peerClosed(.goingAway)])
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("replies that wait for room are written before the end")
  func makesRoom() {
    peer.deliver(clientText("a") + clientClose(.normalClosure))
    let answer = String(repeating: "x", count: 15_000)
    send(answer)
    #expect(peer.readAll().isEmpty)
    var hasRoom = false
    application.onRoom = { _ in hasRoom = true }
    #expect(!peer.connection.hasRoom(for: 15_000))
    driven.settle()
    #expect(hasRoom)
    #expect(peer.readAll() == serverText(answer))
    peer.connection.close(.normalClosure)
    driven.settle()
    #expect(peer.readAll() == serverClose(.normalClosure))
  }

  @Test("a connection whose requests are not carried out in time is dropped")
  func bound() throws {
    peer.deliver(clientText("a") + clientClose(.normalClosure))
    peer.connection.timerDidFire(try #require(peer.connection.timer))
    #expect(application.reasons == [.lost])
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("an application without pending work ends at once")
  func idle() {
    application.isBusy = false
    peer.deliver(clientText("a") + clientClose(.normalClosure))
    driven.settle()
    #expect(!application.hasPeerEnded)
    #expect(application.reasons == [.peerClosed(.normalClosure)])
    #expect(peer.readAll() == serverClose(.normalClosure))
  }
}
