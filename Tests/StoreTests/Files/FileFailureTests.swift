import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Store

@Suite("Files of messages on a failing disk", .onOwnThreads)
struct FileFailureTests {
  private let directory = TemporaryDirectory()
  private let kernel = ScriptedKernel()
  private let files: FileStore

  init() throws {
    let path = directory.path
    files = try kernel.run { try FileStore(DirectoryDepot(dataDirectory: path)) }
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path + "/" + folder)
  }

  private func write(_ text: String, to upload: any FileUpload) async throws {
    try await withCheckedThrowingContinuation { continuation in
      upload.write(Array(text.utf8)) { continuation.resume(with: $0) }
    }
  }

  private func complete(_ upload: any FileUpload) async throws {
    try await withCheckedThrowingContinuation { continuation in
      upload.complete { continuation.resume(with: $0) }
    }
  }

  /// Expects that a failed upload left no file and no descriptor, and that the next one works.
  private func expectClean(from location: SourceLocation = #_sourceLocation) async throws {
    #expect(try names("uploads") == [] && names("files") == [], sourceLocation: location)
    #expect(kernel.openDescriptors.isEmpty, sourceLocation: location)
    kernel.play { _ in .pass }
    let next = files.beginUpload()
    try await write("whole", to: next)
    try await complete(next)
    let path = directory.path + "/files/" + next.id
    let contents = FileManager.default.contents(atPath: path)
    #expect(contents == Data("whole".utf8), sourceLocation: location)
  }

  @Test("a disk that fills up during an upload fails the rest of it and leaves nothing")
  func fullDisk() async throws {
    let upload = files.beginUpload()
    try await write("first", to: upload)
    // The disk has room for two more bytes.
    kernel.play {
      guard $0.kind == .write else { return .pass }
      return $0.number == 0 ? .atMost(2) : .fail(ENOSPC)
    }
    let failure = SystemError(
      call: "write", code: ENOSPC, object: directory.path + "/uploads/" + upload.id)
    await #expect(throws: failure) { try await write("second", to: upload) }
    await #expect(throws: failure) { try await write("third", to: upload) }
    await #expect(throws: failure) { try await complete(upload) }
    #expect(kernel.count(of: .write) == 2 && kernel.count(of: .fsync) == 0)
    try await expectClean()
  }

  @Test("a process without descriptors fails an upload, but not later ones")
  func noDescriptors() async throws {
    kernel.play { $0.kind == .open ? .fail(EMFILE) : .pass }
    let upload = files.beginUpload()
    await #expect {
      try await write("text", to: upload)
    } throws: {
      ($0 as? SystemError)?.code == EMFILE
    }
    try await expectClean()
  }

  @Test(
    "a file whose sync fails is not acknowledged, and the sync is not repeated",
    arguments: [0, 1])
  func failedSynchronization(_ number: Int) async throws {
    // The first is of the file, the second of its directory.
    kernel.play { $0.kind == .fsync && $0.number == number ? .fail(EIO) : .pass }
    let upload = files.beginUpload()
    try await write("text", to: upload)
    await #expect {
      try await complete(upload)
    } throws: {
      ($0 as? SystemError)?.code == EIO
    }
    #expect(kernel.count(of: .fsync) == number + 1)
    try await expectClean()
  }

  @Test("content that replaces a file stays when its sync fails")
  func failedReplacement() async throws {
    let path = directory.path
    let depot = try kernel.run { try DirectoryDepot(dataDirectory: path) }
    let id = FileID.make()
    for text in ["old", "new"] {
      let upload = depot.beginReplacement(of: id)
      try await write(text, to: upload)
      kernel.play { $0.kind == .fsync && $0.number == 1 && text == "new" ? .fail(EIO) : .pass }
      if text == "old" {
        try await complete(upload)
      } else {
        await #expect(throws: SystemError.self) { try await complete(upload) }
      }
      #expect(FileManager.default.contents(atPath: path + "/files/" + id) == Data(text.utf8))
    }
    depot.close()
  }

  @Test("a file received in several requests can continue after the sync of its end failed")
  func failedEnd() async throws {
    let path = directory.path
    let depot = try kernel.run { try DirectoryDepot(dataDirectory: path) }
    let id = FileID.make()
    for offset in [0, 3] as [Int64] {
      let file = try await withCheckedThrowingContinuation { continuation in
        depot.continueUpload(PartialFileRequest(id: id, term: 1, offset: offset, size: 3)) {
          continuation.resume(with: $0)
        }
      }
      if offset == 0 { file.write(Array("abc".utf8)) { _ in } }
      kernel.play { $0.kind == .fsync && $0.number == 1 && offset == 0 ? .fail(EIO) : .pass }
      let outcome = await withCheckedContinuation { continuation in
        file.complete { continuation.resume(returning: $0) }
      }
      #expect((try? outcome.get()) != nil || offset == 0)
    }
    #expect(FileManager.default.contents(atPath: path + "/files/" + id) == Data("abc".utf8))
    depot.close()
  }

  @Test("a file that cannot get its name, or whose directory cannot be opened, is removed")
  func failedMove() async throws {
    for kind in [SystemCall.rename, .open] {
      let upload = files.beginUpload()
      try await write("text", to: upload)
      kernel.play { $0.kind == kind ? .fail(ENOSPC) : .pass }
      await #expect(throws: SystemError.self) { try await complete(upload) }
      #expect(try names("uploads") == [] && names("files") == [])
      kernel.play { _ in .pass }
    }
    try await expectClean()
  }

  @Test("short writes and interrupted calls are continued")
  func continues() async throws {
    kernel.play {
      switch $0.kind {
      case .open, .fsync: $0.number == 0 ? .fail(EINTR) : .pass
      case .write: $0.number % 2 == 0 ? .fail(EINTR) : .atMost(1)
      default: .pass
      }
    }
    let upload = files.beginUpload()
    try await write("one", to: upload)
    try await write("two", to: upload)
    try await complete(upload)
    #expect(try names("uploads") == [] && kernel.openDescriptors.isEmpty)
    let path = directory.path + "/files/" + upload.id
    #expect(FileManager.default.contents(atPath: path) == Data("onetwo".utf8))
  }
}
