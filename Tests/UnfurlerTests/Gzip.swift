import Foundation

/// Compresses with the system's own program.
enum Gzip {
  static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
    let source = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: source) }
    try Data(bytes).write(to: source)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["gzip", "-n", "-c", source.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let compressed = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Array(compressed)
  }
}
