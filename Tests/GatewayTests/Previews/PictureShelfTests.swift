import Glibc
import Logging
import Reactor
import TestPeers
import Testing
import Thumbnails

@testable import Gateway

@Suite("Preview pictures on disk")
struct PictureShelfTests {
  private let directory: TemporaryDirectory
  private let key = [UInt8](repeating: 7, count: 32)

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.path(of: PictureShelf.directoryName) }

  private func shelf(_ byteLimit: Int64 = 1_000) throws -> PictureShelf {
    try PictureShelf(directory: path, byteLimit: byteLimit, logger: Logger(label: "test"))
  }

  private func name(_ number: Int) throws -> PictureName {
    try #require(PictureName(ofURL: "https://a.example/\(number)", key: key))
  }

  private func found(_ number: Int, on shelf: PictureShelf) throws -> ShelvedPicture? {
    shelf.find(try name(number))
  }

  @discardableResult
  private func keep(
    _ number: Int, _ count: Int, on shelf: PictureShelf
  ) async throws
    -> ShelvedPicture?
  {
    let thumbnail = Thumbnail(
      box: ThumbnailBox(maxWidth: 1_200, maxHeight: 630), format: .jpeg,
      size: PictureSize(width: 30, height: 20), bytes: [UInt8](repeating: 1, count: count))
    let name = try name(number)
    return await withCheckedContinuation { continuation in
      shelf.keep(thumbnail, as: name) { continuation.resume(returning: $0) }
    }
  }

  private func bytes(_ picture: ShelvedPicture, on shelf: PictureShelf) async throws -> [UInt8]? {
    let file = await withCheckedContinuation { continuation in
      shelf.open(picture) { continuation.resume(returning: $0) }
    }
    return try file.map { try $0.read(from: 0, atMost: Int($0.byteCount)) }
  }

  @Test("a picture is available to later processes, with its dimensions")
  func keeping() async throws {
    let first = try shelf()
    let kept = try #require(try await keep(1, 100, on: first))
    #expect(try found(1, on: first) == kept)
    #expect(try found(2, on: first) == nil)
    let later = try shelf()
    let found = try #require(try found(1, on: later))
    #expect(found == kept && found.size == PictureSize(width: 30, height: 20))
    #expect(try await bytes(found, on: later) == [UInt8](repeating: 1, count: 100))
    #expect(later.byteCount == 100 && later.count == 1)
  }

  @Test("the least recently used pictures make room")
  func room() async throws {
    let shelf = try shelf()
    for number in 0..<9 { try await keep(number, 100, on: shelf) }
    #expect(try found(0, on: shelf) != nil)
    for number in 9..<12 { try await keep(number, 100, on: shelf) }
    #expect(shelf.byteCount <= 1_000)
    #expect(try found(0, on: shelf) != nil)
    #expect(try found(11, on: shelf) != nil)
    #expect(try found(1, on: shelf) == nil)
    #expect(try await keep(99, 1_001, on: shelf) == nil)
    // A later process with less room removes files at its start.
    let smaller = try self.shelf(250)
    #expect(smaller.byteCount <= 250 && smaller.count > 0)
    #expect(try SmallFileDirectory.open(path).count == smaller.count)
  }

  @Test("a truncated or missing file is not served, and other files are deleted")
  func damage() async throws {
    let first = try shelf()
    let kept = try #require(try await keep(1, 100, on: first))
    #expect(truncate(path + "/" + kept.fileName, 40) == 0)
    #expect(try await bytes(kept, on: first) == nil)
    #expect(try found(1, on: first) == nil)
    #expect(first.byteCount == 0)
    let other = try #require(try await keep(2, 100, on: first))
    try SmallFileDirectory.write([1], to: path + "/stranger")
    for number in 3...4 {
      let huge = ShelvedPicture(
        name: try name(number), format: .jpeg, size: PictureSize(width: 30, height: 20),
        byteCount: .max)
      try SmallFileDirectory.write([1], to: path + "/" + huge.fileName)
    }
    #expect(try shelf().byteCount == 100)
    #expect(try SmallFileDirectory.open(path) == [other.fileName])
  }

  @Test("a name is a code of a URL, and is parsed in one form only")
  func names() throws {
    let name = try name(1)
    #expect(PictureName(text: name.text) == name)
    let other = try self.name(2)
    #expect(name != other)
    #expect(PictureName(ofURL: "https://a.example/1", key: [1]) != name)
    for text in ["", "x", name.text.uppercased(), name.text + "0", "../" + name.text.dropFirst(3)] {
      #expect(PictureName(text: text) == nil || text == name.text)
    }
    for fileName in [
      "x.jpg", "\(name.text)-30x20-100.gif", "\(name.text)-030x20-100.jpg",
      "\(name.text)-30x20-+1.jpg", "\(name.text)-30x20-100.jpg~", "-30x20-100.jpg",
    ] {
      #expect(ShelvedPicture(fileName: fileName) == nil)
    }
  }
}
