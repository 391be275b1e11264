import ArgumentParser
import ParleyProtocol
import Testing

@testable import parley

@Suite("Copying a store")
struct StoreCommandTests {
  private struct Failure: Error, CustomStringConvertible {
    let description = "it exists already"
  }

  private func command(_ words: String...) throws -> StoreCommand.Copy {
    try #require(try StoreCommand.Copy.parseAsRoot(words) as? StoreCommand.Copy)
  }

  @Test("the database is taken from --to, or else from the environment")
  func urls() throws {
    let environment = ["PARLEY_STORE_URL": "postgres:///other"]
    let given = try command("--from", "data", "--to", "postgresql://u:hush@db/parley")
    #expect(try given.url(in: environment) == "postgresql://u:hush@db/parley")
    for words in [["--from", "data"], ["--from", "data", "--to", "mysql://u:hush@db/parley"]] {
      #expect {
        try StoreCommand.Copy.parseAsRoot(words)
      } throws: { error in
        !StoreCommand.Copy.message(for: error).contains("hush")
      }
    }
    #expect(throws: (any Error).self) {
      try StoreCommand.Copy.parseAsRoot(["--from", "", "--to", "postgresql:///parley"])
    }
  }

  @Test("it copies from the directory into the database, and shows the rows of each table")
  func copies() throws {
    let copy = try command("--from", "data", "--to", "postgresql:///parley")
    var asked: [String] = []
    try copy.run(in: [:]) { directory, url in
      asked = [directory, url]
      return ["users": 3]
    }
    #expect(asked == ["data", "postgresql:///parley"])
    let answer = StoreCommand.Copy.answer(["users": 3, "channels": 12])
    #expect(
      String(decoding: answer, as: UTF8.self)
        == #"{"tables":[{"name":"channels","rows":12},{"name":"users","rows":3}]}"#)
    let lines = StoreCommand.Copy.lines(try JSONDocument(answer).root)
    #expect(lines.count == 3)
    #expect(lines[1].contains("channels") && lines[1].contains("12"))
  }

  @Test("a failure is reported with its reason and the exit status 1")
  func fails() throws {
    let copy = try command("--from", "data", "--to", "postgresql:///parley")
    #expect {
      try copy.run(in: [:]) { _, _ in throw Failure() }
    } throws: { error in
      (error as? CommandFailure)?.exitStatus == 1 && "\(error)".contains("exists already")
    }
  }
}
