import Foundation
import SQLite
import TestPeers
import TestSupport
import Testing
import Translation

@testable import Translator

@Suite("Cached translations", .onOwnThreads)
struct TranslationFileTests {
  private func open(
    _ directory: TemporaryDirectory, engine: String = "e", bytes: Int = 1 << 22
  ) throws -> TranslationFile {
    try TranslationFile.open(
      directory.path + "/translations.sqlite", engine: engine, maximumBytes: bytes)
  }

  private let text = TranslationText("The house", into: "es")

  @Test("a result is found until it expires, only by its engine, text and language")
  func finding() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = try open(directory)
    try file.store(text, .text("La casa"), until: 100, at: 0)
    try file.store(TranslationText("La casa", into: "es"), .same, until: 100, at: 0)
    #expect(try file.find(text, at: 99)?.0 == .text("La casa"))
    #expect(try file.find(text, at: 100) == nil)
    #expect(try file.find(TranslationText("La casa", into: "es"), at: 0)?.0 == .same)
    #expect(try file.find(TranslationText("The house", into: "de"), at: 0) == nil)
    #expect(file.rowCount == 2)
    // Texts that look the same are different texts.
    try file.store(TranslationText("caf\u{e9}", into: "es"), .text("1"), until: 100, at: 0)
    #expect(try file.find(TranslationText("cafe\u{301}", into: "es"), at: 0) == nil)
    file.close()
    let again = try open(directory)
    #expect(try again.find(text, at: 0)?.0 == .text("La casa"))
    again.close()
    let other = try open(directory, engine: "f")
    #expect(try other.find(text, at: 0) == nil)
    other.close()
  }

  @Test("the file does not contain the texts themselves")
  func digests() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = try open(directory)
    try file.store(
      TranslationText("a secret of mine", into: "es"), .text("x"), until: 100, at: 0)
    file.close()
    let bytes = try Data(
      contentsOf: URL(fileURLWithPath: directory.path + "/translations.sqlite"))
    #expect(bytes.range(of: Data("a secret of mine".utf8)) == nil && bytes.count > 4_096)
  }

  @Test("the oldest entries are evicted when there is no room, expired ones before them")
  func bounds() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = try open(directory, bytes: 1 << 20)
    let long = String(repeating: "a", count: 8_000)
    for number in 0..<400 {
      try file.store(
        TranslationText("\(number)", into: "es"), .text(long), until: 1_000 + Int64(number), at: 0)
    }
    #expect(file.byteCount <= 1 << 20)
    #expect(try file.find(TranslationText("0", into: "es"), at: 0) == nil)
    #expect(try file.find(TranslationText("399", into: "es"), at: 0) != nil)
    for number in 0..<10 {
      try file.store(text, .same, until: 9_000, at: 2_000 + Int64(number))
    }
    #expect(file.rowCount == 1)
    file.close()
  }

  @Test("a damaged file is rebuilt")
  func damage() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let path = directory.path + "/translations.sqlite"
    try Data(repeating: 7, count: 20_000).write(to: URL(fileURLWithPath: path))
    let file = try open(directory)
    try file.store(text, .text("La casa"), until: 100, at: 0)
    #expect(try file.find(text, at: 0)?.0 == .text("La casa"))
    file.close()
  }

  @Test("a file that cannot be opened for another reason is left unchanged")
  func locked() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = try open(directory)
    try file.store(text, .text("La casa"), until: 100, at: 0)
    try file.store(DailyBudget(day: 1, used: 7))
    file.close()
    let other = try Database(path: directory.path + "/translations.sqlite")
    try other.execute(
      script: """
        PRAGMA locking_mode = EXCLUSIVE;
        BEGIN EXCLUSIVE;
        UPDATE usage SET used = used;
        COMMIT;
        """)
    #expect(throws: DatabaseError.self) { try open(directory) }
    other.close()
    let again = try open(directory)
    #expect(try again.readUsage() == DailyBudget(day: 1, used: 7))
    #expect(again.rowCount == 1)
    again.close()
  }

  @Test("a file of another version is rebuilt")
  func versions() throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let file = try open(directory)
    try file.store(text, .text("La casa"), until: 100, at: 0)
    file.close()
    let other = try Database(path: directory.path + "/translations.sqlite")
    try other.execute(script: "PRAGMA user_version = 99")
    other.close()
    let again = try open(directory)
    #expect(again.rowCount == 0)
    again.close()
  }

  @Test("memory keeps recently used entries, within its byte limit")
  func memory() {
    var memory = TranslationMemory(byteLimit: 20_000)
    memory.remember(text, .text("La casa"), until: 1_000)
    for number in 0..<200 {
      memory.remember(TranslationText("\(number)", into: "es"), .same, until: 1_000)
      if number < 100 { #expect(memory.recall(text, at: 0) == .text("La casa")) }
      #expect(memory.byteCount <= 20_000)
    }
    #expect(memory.recall(text, at: 0) == nil)
    memory.remember(TranslationText("caf\u{e9}", into: "es"), .text("1"), until: 1_000)
    #expect(memory.recall(TranslationText("caf\u{e9}", into: "es"), at: 0) == .text("1"))
    #expect(memory.recall(TranslationText("cafe\u{301}", into: "es"), at: 0) == nil)
    #expect(memory.recall(TranslationText("199", into: "es"), at: 0) == .same)
    #expect(memory.recall(TranslationText("199", into: "es"), at: 1_000) == nil)
  }
}
