import Crypto
import Foundation
import Reactor
import TestSupport
import Testing
import Uploads

@testable import Store

@Suite("Files that are received over several requests", .onOwnThreads)
struct PartialFileTests {
  private static let id = "0123456789abcdef0123456789abcdef"

  private let directory = TemporaryDirectory()
  private let depot: DirectoryDepot

  init() throws {
    depot = try DirectoryDepot(dataDirectory: directory.path)
    try depot.prepare()
  }

  private func open(at offset: Int64, in depot: DirectoryDepot) async throws -> any PartialFile {
    try await withCheckedThrowingContinuation { continuation in
      depot.continueUpload(PartialFileRequest(id: Self.id, term: 1, offset: offset, size: 6)) {
        continuation.resume(with: $0)
      }
    }
  }

  private func write(_ text: String, to file: any PartialFile) async throws {
    try await withCheckedThrowingContinuation { continuation in
      file.write(Array(text.utf8)) { continuation.resume(with: $0) }
    }
  }

  private func complete(_ file: any PartialFile) async throws {
    try await withCheckedThrowingContinuation { continuation in
      file.complete { continuation.resume(with: $0) }
    }
  }

  private func drop(_ file: any PartialFile, to offset: Int64) async throws {
    try await withCheckedThrowingContinuation { continuation in
      file.drop(to: offset) { continuation.resume(with: $0) }
    }
  }

  private func contents(_ folder: String) -> String? {
    FileManager.default.contents(atPath: directory.path + "/" + folder + "/" + Self.id)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("a request has no effect on a file that another request has continued")
  func isRetired() async throws {
    let first = try await open(at: 0, in: depot)
    try await write("abc", to: first)
    let second = try await open(at: 0, in: depot)
    try await write("uvw", to: second)
    await #expect(throws: PartialFileFailure.storage) { try await drop(first, to: 0) }
    await #expect(throws: PartialFileFailure.storage) { try await write("def", to: first) }
    try await write("xyz", to: second)
    try await complete(second)
    #expect(contents("files") == "uvwxyz")
    depot.close()
  }

  @Test("a file that another server has truncated accepts nothing beyond its end")
  func hasNoHole() async throws {
    let other = try DirectoryDepot(dataDirectory: directory.path)
    let first = try await open(at: 0, in: depot)
    try await write("abc", to: first)
    let second = try await open(at: 0, in: other)
    await #expect(throws: PartialFileFailure.storage) { try await write("def", to: first) }
    await #expect(throws: PartialFileFailure.storage) { try await complete(first) }
    #expect(contents("partial") == "" && contents("files") == nil)
    try await write("uvwxyz", to: second)
    try await complete(second)
    #expect(contents("files") == "uvwxyz")
    other.close()
    depot.close()
  }

  @Test("an encrypted file that was restarted elsewhere with other keys is not continued")
  func isOfItsKeys() async throws {
    let count = Int64(SealedLayout.chunkByteCount)
    let (own, other) = (PartialSealing(), PartialSealing())
    func open(_ sealing: PartialSealing, at offset: Int64) async throws -> any PartialFile {
      let request = PartialFileRequest(
        id: Self.id, term: 1, offset: offset, size: 3 * count, sealing: sealing)
      return try await withCheckedThrowingContinuation { continuation in
        depot.continueUpload(request) { continuation.resume(with: $0) }
      }
    }
    let bytes = String(repeating: "a", count: Int(2 * count))
    try await write(bytes, to: open(own, at: 0))
    await #expect(throws: PartialFileFailure.shrunk(to: 0)) { _ = try await open(other, at: count) }
    let rest = try await open(own, at: count)
    try await write(bytes, to: rest)
    try await complete(rest)
    depot.close()
  }

  @Test("a copy is removed when it has not changed for a day")
  func isAbandoned() async throws {
    let beginning = Int(time(nil))
    let place = FileDirectory(dataDirectory: directory.path)
    let file = try await open(at: 0, in: depot)
    try await write("abc", to: file)
    try place.removeAbandonedPartials(at: beginning + 86_390)
    #expect(contents("partial") == "abc")
    #expect(try depot.readPartial(Self.id, 1..<3) == Array("bc".utf8))
    #expect(throws: SystemError.self) { _ = try depot.readPartial(Self.id, 1..<4) }
    try place.removeAbandonedPartials(at: Int(time(nil)) + 86_410)
    #expect(contents("partial") == nil)
    depot.close()
  }

  @Test("a finished file is complete in place, and another request can continue or restart it")
  func isFinished() async throws {
    let file = try await open(at: 0, in: depot)
    try await write("abcdef", to: file)
    let count = try await withCheckedThrowingContinuation { continuation in
      file.finish { continuation.resume(with: $0) }
    }
    #expect(count == 6 && contents("files") == nil && contents("partial") == "abcdef")
    let rest = try await open(at: 3, in: depot)
    try await write("xyz", to: rest)
    try await complete(rest)
    #expect(contents("files") == "abcxyz")
    depot.close()
  }

  @Test("a file whose length differs from its upload's is not complete")
  func hasItsLength() async throws {
    let file = try await open(at: 0, in: depot)
    try await write("abc", to: file)
    await #expect(throws: PartialFileFailure.storage) { try await complete(file) }
    #expect(contents("partial") == "abc" && contents("files") == nil)
    depot.close()
  }
}

extension PartialSealing {
  /// Keys of a new file.
  fileprivate init() {
    self.init(keys: FileKeys(), tailKey: SymmetricKey(), tail: nil)
  }
}
