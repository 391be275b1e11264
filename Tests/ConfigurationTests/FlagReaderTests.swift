import Testing

@testable import Configuration

@Suite("Flags")
struct FlagReaderTests {
  @Test("a value follows its flag or is attached to it")
  func spellings() throws {
    #expect(try load(["--data-dir", "/a"]).dataDirectory == "/a")
    #expect(try load(["--data-dir=/a=b"]).dataDirectory == "/a=b")
  }

  @Test("a list may be given by repeated flags, by commas, or both")
  func lists() throws {
    let settings = try load([
      "--listen", "127.0.0.1:1", "--listen=127.0.0.1:2, 127.0.0.1:3",
      "--unfurl-allow-ports", "80,8000-8099",
    ])
    #expect(settings.listen.map(\.port) == [1, 2, 3])
    #expect(settings.unfurl.allowedPorts == [80...80, 8000...8099])
  }

  @Test("if a single value is given twice, the last one counts")
  func lastCounts() throws {
    #expect(try load(["--reactors=1", "--reactors=3"]).reactors == 3)
  }

  @Test("a switch may stand alone or have a value")
  func toggles() throws {
    func exempts(_ words: [String]) throws -> Bool {
      try load(words).limits.flood.exemptsOperators
    }
    let flag = "--limits-flood-exempt-operators"
    #expect(try exempts([flag]))
    #expect(try exempts([flag, "--reactors=1"]))
    #expect(try exempts([flag, "yes"]))
    #expect(try !exempts([flag, "false"]))
    #expect(try !exempts(["\(flag)=off"]))
  }

  @Test("an unknown flag is reported with the most similar known one")
  func unknown() {
    #expect(
      problems(["--limits-flod-messages", "7"]) == [
        "--limits-flod-messages: unknown flag; did you mean --limits-flood-messages?"
          + " (command line)"
      ])
  }

  @Test("arguments that are not flags are refused without being shown")
  func strayWords() {
    let expected = "command line: expected a flag such as --listen (command line, after --data-dir)"
    #expect(problems(["--data-dir", "my", "folder"]) == [expected])
  }

  @Test("a flag at the end requires its value", arguments: ["--reactors", "--config", "--listen"])
  func missingValue(flag: String) {
    #expect(problems([flag]).count == 1)
    #expect(problems([flag, "--log-level=info"]).count == 1)
  }
}
