import Foundation
import ParleyProtocol
import Testing

/// The texts that the fuzzer starts from.
private let corpus: [URL] = {
  let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let folder = tests.appending(path: "Fuzzing/json/corpus")
  let files = try? FileManager.default.contentsOfDirectory(
    at: folder, includingPropertiesForKeys: nil)
  return files ?? []
}()

@Suite("The fuzzer's corpus")
struct JSONCorpusTests {
  @Test("there is one")
  func exists() {
    #expect(!corpus.isEmpty)
  }

  @Test("each text is JSON, and read or refused as a request when cut short", arguments: corpus)
  func replay(_ file: URL) throws {
    let bytes = Array(try Data(contentsOf: file))
    _ = try JSONDocument(bytes)
    for count in 0..<bytes.count {
      #expect(throws: JSONError.self) { try JSONDocument(Array(bytes.prefix(count))) }
      guard case .malformed(let error) = RPCInput(Array(bytes.prefix(count))) else {
        Issue.record("a text cut short was accepted")
        return
      }
      #expect(error.code == .parseError)
    }
  }
}
