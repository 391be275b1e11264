// sources: Sources/Gateway/Sessions/RequestPipeline.swift
import ParleyProtocol

#if canImport(Gateway)
  @testable import Gateway
#endif

/// Requests, batches and refusals in any order, completed in any order.
///
/// Every call starts once, alone if it has to; replies leave in the order of the requests, each
/// once; a batch's leave together; in the end nothing is left over.
enum PipelineHarness: Harness {
  static func run(_ input: [UInt8]) {
    var model = PipelineModel()
    var source = ByteSource(input)
    while !source.isEmpty { model.step(&source) }
    model.finish(&source)
  }
}

private struct PipelineModel {
  private typealias Pipeline = RequestPipeline<Int>

  private struct Running {
    let ticket: Pipeline.Ticket
    let call: Int
  }

  private var pipeline = Pipeline()
  private var running: [Running] = []
  private var isAlone: [Bool] = []
  private var isAnswered: [Bool] = []
  private var started: Set<Int> = []
  /// The replies of each message, those of notifications left out.
  private var expected: [[Int]] = []
  private var isBatch: [Bool] = []
  private var leaving = 0

  mutating func step(_ source: inout ByteSource) {
    switch source.number(below: 6) {
    case 0, 1: append(count: 1, batch: false, &source)
    case 2: append(count: source.number(below: 5), batch: true, &source)
    case 3: completeOne(&source)
    default: break
    }
    start()
    take()
  }

  mutating func finish(_ source: inout ByteSource) {
    start()
    while !running.isEmpty {
      completeOne(&source)
      start()
      take()
    }
    take()
    precondition(started.count == isAlone.count, "a call never started")
    precondition(pipeline.pendingCount == 0 && pipeline.backlog == 0, "something is left over")
    while leaving < expected.count {
      precondition(expected[leaving].isEmpty, "a reply is lost")
      leaving += 1
    }
  }

  private mutating func newCall(_ source: inout ByteSource) -> (Int, Pipeline.Concurrency) {
    let alone = source.flag()
    isAlone.append(alone)
    isAnswered.append(source.number(below: 4) > 0)
    return (isAlone.count - 1, alone ? .alone : .besideItsLike)
  }

  private mutating func append(count: Int, batch: Bool, _ source: inout ByteSource) {
    guard batch else {
      expected.append([])
      isBatch.append(false)
      guard source.number(below: 8) > 0 else {
        expected[expected.count - 1] = [-1]
        return pipeline.append(reply: Array("-1".utf8))
      }
      let (call, concurrency) = newCall(&source)
      if isAnswered[call] { expected[expected.count - 1] = [call] }
      return pipeline.append(call, concurrency)
    }
    var entries: [Pipeline.Entry] = []
    var replies: [Int] = []
    for _ in 0..<count {
      if source.number(below: 5) == 0 {
        entries.append(.reply(Array("-1".utf8)))
        replies.append(-1)
      } else {
        let (call, concurrency) = newCall(&source)
        entries.append(.call(call, concurrency))
        if isAnswered[call] { replies.append(call) }
      }
    }
    expected.append(replies)
    isBatch.append(true)
    pipeline.append(batch: entries)
  }

  private mutating func start() {
    while let (ticket, call, _, replyLimit) = pipeline.start() {
      precondition(replyLimit != nil, "a call is refused though there is room")
      precondition(started.insert(call).inserted, "a call started twice")
      precondition(started.count == call + 1, "calls start out of order")
      precondition(!running.contains { isAlone[$0.call] }, "a call runs beside one that is alone")
      precondition(!isAlone[call] || running.isEmpty, "a call is not alone")
      running.append(Running(ticket: ticket, call: call))
    }
  }

  private mutating func completeOne(_ source: inout ByteSource) {
    guard !running.isEmpty else { return }
    let one = running.remove(at: source.number(below: running.count))
    pipeline.complete(one.ticket, reply: isAnswered[one.call] ? Array("\(one.call)".utf8) : nil)
  }

  private mutating func take() {
    while let reply = pipeline.takeReply() {
      while leaving < expected.count, expected[leaving].isEmpty { leaving += 1 }
      precondition(leaving < expected.count, "a reply that nobody is owed")
      let texts = expected[leaving].map { "\($0)" }.joined(separator: ",")
      let text = isBatch[leaving] ? "[\(texts)]" : texts
      precondition(reply == Array(text.utf8), "another reply than the oldest")
      leaving += 1
    }
  }
}
