import Configuration
import Dispatch
import Logging
import Reactor
import Channels
import TestPeers
import TestSupport
import Testing

@testable import Gateway
@testable import Store
@testable import Transport

/// Several shards without threads, whose messages to one another are recorded on the way.
///
/// Every message crosses as bytes, as it would between servers.
final class DrivenShards {
  /// A message as it arrived at a shard.
  struct Record: Equatable {
    let receiver: Int
    let bytes: [UInt8]
  }

  let shards: [Shard]
  private(set) var records: [Record] = []
  private let directory: TemporaryDirectory

  init(count: Int, _ adjust: (inout Settings) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    var settings = Settings()
    settings.dataDirectory = directory.path
    settings.unfurl.mode = .off
    // A list ends at its limit alone, however slow the machine is.
    settings.limits.queryMilliseconds = 0
    adjust(&settings)
    let set = ShardSet(try (0..<count).map { try ShardHandle(index: $0) })
    let services = try GatewayServices(
      GatewayPlan(settings), shards: set,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    services.serve()
    shards = try set.handles.map { try Shard(handle: $0, services: services) }
  }

  deinit {
    for shard in shards {
      shard.transport.forEachConnection { $0.drop() }
      while shard.loop.endOfTurn() == .unfinished {}
    }
    services.store.close()
  }

  var services: GatewayServices { shards[0].services }

  /// Has every shard take a turn.
  func turn() throws {
    for shard in shards {
      for mail in shard.handle.mailbox.takeAll(reusing: []) {
        switch mail {
        case .message(let message):
          let bytes = message.encoded()
          records.append(Record(receiver: shard.handle.index, bytes: bytes))
          shard.workOn(.message(try ShardMessage(decoding: bytes)))
        case .local, .rest: shard.workOn(mail)
        }
      }
      while shard.finishTurn() == .unfinished {}
    }
  }

  /// Has the shards take turns until a condition holds, and a few more.
  func turns(until isDone: () throws -> Bool) throws {
    var problem: (any Error)?
    try Deadline.standard.wait(for: "the shards to be done") {
      do {
        try turn()
        return try isDone()
      } catch {
        problem = error
        return true
      }
    }
    if let problem { throw problem }
    for _ in 0..<3 { try turn() }
  }

  /// Changes the store and waits for it.
  func write(_ job: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    services.store.write(job) { result in
      if case .failure(let error) = result { Issue.record(error) }
      done.signal()
    }
    try Deadline.standard.wait(for: "a write", on: done)
  }
}
