import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Configuration

@Suite("Configuration file on disk")
struct SettingsFileTests {
  private let path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString

  @Test("a file is read completely, up to one byte beyond the maximum size")
  func reads() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    for count in [0, 10, SettingsFile.maximumBytes, SettingsFile.maximumBytes + 100] {
      try Data(count: count).write(to: URL(fileURLWithPath: path))
      #expect(try SettingsFile.read(path).count == min(count, SettingsFile.maximumBytes + 1))
    }
  }

  @Test("a file that cannot be opened or read is refused with the system's error")
  func fails() throws {
    #expect(throws: FileFailure(reason: "No such file or directory")) {
      try SettingsFile.read(path)
    }
    for (kind, code, reason) in [
      (SystemCall.open, EMFILE, "Too many open files"), (.read, EIO, "Input/output error"),
    ] {
      let kernel = ScriptedKernel { $0.kind == kind ? .fail(code) : .pass }
      #expect(throws: FileFailure(reason: reason)) {
        try kernel.run { try SettingsFile.read("/proc/self/stat") }
      }
      #expect(kernel.openDescriptors.isEmpty)
    }
  }
}
