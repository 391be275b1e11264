import Foundation
import Testing

@testable import ParleyClient

@Suite("A file to be uploaded")
struct FileReaderTests {
  private static let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }

  @Test("is read from memory, from a path, through a link and from a sequence")
  func sources() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("plan.png")
    try Data(Self.bytes).write(to: file)
    let link = folder.appendingPathComponent("link.png")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(FileContent.path(file.path).name == "plan.png")
    for content: FileContent in [
      .bytes(Self.bytes), .path(file.path), .path(link.path), .sequence(Pieces(), size: 1_000),
    ] {
      let reader = try await FileReader(content)
      #expect(reader.size == 1_000)
      #expect(try await reader.read(from: 0, count: 10) == Array(Self.bytes[..<10]))
      #expect(try await reader.read(from: 500, count: 500) == Array(Self.bytes[500...]))
      // The server lost what it had.
      #expect(try await reader.read(from: 3, count: 100) == Array(Self.bytes[3..<103]))
    }
    await #expect(throws: ParleyError.self) { _ = try await FileReader(.path(folder.path)) }
    await #expect(throws: ParleyError.self) { _ = try await FileReader(.path(file.path + "x")) }
  }

  @Test("is refused when it has fewer bytes than declared, or its sequence fails")
  func shortcomings() async throws {
    let short = try await FileReader(.sequence(Pieces(), size: 1_001))
    await #expect(throws: ParleyError.unreadableFile("it has fewer than 1001 bytes")) {
      try await short.read(from: 900, count: 101)
    }
    let failing = AsyncThrowingStream<[UInt8], any Error> {
      $0.finish(throwing: ParleyError.banned)
    }
    #expect(try await FileReader(.sequence(Pieces(), size: -1)).size == 0)
    let reader = try await FileReader(.sequence(failing, size: 5))
    await #expect(throws: ParleyError.self) { try await reader.read(from: 0, count: 5) }
  }

  private struct Pieces: AsyncSequence {
    struct AsyncIterator: AsyncIteratorProtocol {
      var offset = 0

      mutating func next() async -> [UInt8]? {
        let piece = FileReaderTests.bytes.dropFirst(offset).prefix(37)
        offset += piece.count
        return piece.isEmpty ? nil : Array(piece)
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
  }
}
