import Foundation

/// A directory of a test's own, removed with the value.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "parley-store-" + UUID().uuidString
  }

  var database: String { path + "/parley.sqlite" }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
