internal import ClientSockets
internal import ClientTransport
internal import Dispatch
internal import Reactor
internal import Synchronization

/// A worker on its own thread, as used by other threads.
final class WorkerThread: Sendable {
  private let loop: ClientLoop

  /// - Parameter places: The members of the plan for the worker.
  init(_ plan: LoadPlan, _ target: LoadTarget, places: [Int]) throws(LoadFailure) {
    let loop: ClientLoop
    do throws(SystemError) {
      loop = try ClientLoop(name: "parley-load")
    } catch {
      throw .systemFailed(error.description)
    }
    self.loop = loop
    let failure = Self.ask(loop) { context -> SystemError? in
      do throws(SystemError) {
        let worker = try LoadWorker(plan, target, places: places, context: context)
        context.members[ObjectIdentifier(loop)] = worker
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw .systemFailed(failure.description) }
  }

  /// Posts a job to the worker's thread.
  func post(_ body: @escaping @Sendable (LoadWorker) -> Void) {
    let key = ObjectIdentifier(loop)
    loop.post { context in
      if let worker = context.members[key] as? LoadWorker { body(worker) }
    }
  }

  /// Queries the worker, and waits for the answer.
  func ask<Answer: Sendable>(_ body: @escaping @Sendable (LoadWorker) -> Answer) -> Answer? {
    let key = ObjectIdentifier(loop)
    return Self.ask(loop) { context in
      (context.members[key] as? LoadWorker).map(body)
    }
  }

  private static func ask<Answer: Sendable>(
    _ loop: ClientLoop, _ body: @escaping @Sendable (ClientLoopContext) -> Answer?
  ) -> Answer? {
    let box = AnswerBox<Answer>()
    loop.post { context in
      let value = body(context)
      box.answer.withLock { $0 = value }
      box.isThere.signal()
    }
    box.isThere.wait()
    return box.answer.withLock { $0 }
  }
}

/// Passes an answer from one thread to another.
private final class AnswerBox<Answer: Sendable>: Sendable {
  let answer = Mutex<Answer?>(nil)
  let isThere = DispatchSemaphore(value: 0)
}

/// The state of a worker, for display.
struct WorkerSnapshot: Sendable {
  let counters: LoadCounters
  /// Deliveries since the previous snapshot.
  let interval: LatencyHistogram
  /// Sends without a response.
  let pending: Int
  /// Connections that are not ready.
  let connecting: Int
}

/// All measurements of a worker.
struct WorkerResult: Sendable {
  let counters: LoadCounters
  let latencies: Latencies
  let accepted: [(channel: UInt32, message: ConfirmedMessage)]
  /// Those of slow readers apart: what they miss when they are put out is no loss.
  let traces: [SubscriptionTrace]
  let unanswered: [UInt32: Int]
  let notes: [String]
  /// The name and version of the gateway; empty before the first session.
  let gateway: String
}

extension LoadWorker {
  func takeSnapshot() -> WorkerSnapshot {
    defer { interval = LatencyHistogram() }
    var connecting = waiting.count
    var pending = 0
    for connection in connections {
      pending += connection.pending.count
      switch connection.state {
      case .connecting, .preparing: connecting += 1
      case .idle, .ready, .over: break
      }
    }
    return WorkerSnapshot(
      counters: counters, interval: interval, pending: pending, connecting: connecting)
  }

  func result() -> WorkerResult {
    var unanswered: [UInt32: Int] = [:]
    for connection in connections {
      for send in connection.pending.values { unanswered[send.channel, default: 0] += 1 }
    }
    return WorkerResult(
      counters: counters, latencies: latencies, accepted: accepted,
      traces: connections.flatMap { $0.traces.filter(\.hasEntered) }, unanswered: unanswered,
      notes: notes, gateway: gateway)
  }
}
