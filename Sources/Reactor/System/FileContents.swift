import Glibc

/// The contents of small files, read at once.
package enum FileContents {
  private static let stepByteCount = 65_536

  /// Reads a file from its beginning, up to a number of bytes.
  package static func read(
    _ path: String, atMost limit: Int
  ) throws(SystemError) -> [UInt8] {
    let descriptor = Kernel.uninterrupted { Kernel.open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .last("open", on: path) }
    defer { Kernel.close(descriptor) }
    var bytes: [UInt8] = []
    // The files of /proc have no length before they are read.
    var step = [UInt8](repeating: 0, count: min(limit, stepByteCount))
    while bytes.count < limit {
      let wanted = min(step.count, limit - bytes.count)
      let count = Kernel.uninterrupted {
        step.withUnsafeMutableBytes { Kernel.read(descriptor, $0.baseAddress, wanted) }
      }
      guard count >= 0 else { throw .last("read", on: path) }
      guard count > 0 else { break }
      bytes += step[..<count]
    }
    return bytes
  }
}
