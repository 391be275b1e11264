import TestSupport
import Testing

@testable import Gateway

/// A pipeline beside a list of what should happen.
struct PipelineComparison {
  private struct Call {
    let number: Int
    let concurrency: RequestPipeline<Int>.Concurrency
    let reply: [UInt8]?
  }

  private typealias Ticket = RequestPipeline<Int>.Ticket

  private var pipeline = RequestPipeline<Int>()
  private var calls: [Call] = []
  private var running: [(call: Call, ticket: Ticket)] = []
  private var startedCount = 0
  private var completed: Set<Int> = []
  /// The answers that are due, with the calls that must have completed before.
  private var answers: [(calls: [Int], bytes: [UInt8]?)] = []

  mutating func step(using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<9, using: &generator) {
    case 0..<2: append(using: &generator)
    case 2: appendBatch(using: &generator)
    case 3: appendReply()
    case 4..<6: start()
    default: complete(using: &generator)
    }
    takeReplies()
    #expect(pipeline.pendingCount == calls.count - completed.count)
  }

  mutating func finish(using generator: inout SeededGenerator) {
    while completed.count < calls.count {
      start()
      complete(using: &generator)
    }
    takeReplies()
    #expect(answers.isEmpty)
    #expect(pipeline.start() == nil)
  }

  private mutating func makeCall(using generator: inout SeededGenerator) -> Call {
    let number = calls.count
    let isNotification = Int.random(in: 0..<4, using: &generator) == 0
    let kinds: [RequestPipeline<Int>.Concurrency] = [.alone, .besideAll, .besideItsLike]
    let call = Call(
      number: number,
      concurrency: kinds[min(Int.random(in: 0..<4, using: &generator), 2)],
      reply: isNotification ? nil : Array("\(number)".utf8))
    calls.append(call)
    return call
  }

  private mutating func append(using generator: inout SeededGenerator) {
    let call = makeCall(using: &generator)
    pipeline.append(call.number, call.concurrency)
    answers.append(([call.number], call.reply))
  }

  private mutating func appendBatch(using generator: inout SeededGenerator) {
    var entries: [RequestPipeline<Int>.Entry] = []
    var numbers: [Int] = []
    var replies: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      if Int.random(in: 0..<4, using: &generator) == 0 {
        entries.append(.reply(Array("refused".utf8)))
        replies.append("refused")
      } else {
        let call = makeCall(using: &generator)
        entries.append(.call(call.number, call.concurrency))
        numbers.append(call.number)
        if let reply = call.reply { replies.append(String(decoding: reply, as: UTF8.self)) }
      }
    }
    pipeline.append(batch: entries)
    let joined = "[\(replies.joined(separator: ","))]"
    answers.append((numbers, replies.isEmpty ? nil : Array(joined.utf8)))
  }

  private mutating func appendReply() {
    pipeline.append(reply: [33])
    answers.append(([], [33]))
  }

  private mutating func start() {
    while let (ticket, number, _, _) = pipeline.start() {
      #expect(number == startedCount, "calls start in their order")
      #expect(mayStart, "a call that runs alone met another")
      running.append((calls[number], ticket))
      startedCount += 1
    }
    #expect(!mayStart, "a call waits for nothing")
  }

  /// Whether the next call has nothing to wait for.
  private var mayStart: Bool {
    guard startedCount < calls.count else { return false }
    switch calls[startedCount].concurrency {
    case .alone: return running.allSatisfy { $0.call.concurrency == .besideAll }
    case .besideItsLike, .besideAll: return !running.contains { $0.call.concurrency == .alone }
    }
  }

  private mutating func complete(using generator: inout SeededGenerator) {
    guard let index = running.indices.randomElement(using: &generator) else { return }
    let (call, ticket) = running.remove(at: index)
    pipeline.complete(ticket, reply: call.reply)
    completed.insert(call.number)
  }

  private mutating func takeReplies() {
    while let reply = pipeline.takeReply() {
      guard let next = nextAnswer else {
        Issue.record("a reply that nothing asked for, or that came too early")
        return
      }
      #expect(reply == answers[next].bytes)
      answers.remove(at: next)
    }
    #expect(nextAnswer == nil, "a reply is held back")
    answers.removeAll { $0.bytes == nil && completed.isSuperset(of: $0.calls) }
  }

  /// The first answer that is complete, unless one before it may not be overtaken.
  private var nextAnswer: Int? {
    for (index, answer) in answers.enumerated() {
      let missing = answer.calls.filter { !completed.contains($0) }
      if missing.isEmpty, answer.bytes != nil { return index }
      let isOvertakable = missing.allSatisfy { number in
        calls[number].concurrency == .besideAll && running.contains { $0.call.number == number }
      }
      guard isOvertakable else { return nil }
    }
    return nil
  }
}
