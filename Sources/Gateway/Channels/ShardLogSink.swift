import Channels

/// The receiver of the log's answers for all channels that are at home on a shard.
final class ShardLogSink: LogSink {
  private let path: ReturnPath

  init(_ path: ReturnPath) { self.path = path }

  func receive(_ answers: [LogAnswer]) {
    path.enqueue { $0.channels.receive(answers) }
  }
}
