// Appends messages for as long as it lives and prints the id and `seq` of each that was acknowledged.
// Tests kill it and look for what it printed.
//
//     store-crash-writer <directory>

import Channels
import Foundation
import ParleyProtocol
import Store

/// Keeps 200 messages in flight: each answer prints one and appends another.
final class CrashWriter: LogSink {
  private static let width: UInt64 = 200
  private let log: any MessageLog
  private let channel: LogChannel

  init(log: any MessageLog, channel: LogChannel) {
    self.log = log
    self.channel = channel
  }

  func start() {
    for id in 1...Self.width { append(id) }
  }

  func receive(_ answers: [LogAnswer]) {
    for answer in answers {
      guard case .success(.appended(let seq, _)) = answer.result else { exit(1) }
      // One write, so that a line is whole or not there.
      let line = Array("\(answer.ticket.number) \(seq)\n".utf8)
      guard write(1, line, line.count) == line.count else { exit(1) }
      append(answer.ticket.number + Self.width)
    }
  }

  private func append(_ id: UInt64) {
    let message = Message(
      id: Int64(id), channelURL: channel.url, user: User(id: "ann"),
      text: String(repeating: "x", count: 300), createdAt: 1_000 + Int64(id))
    var entries = [
      LogSubmission(LogTicket(number: id), .write(.append(UnsequencedMessage(message)), channel))
    ]
    log.submit(&entries, to: self)
  }
}

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: store-crash-writer <directory>\n".utf8))
  exit(64)
}
let store = try Store(directory: CommandLine.arguments[1])
store.write({ transaction -> ChannelState in
  if let state = try transaction.channel("lobby") { return state }
  _ = try transaction.upsertUser("ann", nickname: "Ann", at: 1)
  return try transaction.createChannel(Channel(url: "lobby", createdAt: 1), epoch: "e")
}) { result in
  guard case .success(let state) = result else { exit(1) }
  CrashWriter(log: store, channel: state.place).start()
}
while true { sleep(60) }
