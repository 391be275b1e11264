import Channels
import Reactor

/// The receiver of the log's answers for all channels that are at home on a node.
final class NodeLogSink: LogSink {
  private let handle: NodeHandle

  init(_ handle: NodeHandle) { self.handle = handle }

  func receive(_ answers: [LogAnswer]) {
    handle.leave { $0.channels.receive(answers) }
  }
}
