internal import Foundation

/// What is piped into the command.
enum StandardInput {
  /// Reads to the end, or to the limit; what comes behind that is left alone.
  static func read(upTo limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let wanted = min(65_536, limit - bytes.count)
      guard let piece = try FileHandle.standardInput.read(upToCount: wanted), !piece.isEmpty else {
        break
      }
      bytes += piece
    }
    return bytes
  }
}
