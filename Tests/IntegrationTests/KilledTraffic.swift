import ParleyProtocol
import Synchronization
import TestSupport
import TestPeers

/// Users who send as fast as they can until their server is killed in the midst of it.
struct KilledTraffic: Sendable {
  static let channels = ["garden", "kitchen", "attic"]
  private static let senderCount = 4
  /// Sends that each has under way.
  private static let pipelineDepth = 16

  /// One send, and what was answered before the end.
  struct Attempt {
    let sender: String
    let url: String
    let requestID: String
    var answer: SentMessage?

    var text: String { "text of \(requestID)" }
  }

  let seed: UInt64
  /// How many answers to wait for.
  let acknowledgements: Int

  /// - Returns: All sends, of each sender in its order.
  func run(on server: ServerProcess) throws -> [Attempt] {
    let count = Counter()
    let finish = TestThread.concurrentlyStarted(Self.senderCount) { index in
      try send(on: server, index, count)
    }
    try Deadline.standard.wait(for: "\(acknowledgements) answers") {
      count.value.load(ordering: .relaxed) >= acknowledgements
    }
    try server.kill()
    return try finish().flatMap(\.self)
  }

  private func send(
    on server: ServerProcess, _ index: Int, _ count: Counter
  ) throws -> [Attempt] {
    var random = SeededGenerator(seed: seed &* 100 &+ UInt64(index))
    let client = try server.open("sender-\(index)")
    for url in Self.channels { try client.enter(url) }
    var attempts: [Attempt] = []
    var ids: [RPCIdentifier] = []
    // The connection's end is this loop's end, wherever it is noticed.
    while client.closeCode == nil {
      let url = Self.channels[Int.random(in: 0..<Self.channels.count, using: &random)]
      let attempt = Attempt(
        sender: "sender-\(index)", url: url, requestID: "\(index)-\(attempts.count)")
      attempts.append(attempt)
      guard
        let id = try? client.requestSend(attempt.text, to: url, requestID: attempt.requestID)
      else { break }
      ids.append(id)
      let oldest = ids.count - Self.pipelineDepth
      guard oldest >= 0 else { continue }
      guard let reply = try? client.reply(to: ids[oldest]) else { break }
      attempts[oldest].answer = try SentMessage(reply.result.get())
      count.value.add(1, ordering: .relaxed)
    }
    _ = try? client.waitForClose()
    for (place, id) in ids.enumerated() {
      guard let reply = client.takeReply(to: id) else { continue }
      attempts[place].answer = try SentMessage(reply.result.get())
    }
    return attempts
  }
}

/// Counts over all threads.
private final class Counter: Sendable {
  let value = Atomic(0)
}
