import Foundation

/// The inputs that fuzzing begins with, for replay by ordinary tests.
package enum FuzzCorpus {
  /// The inputs of one harness in `Tests/Fuzzing`, ordered by their files' names.
  package static func inputs(of target: String) throws -> [[UInt8]] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = tests.appendingPathComponent("Fuzzing/Corpora/\(target)")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
  }
}
