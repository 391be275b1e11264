import Channels
import TestSupport
import Testing

@testable import Gateway

@Suite("Request pipeline")
struct RequestPipelineTests {
  @Test("sends run concurrently, and are answered in order")
  func runsSendsTogether() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("a", .besideItsLike)
    pipeline.append("b", .besideItsLike)
    let first = try pipeline.next()
    let second = try pipeline.next()
    #expect([first.call, second.call] == ["a", "b"])
    pipeline.complete(second.ticket, reply: [2])
    #expect(pipeline.takeReply() == nil)
    pipeline.complete(first.ticket, reply: [1])
    #expect(pipeline.takeReply() == [1])
    #expect(pipeline.takeReply() == [2])
    #expect(pipeline.takeReply() == nil)
  }

  @Test("replies to calls that are not running change nothing, whatever their numbers")
  func ignoresStrangeTickets() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("a", .besideItsLike)
    pipeline.append("b", .besideItsLike)
    let (first, second) = (try pipeline.next(), try pipeline.next())
    pipeline.complete(first.ticket, reply: [1])
    #expect(pipeline.takeReply() == [1])
    let numbers = [-(1 << 53), -2, -1, 0, 1, 2, 7, (1 << 53) - 1]
    for unit in numbers {
      for index in numbers where unit != second.ticket.unit || index != second.ticket.index {
        let ticket = CallTicket(unit: unit, index: index)
        pipeline.complete(ticket, reply: [9])
        pipeline.refuseRest(after: ticket)
        #expect(pipeline.admits(1, for: ticket))
      }
    }
    #expect(pipeline.takeReply() == nil && pipeline.pendingCount == 1)
    pipeline.complete(second.ticket, reply: [2])
    pipeline.complete(second.ticket, reply: [3])
    #expect(pipeline.takeReply() == [2])
    #expect(pipeline.takeReply() == nil && pipeline.pendingCount == 0)
  }

  @Test("a call whose forged reply arrived early can still start")
  func startsAnsweredCalls() throws {
    var pipeline = RequestPipeline<String>()
    for call in ["a", "fetch", "b"] {
      pipeline.append(call, call == "fetch" ? .besideAll : .alone)
    }
    let first = try pipeline.next()
    pipeline.complete(CallTicket(unit: 1, index: 0), reply: [9])
    pipeline.complete(first.ticket, reply: [1])
    #expect(pipeline.takeReply() == [1])
    #expect(pipeline.takeReply() == [9])
    while let started = pipeline.start() { pipeline.complete(started.ticket, reply: [2]) }
    #expect(pipeline.takeReply() == [2])
    #expect(pipeline.takeReply() == nil)
  }

  @Test("the messages of one call accept only replies to their own positions")
  func partsOfCalls() {
    let address = ReplyAddress(
      session: SessionAddress(shard: 0, connection: 1), ticket: CallTicket(unit: 3, index: 0),
      id: nil, isPaid: true)
    let sends = FileSends(2, replyTo: address)
    for index in [-(1 << 32), -3, 0, 1, 1 << 32] {
      #expect(!sends.awaits(CallTicket(unit: 3, index: index)))
    }
    for index in 0...1 { #expect(sends.awaits(FileSends.part(index, of: address).ticket)) }
  }

  @Test("any other call waits for all earlier calls, and blocks all later ones")
  func runsOthersAlone() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("send", .besideItsLike)
    pipeline.append("enter", .alone)
    pipeline.append("send", .besideItsLike)
    let send = try pipeline.next()
    #expect(pipeline.start() == nil)
    pipeline.complete(send.ticket, reply: nil)
    let enter = try pipeline.next()
    #expect(enter.call == "enter")
    #expect(pipeline.start() == nil)
    pipeline.complete(enter.ticket, reply: nil)
    #expect(pipeline.start()?.call == "send")
  }

  @Test("calls and replies overtake a send that may be delayed, which is answered on completion")
  func passesKeptSends() throws {
    var pipeline = RequestPipeline<String>()
    for call in ["photo", "list", "get"] { pipeline.append(call, .alone) }
    pipeline.append("text", .besideItsLike)
    let photo = try pipeline.next()
    #expect(pipeline.start() == nil)
    #expect(pipeline.pass(photo.ticket) == true)
    #expect(pipeline.pass(photo.ticket) == false)
    let list = try pipeline.next()
    #expect(pipeline.start() == nil)
    pipeline.complete(list.ticket, reply: [1])
    #expect(pipeline.takeReply() == [1])
    let get = try pipeline.next()
    // The end of the send that was passed lets nothing start beside a call that runs alone.
    pipeline.complete(photo.ticket, reply: [9])
    #expect(pipeline.start() == nil)
    #expect(pipeline.takeReply() == [9])
    pipeline.complete(get.ticket, reply: [2])
    #expect(pipeline.takeReply() == [2])
    let text = try pipeline.next()
    pipeline.complete(text.ticket, reply: nil)
    #expect(pipeline.takeReply() == nil)
    #expect(pipeline.backlog == 0 && pipeline.heldByteCount == 0)
  }

  @Test("a call that runs beside all others is overtaken, and its reply is sent when ready")
  func letsOthersOvertake() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("fetch", .besideAll, byteCount: 10)
    pipeline.append("get", .alone, byteCount: 1)
    pipeline.append("fetch", .besideAll, byteCount: 10)
    let first = try pipeline.next()
    let get = try pipeline.next()
    #expect(get.call == "get")
    #expect(pipeline.start() == nil)
    pipeline.complete(get.ticket, reply: [2])
    #expect(pipeline.takeReply() == [2])
    let second = try pipeline.next()
    #expect(pipeline.takeReply() == nil)
    #expect(pipeline.backlog == 4 && pipeline.requestByteCount == 20)
    pipeline.complete(second.ticket, reply: [3])
    #expect(pipeline.takeReply() == [3])
    pipeline.complete(first.ticket, reply: [1])
    pipeline.complete(first.ticket, reply: [1])
    #expect(pipeline.takeReply() == [1])
    #expect(pipeline.backlog == 0 && pipeline.heldByteCount == 0)
  }

  @Test("a batch that waits for nothing else is overtaken as a whole")
  func letsOthersOvertakeBatches() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append(batch: [.call("fetch", .besideAll), .call("ping", .alone)])
    pipeline.append("get", .alone)
    let fetch = try pipeline.next()
    let ping = try pipeline.next()
    pipeline.complete(ping.ticket, reply: Array("p".utf8))
    let get = try pipeline.next()
    pipeline.complete(get.ticket, reply: [9])
    #expect(pipeline.takeReply() == [9])
    #expect(pipeline.takeReply() == nil)
    pipeline.complete(fetch.ticket, reply: Array("f".utf8))
    #expect(pipeline.takeReply { $0 < 3 } == nil)
    #expect(pipeline.takeReply() == Array("[f,p]".utf8))
    #expect(pipeline.takeReply() == nil)
    #expect(pipeline.backlog == 0 && pipeline.heldByteCount == 0)
  }

  @Test("calls overtake a delayed send of a batch, and replies to others overtake the batch")
  func passesKeptSendsOfBatches() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append(batch: [
      .call("photo", .alone, replyBound: 1_000), .call("list", .alone, replyBound: 1_000),
    ])
    pipeline.append("get", .alone)
    let photo = try pipeline.next()
    #expect(pipeline.start() == nil)
    #expect(pipeline.pass(photo.ticket) == true)
    #expect(pipeline.pass(photo.ticket) == false)
    let list = try pipeline.next()
    #expect(list.call == "list")
    #expect(pipeline.start() == nil)
    pipeline.complete(list.ticket, reply: Array("l".utf8))
    #expect(pipeline.pass(list.ticket) == false)
    let get = try pipeline.next()
    pipeline.append("last", .alone)
    #expect(pipeline.start() == nil)
    pipeline.complete(get.ticket, reply: [9])
    #expect(pipeline.takeReply() == [9])
    #expect(pipeline.takeReply() == nil)
    // A batch that was overtaken keeps its budget.
    #expect(pipeline.replyLimit(of: photo.ticket) == 1_000)
    #expect(pipeline.admits(999, for: photo.ticket) && !pipeline.admits(1_000, for: photo.ticket))
    let last = try pipeline.next()
    pipeline.complete(photo.ticket, reply: Array("p".utf8))
    #expect(pipeline.takeReply() == Array("[p,l]".utf8))
    pipeline.complete(last.ticket, reply: nil)
    #expect(pipeline.takeReply() == nil)
    #expect(pipeline.backlog == 0 && pipeline.heldByteCount == 0)
  }

  @Test("a delayed send of a batch reserves no more space than its reply may need")
  func givesRoomBack() throws {
    var pipeline = RequestPipeline<Int>()
    pipeline.append(batch: (0..<9).map { .call($0, .alone, replyBound: 66_560) })
    var kept: [RequestPipeline<Int>.Ticket] = []
    while let next = pipeline.start() {
      #expect(next.replyLimit.map { $0 >= 66_560 } == true)
      #expect(pipeline.pass(next.ticket) == true)
      #expect(pipeline.replyLimit(of: next.ticket) == 66_560)
      kept.append(next.ticket)
    }
    #expect(kept.count == 7)
    pipeline.complete(kept[3], reply: Array(repeating: 32, count: 300))
    let next = try pipeline.next()
    #expect(next.call == 7)
    // It has not been passed.
    #expect(pipeline.start() == nil)
    #expect(pipeline.pass(next.ticket) == true)
    #expect(pipeline.start() == nil)
    pipeline.complete(next.ticket, reply: [33])
    #expect(pipeline.start()?.call == 8)
  }

  @Test(
    "whatever a batch delays, its reply is at most 512 KiB", arguments: UInt64(1)...60)
  func boundsKeptSends(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var pipeline = RequestPipeline<Int>()
    let bounds = (0..<60).map { _ in Int.random(in: 600...90_000, using: &generator) }
    pipeline.append(
      batch: bounds.enumerated().map { number, bound in
        .call(number, Bool.random(using: &generator) ? .alone : .besideItsLike, replyBound: bound)
      })
    var running: [RequestPipeline<Int>.Ticket] = []
    while pipeline.pendingCount > 0 {
      while let next = pipeline.start() {
        if next.replyLimit == nil {
          pipeline.complete(next.ticket, reply: Array(repeating: 33, count: 300))
        } else {
          running.append(next.ticket)
          if Bool.random(using: &generator) { _ = pipeline.pass(next.ticket) }
        }
      }
      guard let index = running.indices.randomElement(using: &generator) else { continue }
      let ticket = running.remove(at: index)
      let size = Int.random(in: 1...200_000, using: &generator)
      let fits = pipeline.admits(size, for: ticket)
      pipeline.complete(ticket, reply: Array(repeating: 32, count: fits ? size : 300))
    }
    let reply = pipeline.takeReply()
    #expect((reply?.count ?? 0) <= 524_288)
    #expect(pipeline.backlog == 0 && pipeline.heldByteCount == 0)
  }

  @Test("a batch is answered with one array, in the order of its entries")
  func joinsBatches() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append(batch: [
      .call("a", .besideItsLike), .reply(Array("x".utf8)), .call("note", .besideItsLike),
      .call("b", .besideItsLike),
    ])
    let started = try (0..<3).map { _ in try pipeline.next() }
    pipeline.complete(started[2].ticket, reply: Array("b".utf8))
    pipeline.complete(started[1].ticket, reply: nil)
    #expect(pipeline.takeReply() == nil)
    pipeline.complete(started[0].ticket, reply: Array("a".utf8))
    #expect(pipeline.takeReply() == Array("[a,x,b]".utf8))
  }

  @Test("a batch of notifications gets no response")
  func answersNoNotifications() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append(batch: [.call("note", .besideItsLike)])
    pipeline.append(reply: [1])
    let started = try pipeline.next()
    #expect(pipeline.takeReply() == nil)
    pipeline.complete(started.ticket, reply: nil)
    #expect(pipeline.takeReply() == [1])
  }

  @Test("the refusal of a request keeps its position")
  func keepsRefusalsInPlace() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("slow", .alone)
    pipeline.append(reply: [2])
    #expect(pipeline.takeReply() == nil)
    let started = try pipeline.next()
    pipeline.complete(started.ticket, reply: [1])
    #expect(pipeline.takeReply() == [1])
    #expect(pipeline.takeReply() == [2])
  }

  @Test("refusals waiting behind a call count as backlog until they are sent")
  func countsWhatWaits() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("slow", .alone)
    for _ in 0..<10 { pipeline.append(reply: [2]) }
    #expect(pipeline.pendingCount == 1)
    #expect(pipeline.backlog == 12)
    let started = try pipeline.next()
    pipeline.complete(started.ticket, reply: [1])
    for _ in 0..<11 { #expect(pipeline.takeReply() != nil) }
    #expect(pipeline.backlog == 0)
  }

  @Test("a duplicate reply to an answered request is ignored")
  func ignoresRepeatedReplies() throws {
    var pipeline = RequestPipeline<String>()
    pipeline.append("a", .alone)
    let started = try pipeline.next()
    pipeline.complete(started.ticket, reply: [1])
    pipeline.complete(started.ticket, reply: [9])
    #expect(pipeline.takeReply() == [1])
    pipeline.append("b", .alone)
    pipeline.complete(started.ticket, reply: [9])
    #expect(pipeline.pendingCount == 1)
    #expect(pipeline.start()?.call == "b")
    #expect(pipeline.takeReply() == nil)
  }

  @Test("replies of a batch share one budget: calls that exceed it are not carried out")
  func refusesBeyondTheBudget() throws {
    var pipeline = RequestPipeline<Int>()
    pipeline.append(batch: (0..<4).map { .call($0, .alone, replyBound: 100_000) }, byteCount: 40)
    pipeline.append(4, .alone, byteCount: 2)
    #expect(pipeline.requestByteCount == 42)
    let first = try pipeline.next()
    let limit = try #require(first.replyLimit)
    #expect((500_000...524_288).contains(limit))
    pipeline.complete(first.ticket, reply: Array(repeating: 32, count: 300_000))
    let second = try pipeline.next()
    #expect(pipeline.admits(200_000, for: second.ticket))
    #expect(!pipeline.admits(230_000, for: second.ticket))
    pipeline.complete(second.ticket, reply: Array(repeating: 32, count: 200_000))
    #expect(pipeline.heldByteCount == 500_044)
    for _ in 0..<2 {
      let refused = try pipeline.next()
      #expect(refused.replyLimit == nil)
      pipeline.complete(refused.ticket, reply: [33])
    }
    let reply = pipeline.takeReply()
    #expect(reply?.count == 500_007)
    let other = try pipeline.next()
    #expect(other.call == 4 && other.replyLimit == 524_288)
    #expect(pipeline.heldByteCount == 2)
    pipeline.complete(other.ticket, reply: nil)
    #expect(pipeline.takeReply() == nil)
    #expect(pipeline.heldByteCount == 0)
  }

  @Test("sends of a batch wait for space while others are running")
  func waitsForRoom() throws {
    var pipeline = RequestPipeline<Int>()
    pipeline.append(batch: (0..<5).map { .call($0, .besideItsLike, replyBound: 200_000) })
    let started = try (0..<2).map { _ in try pipeline.next() }
    #expect(started.map(\.replyLimit) == [200_000, 200_000])
    #expect(pipeline.start() == nil)
    pipeline.complete(started[0].ticket, reply: [48])
    #expect(pipeline.start()?.replyLimit == 200_000)
    #expect(pipeline.start() == nil)
  }

  @Test("a reply is held until there is space, and counts as held")
  func keepsReplies() throws {
    var pipeline = RequestPipeline<Int>()
    pipeline.append(1, .alone, byteCount: 100)
    let started = try pipeline.next()
    pipeline.complete(started.ticket, reply: [1, 2, 3])
    #expect(pipeline.takeReply(if: { $0 < 3 }) == nil)
    #expect(pipeline.heldByteCount == 104)
    #expect(pipeline.takeReply(if: { $0 < 6 }) == [1, 2, 3])
    #expect(pipeline.heldByteCount == 0)
  }

  @Test(
    "whatever a batch's calls return, its reply is at most 512 KiB", arguments: UInt64(1)...60)
  func boundsBatches(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var pipeline = RequestPipeline<Int>()
    let bounds = (0..<100).map { _ in Int.random(in: 1...90_000, using: &generator) }
    pipeline.append(
      batch: bounds.enumerated().map { number, bound in
        .call(number, Bool.random(using: &generator) ? .alone : .besideItsLike, replyBound: bound)
      })
    var running: [RequestPipeline<Int>.Ticket] = []
    var refusedCount = 0
    while pipeline.pendingCount > 0 {
      while let next = pipeline.start() {
        if next.replyLimit == nil {
          refusedCount += 1
          pipeline.complete(next.ticket, reply: Array(repeating: 33, count: 300))
        } else {
          running.append(next.ticket)
        }
      }
      guard let index = running.indices.randomElement(using: &generator) else { continue }
      let ticket = running.remove(at: index)
      let size = Int.random(in: 1...200_000, using: &generator)
      let fits = pipeline.admits(size, for: ticket)
      pipeline.complete(ticket, reply: Array(repeating: 32, count: fits ? size : 300))
    }
    let reply = pipeline.takeReply()
    #expect((reply?.count ?? 0) <= 524_288)
    #expect(refusedCount > 0)
  }

  @Test("random requests run and are answered as in a simple list", arguments: UInt64(1)...60)
  func agreesWithNaivePipeline(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = PipelineComparison()
    for _ in 0..<600 { comparison.step(using: &generator) }
    comparison.finish(using: &generator)
  }
}

extension RequestPipeline {
  /// Starts a call that must be there.
  fileprivate mutating func next() throws -> (ticket: Ticket, call: Call, replyLimit: Int?) {
    let start = start()
    let started = try #require(start)
    return (started.ticket, started.call, started.replyLimit)
  }
}
