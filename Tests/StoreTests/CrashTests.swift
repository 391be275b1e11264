import Channels
import Foundation
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("A killed process", .onOwnThreads)
struct CrashTests {
  @Test("loses nothing that it acknowledged, and leaves no gap", arguments: [50, 800, 3_000])
  func keepsAcknowledged(lineCount: Int) async throws {
    let directory = TemporaryDirectory()
    let output = try runAndKill(directory, after: lineCount)
    #expect(output.acknowledged.count >= lineCount)
    #expect(output.failed.isEmpty)
    try await expectKept(output, in: directory)
  }

  @Test("keeps acknowledged writes, and no failed ones, when writes to the log are cut short")
  func keepsAcknowledgedBesideFailures() async throws {
    for interval in [4, 5, 7] {
      let directory = TemporaryDirectory()
      let output = try runAndKill(directory, failingLogWrites: interval, after: 2_000)
      #expect(!output.acknowledged.isEmpty && !output.failed.isEmpty)
      try await expectKept(output, in: directory)
    }
  }

  /// Expects in the store what was acknowledged, nothing that failed, and no gap.
  private func expectKept(_ output: Output, in directory: TemporaryDirectory) async throws {
    let store = try Store(directory: directory.path)
    let stored = try await store.read { transaction in
      let rows = try transaction.connection.all("SELECT message_id, seq FROM messages", []) {
        ($0[0] as Int64, $0[1] as Int64)
      }
      return Dictionary(uniqueKeysWithValues: rows)
    }
    for (id, seq) in output.acknowledged { #expect(stored[id] == seq) }
    for id in output.failed { #expect(stored[id] == nil) }
    #expect(stored.values.sorted() == Array(1...Int64(stored.count)))
    let state = try await store.read { try $0.channel("lobby") }
    #expect(state?.lastSeq == Int64(stored.count))
    store.close()
  }

  /// The outcomes of messages, as far as the writer could print them.
  private struct Output {
    /// Positions by id.
    var acknowledged: [Int64: Int64] = [:]
    var failed: [Int64] = []
  }

  /// Lets the writer run until it has printed this many lines, among them a failure when writes fail,
  /// then kills it at once.
  private func runAndKill(
    _ directory: TemporaryDirectory, failingLogWrites interval: Int? = nil, after lineCount: Int
  ) throws -> Output {
    let writer = try SpawnedProgram(
      Self.writer.path, arguments: [directory.path] + (interval.map { ["\($0)"] } ?? []))
    var text: [UInt8] = []
    var lacksFailure = interval != nil
    while lacksFailure || text.count(where: { $0 == 0x0A }) < lineCount {
      let more = try writer.read()
      guard !more.isEmpty else { break }
      text += more
      // One commit may hold hundreds of messages: a few thousand lines may be those of none that failed.
      if lacksFailure { lacksFailure = parse(text).failed.isEmpty }
    }
    writer.signal(SIGKILL)
    text += try writer.readToEnd()
    #expect(try writer.wait() == .signaled(SIGKILL))
    return parse(text)
  }

  private func parse(_ text: [UInt8]) -> Output {
    var output = Output()
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let id = Int64(words[0]) else { continue }
      if let seq = Int64(words[1]) {
        output.acknowledged[id] = seq
      } else {
        output.failed.append(id)
      }
    }
    return output
  }

  /// Built beside the tests.
  private static let writer =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("store-crash-writer")
}
