import Foundation
import TestSupport
import Testing

@testable import Store

@Suite("Copying the files of a server", .onOwnThreads)
struct StoredFilesCopyTests {
  private let directory = TemporaryDirectory()

  private func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: directory.path + "/" + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: false, encoding: .utf8)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: directory.path + "/" + path, encoding: .utf8)
  }

  @Test("files are copied into an existing directory, and a second copy changes nothing")
  func files() throws {
    try write("one", to: "old/files/a")
    try write("two", to: "old/partial/b")
    let copy = StoredFilesCopy(from: directory.path + "/old")
    let target = directory.path + "/shared"
    // A file system that is not mounted must not be replaced by a directory.
    #expect(throws: StoreError.self) { try copy.copyFiles(to: target) }
    try write("", to: "shared/lost+found/x")
    for _ in 0..<2 {
      #expect(try copy.copyFiles(to: target) == 1)
      #expect(try text("shared/files/a") == "one" && text("shared/partial/b") == "two")
    }
    let lock = try DirectoryLock(directory: directory.path + "/old")
    defer { lock.release() }
    #expect(throws: StoreError.self) { try copy.copyFiles(to: target) }
  }

  @Test("master keys replace others, which are set aside")
  func masterKeys() throws {
    try write("", to: "old/x")
    let copy = StoredFilesCopy(from: directory.path + "/old")
    let path = directory.path + "/new/file-keys"
    try write("others\n", to: "new/file-keys")
    #expect(try copy.copyMasterKeys(to: path, at: 0) == .absent)
    try write("keys\n", to: "old/file-keys")
    guard case .replaced(let aside) = try copy.copyMasterKeys(to: path, at: 0) else {
      Issue.record("the other keys were left")
      return
    }
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == "others\n")
    #expect(try text("new/file-keys") == "keys\n")
    #expect(try copy.copyMasterKeys(to: path, at: 1) == .present)
    #expect(try copy.copyMasterKeys(to: directory.path + "/old/file-keys", at: 1) == .present)
    #expect(try copy.copyMasterKeys(to: directory.path + "/new/other", at: 1) == .copied)
  }
}
