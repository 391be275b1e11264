import Foundation
import SQLite
import ParleyProtocol
import Testing

@testable import Store

@Suite("A process that is killed")
struct CrashTests {
  @Test("loses nothing that it acknowledged, and leaves no gap", arguments: [50, 800, 3_000])
  func keepsAcknowledged(lineCount: Int) async throws {
    let directory = TemporaryDirectory()
    let acknowledged = try runAndKill(directory, after: lineCount)
    #expect(acknowledged.count >= lineCount)

    let store = try Store(directory: directory.path)
    let stored = try await store.read { transaction in
      let rows = try transaction.connection.all("SELECT message_id, seq FROM messages", []) {
        ($0[0] as Int64, $0[1] as Int64)
      }
      return Dictionary(uniqueKeysWithValues: rows)
    }
    for (id, seq) in acknowledged { #expect(stored[id] == seq) }
    #expect(stored.values.sorted() == Array(1...Int64(stored.count)))
    let state = try await store.read { try $0.channel("lobby") }
    #expect(state?.lastSeq == Int64(stored.count))
    store.close()
  }

  /// Lets the writer run until it has acknowledged so many messages, then kills it at once.
  private func runAndKill(
    _ directory: TemporaryDirectory, after lineCount: Int
  ) throws -> [Int64: Int64] {
    let process = Process()
    process.executableURL = Self.writer
    process.arguments = [directory.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var text = Data()
    while text.count(where: { $0 == 0x0A }) < lineCount {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      text.append(more)
    }
    kill(process.processIdentifier, SIGKILL)
    text.append(output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    return parse(text)
  }

  private func parse(_ text: Data) -> [Int64: Int64] {
    var sequences: [Int64: Int64] = [:]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let numbers = line.split(separator: " ").compactMap { Int64($0) }
      if numbers.count == 2 { sequences[numbers[0]] = numbers[1] }
    }
    return sequences
  }

  /// Built beside the tests.
  private static let writer =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("store-crash-writer")
}
