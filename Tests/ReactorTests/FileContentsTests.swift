import Foundation
import TestSupport
import Testing

@testable import Reactor

@Suite("Small files and new files")
struct FileContentsTests {
  private let path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString

  @Test("a file is read up to its limit, despite short reads and signals")
  func reads() throws {
    defer { Kernel.unlink(path) }
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try NewFile(at: path)
    try file.append(bytes)
    #expect(try FileContents.read(path, atMost: 300_000) == bytes)
    #expect(try FileContents.read(path, atMost: 70_000) == Array(bytes[..<70_000]))
    #expect(try FileContents.read(path, atMost: 0) == [])
    let kernel = ScriptedKernel {
      [.open, .read].contains($0.kind) && $0.number % 2 == 0 ? .fail(EINTR) : .atMost(999)
    }
    kernel.run { #expect((try? FileContents.read(path, atMost: 4_000)) == Array(bytes[..<4_000])) }
    #expect(kernel.openDescriptors.isEmpty)
  }

  @Test("a file that cannot be opened or read is reported, and is not left open")
  func fails() throws {
    #expect(throws: SystemError(call: "open", code: ENOENT, object: path)) {
      try FileContents.read(path, atMost: 10)
    }
    let kernel = ScriptedKernel { $0.kind == .read ? .fail(EIO) : .pass }
    kernel.run {
      #expect(throws: SystemError(call: "read", code: EIO, object: "/proc/self/stat")) {
        try FileContents.read("/proc/self/stat", atMost: 10)
      }
    }
    #expect(kernel.openDescriptors.isEmpty)
  }

  @Test("a new file never takes an existing path, and never waits for a full disk")
  func newFiles() throws {
    defer { Kernel.unlink(path) }
    let kernel = ScriptedKernel { $0.kind == .write ? .give(0) : .pass }
    try kernel.run {
      let file = try NewFile(at: path)
      #expect(throws: SystemError(call: "open", code: EEXIST, object: path)) {
        try NewFile(at: path)
      }
      #expect(throws: SystemError(call: "write", code: EIO, object: path)) {
        try file.append([1])
      }
      try file.append([])
    }
    #expect(kernel.count(of: .write) == 1 && kernel.openDescriptors.isEmpty)
  }
}
