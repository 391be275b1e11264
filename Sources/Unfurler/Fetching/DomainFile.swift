import Glibc
import LinkPreview
import Reactor

/// Reads a file of domains from disk.
enum DomainFile {
  /// - Returns: At most one byte more than a list may have, which is enough to refuse it.
  static func read(_ path: String) throws(DomainRulesError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(.last("open", on: path)) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= DomainList.maximumByteCount {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .file(.last("read", on: path)) }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }
}
