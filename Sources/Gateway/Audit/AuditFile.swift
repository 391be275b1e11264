import Configuration
import Glibc
import Reactor

/// The end of the audit log: a file that only grows, or standard error.
///
/// Confined to one thread.
final class AuditFile {
  private let place: AuditSettings.Place
  /// -1 while the file is not open.
  private var descriptor: Int32 = -1
  /// Whether the last line was written in part.
  private var isTorn = false

  /// Names the log, which is opened for its first line.
  init(_ place: AuditSettings.Place) {
    self.place = place
  }

  deinit { close() }

  /// Appends one line.
  ///
  /// A line that is cut off by a failure is ended before the next one.
  func append(_ line: [UInt8]) throws(SystemError) {
    if descriptor < 0 { try open() }
    if isTorn { try write([0x0a]) }
    isTorn = true
    try write(line)
    isTorn = false
  }

  /// Opens the file of that name again, which may be another one by now.
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
      // Nothing of the line is there: it leaves nothing to end.
      if written == 0, bytes.count > 1 { isTorn = false }
      throw error
    }
  }

  private func close() {
    if descriptor >= 0, case .file = place { Kernel.close(descriptor) }
    descriptor = -1
  }
}
