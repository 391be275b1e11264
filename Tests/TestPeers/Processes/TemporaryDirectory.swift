import Foundation

/// A directory of its own, removed at the end.
package final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  package let path: String

  /// Makes an empty one.
  package init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("parley-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of something in it.
  package func path(of name: String) -> String { "\(path)/\(name)" }
}
