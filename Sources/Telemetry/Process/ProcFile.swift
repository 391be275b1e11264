internal import Glibc

/// The small text files under `/proc`.
enum ProcFile {
  private static let maximumBytes = 1_048_576

  /// Reads a file up to 1 MiB; `nil` when it cannot be read or is not text.
  static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < maximumBytes {
      let count = Glibc.read(descriptor, &part, part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
