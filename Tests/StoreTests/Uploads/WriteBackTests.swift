import Reactor
import TestSupport
import Testing

@testable import Store

/// Uploads and the disk's queue.
@Suite("Write-back of uploads", .onOwnThreads)
struct WriteBackTests {
  private static let mebibyte = 1 << 20

  private let directory = TemporaryDirectory()
  private let kernel = ScriptedKernel()
  private let depot: DirectoryDepot

  init() throws {
    let path = directory.path
    depot = try kernel.run { try DirectoryDepot(dataDirectory: path) }
    try depot.prepare()
  }

  private func open(_ id: String) async throws -> any PartialFile {
    try await withCheckedThrowingContinuation { continuation in
      depot.continueUpload(PartialFileRequest(id: id, term: 1, offset: 0, size: 1 << 30)) {
        continuation.resume(with: $0)
      }
    }
  }

  private func write(_ byteCount: Int, to file: any PartialFile) async throws {
    try await withCheckedThrowingContinuation { continuation in
      file.write([UInt8](repeating: 7, count: byteCount)) { continuation.resume(with: $0) }
    }
  }

  @Test("each mebibyte is written to the disk when it has arrived")
  func eachMebibyte() async throws {
    let file = try await open("one")
    try await write(Self.mebibyte - 1, to: file)
    #expect(kernel.count(of: .writeBack) == 0)
    try await write(1, to: file)
    #expect(kernel.count(of: .writeBack) == 1)
    for _ in 0..<8 { try await write(Self.mebibyte / 4, to: file) }
    #expect(kernel.count(of: .writeBack) == 3 && kernel.count(of: .fsync) == 0)
  }

  @Test("a disk that refuses write-back causes no failure: the sync decides")
  func refusal() async throws {
    kernel.play { $0.kind == .writeBack ? .fail(38) : .pass }
    let file = try await open("one")
    try await write(Self.mebibyte, to: file)
    try await write(Self.mebibyte, to: file)
    #expect(kernel.count(of: .writeBack) == 2)
  }
}
