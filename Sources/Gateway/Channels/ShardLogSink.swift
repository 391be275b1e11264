import Channels
import Reactor

/// The receiver of the log's answers for all channels that are at home on a shard.
final class ShardLogSink: LogSink {
  private let handle: ShardHandle

  init(_ handle: ShardHandle) { self.handle = handle }

  func receive(_ answers: [LogAnswer]) {
    handle.enqueue { $0.channels.receive(answers) }
  }
}
