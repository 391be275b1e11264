// Appends messages for as long as it lives and prints a line for each: its id and its seq when it
// was acknowledged, its id and "failed" when it was not. Tests kill it and look for these lines.
//
//     store-crash-writer <directory> [<interval of failing writes to the log>]

import CFaultyDisk
import Channels
import Foundation
import ParleyProtocol
import Store

/// Keeps 200 messages in flight: each answer prints one and appends another.
final class CrashWriter: LogSink {
  private static let width: UInt64 = 200
  private let log: any MessageLog
  private let channel: LogChannel
  private let expectsFailures: Bool

  init(log: any MessageLog, channel: LogChannel, expectsFailures: Bool) {
    self.log = log
    self.channel = channel
    self.expectsFailures = expectsFailures
  }

  func start() {
    for id in 1...Self.width { append(id) }
  }

  func receive(_ answers: [LogAnswer]) {
    for answer in answers {
      let id = answer.ticket.number
      switch answer.result {
      case .success(.appended(let seq, _)):
        print("\(id) \(seq)")
        append(id + Self.width)
      case .failure where expectsFailures:
        print("\(id) failed")
        let soon = DispatchTime.now() + .milliseconds(1)
        DispatchQueue.global().asyncAfter(deadline: soon) { self.append(id + Self.width) }
      case .success, .failure: exit(1)
      }
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

  /// Prints with one write, so that a line is whole or not there.
  private func print(_ text: String) {
    let line = Array("\(text)\n".utf8)
    guard write(1, line, line.count) == line.count else { exit(1) }
  }
}

/// The receiver of one answer.
final class Reply: LogSink {
  private let take: @Sendable (LogAnswer) -> Void

  init(_ take: @escaping @Sendable (LogAnswer) -> Void) { self.take = take }

  func receive(_ answers: [LogAnswer]) { for answer in answers { take(answer) } }
}

let arguments = CommandLine.arguments
guard (2...3).contains(arguments.count) else {
  let usage = "usage: store-crash-writer <directory> [<interval of failing writes to the log>]\n"
  FileHandle.standardError.write(Data(usage.utf8))
  exit(64)
}
guard faulty_disk_install() else { exit(1) }
var options = StoreOptions()
options.probeIntervalMilliseconds = 1
let store = try Store(directory: arguments[1], options: options)
store.perform(ProfileChange("ann", nickname: "Ann", at: 1)) { result in
  guard case .success = result else { exit(1) }
}
// An earlier process may have made the channel.
var creation = [
  LogSubmission(
    LogTicket(number: 0), .create(Channel(url: "lobby", createdAt: 1), epoch: "e"))
]
store.submit(
  &creation,
  to: Reply { _ in
    store.read(
      .channel(url: "lobby"), LogTicket(number: 0),
      to: Reply { answer in
        guard case .success(.read(.channel(let state?))) = answer.result else { exit(1) }
        if arguments.count == 3 { faulty_disk_fail_log_writes(Int32(arguments[2]) ?? 0) }
        CrashWriter(log: store, channel: state.place, expectsFailures: arguments.count == 3)
          .start()
      })
  })
while true { sleep(60) }
