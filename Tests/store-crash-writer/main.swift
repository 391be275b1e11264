// Appends messages for as long as it lives and prints the id of each that was acknowledged.
// Tests kill it and look for what it printed.
//
//     store-crash-writer <directory>

import Foundation
import ParleyProtocol
import Store

guard CommandLine.arguments.count == 2 else {
  FileHandle.standardError.write(Data("usage: store-crash-writer <directory>\n".utf8))
  exit(64)
}
let store = try Store(directory: CommandLine.arguments[1])
store.write({ transaction -> Int64 in
  if let state = try transaction.channel("lobby") { return state.id }
  _ = try transaction.upsertUser("ann", nickname: "Ann", at: 1)
  return try transaction.createChannel(Channel(url: "lobby", createdAt: 1), epoch: "e").id
}) { result in
  guard case .success(let channelID) = result else { exit(1) }
  for number in Int64(1)...200 { append(number, channelID) }
}
while true { sleep(60) }

/// Appends a message and, when it is acknowledged, tells so and appends another.
@Sendable func append(_ id: Int64, _ channelID: Int64) {
  let message = NewMessage(
    channelID: channelID, id: id, userID: "ann", text: String(repeating: "x", count: 300),
    createdAt: 1_000 + id)
  store.append(message) { result in
    guard case .success(.stored(let seq, _)) = result else { exit(1) }
    // One write, so that a line is whole or not there.
    let line = Array("\(id) \(seq)\n".utf8)
    guard write(1, line, line.count) == line.count else { exit(1) }
    append(id + 200, channelID)
  }
}
