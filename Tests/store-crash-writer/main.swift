// Appends messages for as long as it lives and prints a line for each: its id and its seq when it
// was acknowledged, its id and "failed" when it was not. Tests kill it and look for these lines.
//
//     store-crash-writer <directory> [<interval of failing writes to the log>]

import CFaultyDisk
import Foundation
import ParleyProtocol
import Store

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
store.write({ transaction -> Int64 in
  if let state = try transaction.channel("lobby") { return state.id }
  _ = try transaction.upsertUser("ann", nickname: "Ann", at: 1)
  return try transaction.createChannel(Channel(url: "lobby", createdAt: 1), epoch: "e").id
}) { result in
  guard case .success(let channelID) = result else { exit(1) }
  if arguments.count == 3 { faulty_disk_fail_log_writes(Int32(arguments[2]) ?? 0) }
  for number in Int64(1)...200 { append(number, channelID) }
}
while true { sleep(60) }

/// Appends a message, prints what became of it, and appends another.
@Sendable func append(_ id: Int64, _ channelID: Int64) {
  let message = NewMessage(
    channelID: channelID, id: id, userID: "ann", text: String(repeating: "x", count: 300),
    createdAt: 1_000 + id)
  store.append(message) { result in
    switch result {
    case .success(.stored(let seq, _)):
      printLine("\(id) \(seq)")
      append(id + 200, channelID)
    case .failure where arguments.count == 3:
      printLine("\(id) failed")
      let soon = DispatchTime.now() + .milliseconds(1)
      DispatchQueue.global().asyncAfter(deadline: soon) { append(id + 200, channelID) }
    default: exit(1)
    }
  }
}

/// Prints with one write, so that a line is whole or not there.
@Sendable func printLine(_ text: String) {
  let line = Array("\(text)\n".utf8)
  guard write(1, line, line.count) == line.count else { exit(1) }
}
