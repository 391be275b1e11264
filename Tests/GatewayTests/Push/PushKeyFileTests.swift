import Crypto
import Foundation
import TestPeers
import Testing

@testable import Gateway

@Suite("The file with the key of pushes to browsers")
struct PushKeyFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var path: String { directory.path + "/" + PushKeyFile.name }

  @Test("is made once, and readable by its owner only")
  func once() throws {
    #expect(try PushKeyFile.read(inDirectory: directory.path) == nil)
    let made = try PushKeyFile.readOrMake(inDirectory: directory.path)
    let read = try PushKeyFile.readOrMake(inDirectory: directory.path)
    #expect(made.publicPoint != nil && made.publicPoint == read.publicPoint)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 1)
  }

  @Test("is left as it is, and named, when it holds no key")
  func broken() throws {
    for text in ["", "no key"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let error = #expect(throws: (any Error).self) {
        try PushKeyFile.readOrMake(inDirectory: directory.path)
      }
      #expect("\(try #require(error))".contains(path))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
    }
  }

  @Test("cannot be made where nothing can be written")
  func unwritable() {
    #expect(throws: (any Error).self) {
      try PushKeyFile.readOrMake(inDirectory: directory.path + "/missing")
    }
  }
}
