import CCurl
import Curl
import Synchronization
import TestPeers
import TestSupport
import Testing

@Suite("Queue of libcurl transfers", .onOwnThreads)
struct CurlQueueTests {
  @Test("all requests are completed, with no more active transfers than the limit")
  func keepsPlaces() throws {
    let server = try AnswerServer(body: "hello")
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 2, outcomes)
    for id in 0..<UInt64(50) { #expect(thread.post(.get(QueuedGet(id, server.url("/\(id)"))))) }
    try outcomes.wait(for: 50)
    thread.stop()
    #expect(outcomes.all.values.allSatisfy { $0 == [.answered("hello")] })
    #expect(server.mostBusyCount <= 2)
    #expect(server.connectionCount <= 2)
  }

  @Test("a full queue refuses requests, and accepts more when it has room")
  func isBounded() throws {
    let isHeld = Mutex(true)
    let server = try AnswerServer { _ in
      try? Deadline.standard.wait(for: "leave to answer") { !isHeld.withLock { $0 } }
      return .bytes(AnswerServer.response("late"))
    }
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 1, room: 2, outcomes)
    _ = thread.post(.get(QueuedGet(0, server.url())))
    try Deadline.standard.wait(for: "the first request") { server.requests.count == 1 }
    for id in 1...4 { _ = thread.post(.get(QueuedGet(UInt64(id), server.url()))) }
    try outcomes.wait(for: 2)
    #expect(outcomes.all == [3: [.refused], 4: [.refused]])
    isHeld.withLock { $0 = false }
    try outcomes.wait(for: 5)
    _ = thread.post(.get(QueuedGet(5, server.url())))
    try outcomes.wait(for: 6)
    thread.stop()
    #expect(outcomes.all[5] == [.answered("late")])
  }

  @Test("a cancelled waiting request is never sent; an active one is aborted")
  func cancels() throws {
    let server = try AnswerServer { $0.hasPrefix("GET /slow") ? .silence : .bytes("") }
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 1, outcomes)
    _ = thread.post(.get(QueuedGet(1, server.url("/slow"))))
    _ = thread.post(.get(QueuedGet(2, server.url("/waiting"))))
    try Deadline.standard.wait(for: "the first request") { server.requests.count == 1 }
    for id in [2, 1, 1, 7] { _ = thread.post(.cancel(UInt64(id))) }
    try outcomes.wait(for: 2)
    try Deadline.standard.wait(for: "the end of the connection") { server.openCount == 0 }
    thread.stop()
    #expect(outcomes.all == [1: [.cancelled], 2: [.cancelled]])
    #expect(server.requests.count == 1)
  }

  @Test("the slot of a cancelled transfer is reused by the next one")
  func givesPlacesBack() throws {
    let server = try AnswerServer {
      $0.hasPrefix("GET /slow") ? .silence : .bytes(AnswerServer.response("next"))
    }
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 1, outcomes)
    _ = thread.post(.get(QueuedGet(1, server.url("/slow"))))
    _ = thread.post(.get(QueuedGet(2, server.url("/next"))))
    try Deadline.standard.wait(for: "the first request") { server.requests.count == 1 }
    _ = thread.post(.cancel(1))
    try outcomes.wait(for: 2)
    thread.stop()
    #expect(outcomes.all[2] == [.answered("next")])
  }

  @Test("requests that do not start in time expire, the others keep waiting")
  func expires() throws {
    let server = try AnswerServer { _ in .silence }
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 1, outcomes)
    _ = thread.post(.get(QueuedGet(1, server.url())))
    try Deadline.standard.wait(for: "the first request") { server.requests.count == 1 }
    _ = thread.post(.get(QueuedGet(2, server.url(), within: .milliseconds(10))))
    _ = thread.post(.get(QueuedGet(3, server.url(), within: .seconds(600))))
    try outcomes.wait(for: 1)
    #expect(outcomes.all == [2: [.expired]])
    thread.stop()
    #expect(outcomes.all == [1: [.cancelled], 2: [.expired], 3: [.cancelled]])
  }

  @Test("failures and oversized bodies free their slots")
  func goesOnAfterFailures() throws {
    let server = try AnswerServer {
      .bytes(
        $0.hasPrefix("GET /large")
          ? AnswerServer.response(String(repeating: "x", count: 101)) : AnswerServer.response("ok"))
    }
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 1, outcomes)
    _ = thread.post(.get(QueuedGet(1, server.url("/large"))))
    _ = thread.post(.get(QueuedGet(2, "file:///etc/hostname")))
    _ = thread.post(.get(QueuedGet(3, server.url())))
    try outcomes.wait(for: 3)
    thread.stop()
    #expect(
      outcomes.all == [
        1: [.failed(CURLE_WRITE_ERROR.rawValue)],
        2: [.failed(CURLE_UNSUPPORTED_PROTOCOL.rawValue)], 3: [.answered("ok")],
      ])
  }

  @Test("stopping completes all requests, and accepts no more")
  func stops() throws {
    let server = try AnswerServer { _ in .silence }
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 3, outcomes)
    for id in 0..<UInt64(10) { _ = thread.post(.get(QueuedGet(id, server.url()))) }
    try Deadline.standard.wait(for: "three requests") { server.requests.count == 3 }
    thread.stop()
    #expect(outcomes.all.count == 10)
    #expect(outcomes.all.values.allSatisfy { $0 == [.cancelled] })
    #expect(!thread.post(.get(QueuedGet(11, server.url()))))
    try Deadline.standard.wait(for: "the end of all connections") { server.openCount == 0 }
  }

  @Test("requests posted by many threads at once are all completed")
  func takesFromManyThreads() throws {
    let server = try AnswerServer(body: "")
    defer { server.stop() }
    let outcomes = Outcomes()
    let thread = try QueueOwner.start(places: 4, outcomes)
    _ = try TestThread.concurrently(4) { index in
      for id in 0..<25 {
        _ = thread.post(.get(QueuedGet(UInt64(index * 25 + id), server.url())))
      }
    }
    try outcomes.wait(for: 100)
    thread.stop()
    #expect(outcomes.all.values.allSatisfy { $0 == [.answered("")] })
  }
}
