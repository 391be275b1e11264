import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Store

@Suite("Files in a directory of several servers", .onOwnThreads)
struct SharedDirectoryTests {
  private let directory = TemporaryDirectory()

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path + "/" + folder).sorted()
  }

  private func server() throws -> DirectoryDepot {
    let depot = try DirectoryDepot(sharedDirectory: directory.path)
    try depot.prepare()
    return depot
  }

  private func receive(_ text: String, _ depot: DirectoryDepot) async throws -> any FileUpload {
    let upload = depot.beginUpload(FileID.make())
    try await withCheckedThrowingContinuation { continuation in
      upload.write(Array(text.utf8)) { continuation.resume(with: $0) }
    }
    return upload
  }

  private func complete(_ upload: any FileUpload) async throws {
    try await withCheckedThrowingContinuation { continuation in
      upload.complete { continuation.resume(with: $0) }
    }
  }

  private func suspects(_ depot: DirectoryDepot) async throws -> [String] {
    try await withCheckedThrowingContinuation { continuation in
      depot.suspects(after: nil) { continuation.resume(with: $0) }
    }.ids
  }

  @Test("a starting server leaves files alone that others receive or have just received")
  func living() async throws {
    try FileManager.default.createDirectory(
      atPath: directory.path, withIntermediateDirectories: true)
    let first = try server()
    let coming = try await receive("coming", first)
    let whole = try await receive("whole", first)
    try await complete(whole)
    let second = try server()
    #expect(try names("uploads") == [coming.id])
    #expect(try await suspects(second) == [])
    try await complete(coming)
    #expect(try names("files") == [coming.id, whole.id].sorted())
    guard case .local(let file) = try second.open(coming.id) else { throw CancellationError() }
    #expect(file.byteCount == 6)
    first.close()
    second.close()
  }

  @Test("files unchanged for a day are removed as abandoned")
  func old() async throws {
    try FileManager.default.createDirectory(
      atPath: directory.path, withIntermediateDirectories: true)
    let beginning = Int(time(nil))
    let first = try server()
    let coming = try await receive("coming", first)
    let whole = try await receive("whole", first)
    try await complete(whole)
    let place = FileDirectory(sharedDirectory: directory.path)
    #expect(try place.prepare(at: beginning + 86_390) == [])
    #expect(try names("uploads") == [coming.id])
    #expect(try place.prepare(at: Int(time(nil)) + 86_410) == [whole.id])
    #expect(try names("uploads") == [] && names("files") == [whole.id])
    await #expect(throws: (any Error).self) { try await complete(coming) }
    first.close()
  }

  @Test("a missing directory is not created: it may not be mounted")
  func missing() throws {
    let depot = try DirectoryDepot(sharedDirectory: directory.path + "/none")
    #expect(throws: StoreError.self) { try depot.prepare() }
    #expect(!FileManager.default.fileExists(atPath: directory.path + "/none"))
  }
}
