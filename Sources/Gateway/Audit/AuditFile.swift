import Configuration
import Glibc
import Reactor

/// The destination of the audit log: an append-only file, or standard error.
///
/// Confined to one thread.
final class AuditFile {
  private let place: AuditSettings.Place
  /// -1 while the file is not open.
  private var descriptor: Int32 = -1
  /// Whether the last line was written only in part.
  private var isTorn = false

  /// Creates the log, which is opened when its first line is appended.
  init(_ place: AuditSettings.Place) {
    self.place = place
  }

  deinit { close() }

  /// Appends one line.
  ///
  /// A line that a failure cut off is terminated before the next one is written.
  func append(_ line: [UInt8]) throws(SystemError) {
    if descriptor < 0 { try open() }
    if isTorn { try write([0x0a]) }
    isTorn = true
    try write(line)
    isTorn = false
  }

  /// Reopens the file by its name, which may refer to another file by now.
  func reopen() throws(SystemError) {
    guard case .file = place else { return }
    close()
    isTorn = false
    try open()
  }

  /// Opens the log.
  func open() throws(SystemError) {
    switch place {
    case .off: break
    case .standardError: descriptor = STDERR_FILENO
    case .file(let path):
      descriptor = Kernel.uninterrupted {
        Kernel.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o600)
      }
      guard descriptor >= 0 else { throw .last("open", on: path) }
    }
  }

  private func write(_ bytes: [UInt8]) throws(SystemError) {
    var written = 0
    do {
      try Kernel.write(
        all: bytes, to: descriptor, named: place.description, written: &written)
    } catch {
      // No byte of the line was written, so there is no partial line to terminate.
      if written == 0, bytes.count > 1 { isTorn = false }
      throw error
    }
  }

  private func close() {
    if descriptor >= 0, case .file = place { Kernel.close(descriptor) }
    descriptor = -1
  }
}

extension AuditFile {
  /// The size of the file at a place; 0 for no file.
  static func byteCount(at place: AuditSettings.Place) -> Int64 {
    guard case .file(let path) = place else { return 0 }
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
