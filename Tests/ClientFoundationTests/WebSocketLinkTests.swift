import ClientTransport
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ClientFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A WebSocket of Foundation", .onOwnThreads)
struct WebSocketLinkTests {
  /// A link with a scripted task, used only on its queue.
  private final class Rig {
    let task = ScriptedTask()
    let owner = RecordingOwner()
    private let queue = DispatchQueue(label: "lane")
    private let context: FoundationContext
    private let link: WebSocketLink

    init(_ configure: (inout ConnectionSettings) -> Void = { _ in }) throws {
      var settings = ConnectionSettings(serverURL: "ws://a.example")
      configure(&settings)
      context = FoundationContext(queue)
      link = WebSocketLink(try ConnectionPlan(settings), owner: owner, in: context, task: task)
      on { $0.start() }
    }

    /// Runs a closure on the lane, after everything that was posted to it.
    func on(_ body: (WebSocketLink) -> Void) {
      queue.sync { body(link) }
      queue.sync {}
    }

    func open() {
      on { $0.didOpen("parley.v1") }
    }

    /// The notifications of the owner, once the lane has nothing to do.
    var events: [RecordingOwner.Event] {
      queue.sync {}
      return owner.events
    }
  }

  private func response(_ status: Int, _ fields: [String: String] = [:]) throws -> HTTPURLResponse {
    let url = try #require(URL(string: "http://a.example"))
    return try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
  }

  @Test("passes messages to the task one after the other")
  func order() throws {
    let rig = try Rig()
    rig.on { $0.send(Array("too early".utf8)) }
    rig.open()
    rig.on { link in for text in ["a", "b", "c"] { link.send(Array(text.utf8)) } }
    #expect(rig.task.texts == ["a"])
    rig.task.didSend()
    #expect(rig.events == [.opened])
    #expect(rig.task.texts == ["a", "b"])
    rig.task.didSend()
    rig.task.didSend()
    rig.on { _ in }
    #expect(rig.task.texts == ["a", "b", "c"])
  }

  @Test("reports messages and pongs, and refuses binary messages")
  func receiving() throws {
    let rig = try Rig()
    rig.open()
    rig.task.deliver(.text(Array("one".utf8)))
    #expect(rig.events == [.opened, .life, .received("one")])
    rig.on { $0.ping() }
    #expect(rig.task.pingCount == 1)
    rig.task.pong()
    #expect(rig.events == [.opened, .life, .received("one"), .life])
    rig.task.deliver(.binary)
    let violation = ConnectionFailure(.protocolViolation, "the server sent a binary message")
    #expect(rig.events.last == .ended(.failed(violation)))
    #expect(rig.task.closings == [1003])
    rig.on { $0.didComplete(nil, nil) }
    #expect(rig.events.count == 5)
  }

  @Test("closes after the messages before")
  func closing() throws {
    let rig = try Rig()
    rig.open()
    rig.on { link in
      link.send([0x61])
      link.send([0x62])
      link.close(.normalClosure)
      link.send([0x63])
    }
    #expect(rig.task.closings.isEmpty)
    rig.task.didSend()
    rig.on { _ in }
    rig.task.didSend()
    rig.on { _ in }
    #expect(rig.task.texts == ["a", "b"] && rig.task.closings == [1000])
    rig.on { $0.didClose(1000, nil) }
    rig.on { $0.didComplete(nil, nil) }
    #expect(rig.events == [.opened], "the owner closed it")
  }

  @Test("reports the server's close code, and none for a frame without one")
  func closeCodes() throws {
    for (code, expected) in [(4002, UInt16(4002)), (1001, 1001), (0, nil), (1005, nil)] {
      let rig = try Rig()
      rig.open()
      // The task fails to receive before it reports the close frame.
      rig.task.deliver(.failed(ConnectionFailure(.lost, "not connected")))
      rig.on { $0.didClose(code, Data("why".utf8)) }
      rig.on { $0.didComplete(nil, nil) }
      #expect(rig.events == [.opened, .ended(.closedByPeer(code: expected, reason: "why"))])
    }
  }

  @Test("is lost when the task ends without a close frame, or reads too slowly")
  func losses() throws {
    let rig = try Rig { $0.maximumQueuedBytes = 10 }
    rig.open()
    rig.on { link in
      link.send(Array("1234567890".utf8))
      link.send([0x61])
    }
    let words = "the server reads too slowly: more than 10 bytes wait for it"
    #expect(rig.events == [.opened, .ended(.failed(ConnectionFailure(.lost, words)))])
    #expect(rig.task.isCancelled)
    let other = try Rig()
    other.open()
    other.on { $0.didComplete(nil, nil) }
    #expect(
      other.events == [
        .opened, .ended(.failed(ConnectionFailure(.lost, "the server ended the connection"))),
      ])
  }

  @Test("tells too large messages from other failures")
  func tooLarge() throws {
    let error = NSError(domain: NSPOSIXErrorDomain, code: Int(EMSGSIZE))
    #expect(ConnectionFailure(receiving: error).kind == .messageTooLarge)
    let rig = try Rig()
    rig.open()
    rig.task.deliver(.failed(ConnectionFailure(receiving: error)))
    guard case .ended(.failed(let failure))? = rig.events.last else {
      Issue.record("\(rig.events)")
      return
    }
    #expect(failure.kind == .messageTooLarge && rig.task.isCancelled)
  }

  @Test("classifies refusals of the opening handshake")
  func refusals() throws {
    typealias Handshake = ConnectionFailure.Handshake
    for (status, fields, kind, handshake):
      (
        Int, [String: String], ConnectionFailure.Kind, Handshake?
      ) in [
        (401, [:], .unauthorized, .refused), (403, [:], .unauthorized, .refused),
        (404, [:], .lasting, .refused), (302, [:], .lasting, .refused),
        (500, [:], .temporary, .refused), (408, [:], .temporary, nil), (502, [:], .temporary, nil),
        (503, ["Retry-After": "7"], .unavailable(retryAfter: 7000), nil),
        (429, [:], .unavailable(retryAfter: nil), nil),
      ]
    {
      let rig = try Rig()
      let response = try response(status, fields)
      rig.on { $0.didComplete(response, URLError(.badServerResponse)) }
      let failure = ConnectionFailure(
        kind, "the server answered \(status)", handshake: handshake)
      #expect(rig.events == [.ended(.failed(failure))])
    }
  }

  @Test("classifies failures to connect")
  func failures() throws {
    for (code, kind): (Int, ConnectionFailure.Kind) in [
      (NSURLErrorCannotFindHost, .temporary), (NSURLErrorNotConnectedToInternet, .temporary),
      (NSURLErrorNetworkConnectionLost, .temporary),
      (NSURLErrorTimedOut, .temporary), (NSURLErrorServerCertificateUntrusted, .lasting),
      (NSURLErrorSecureConnectionFailed, .temporary), (-1022, .lasting),
    ] {
      let rig = try Rig()
      rig.on { $0.didComplete(nil, NSError(domain: NSURLErrorDomain, code: code)) }
      guard case .ended(.failed(let failure))? = rig.events.last else {
        Issue.record("\(code): \(rig.events)")
        continue
      }
      #expect(failure.kind == kind, "\(code)")
      let isRefused = code == NSURLErrorNetworkConnectionLost
      #expect(failure.handshake == (isRefused ? .refused : nil), "\(code)")
    }
  }

  @Test("gives up an opening handshake after its time limit")
  func patience() async throws {
    let rig = try Rig { $0.attemptTimeout = .milliseconds(20) }
    try await Deadline.standard.wait(for: "the end of the attempt") { !rig.events.isEmpty }
    let words = "the opening handshake took too long"
    let failure = ConnectionFailure(.temporary, words, handshake: .unanswered)
    #expect(rig.events == [.ended(.failed(failure))] && rig.task.isCancelled)
    rig.open()
    #expect(rig.events.count == 1)
  }

  @Test("refuses another subprotocol than its own")
  func subprotocol() throws {
    let rig = try Rig()
    rig.on { $0.didOpen("other") }
    guard case .ended(.failed(let failure))? = rig.events.last else {
      Issue.record("\(rig.events)")
      return
    }
    #expect(failure.kind == .lasting)
  }
}
