import Foundation
import Synchronization
import TestSupport

/// What a child process writes, gathered while it runs.
package final class LogLines: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  private let reader: DispatchGroup

  /// Begins to read until the end.
  init(reading handle: FileHandle) {
    let group = DispatchGroup()
    reader = group
    let descriptor = handle.fileDescriptor
    group.enter()
    TestThread.start { [self] in
      defer { group.leave() }
      withExtendedLifetime(handle) { read(descriptor) }
    }
  }

  /// All that came so far.
  package var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  /// Whole lines that came so far.
  package var lines: [Substring] {
    let text = text
    guard let end = text.lastIndex(of: "\n") else { return [] }
    return text[...end].split(separator: "\n")
  }

  /// Waits until the writers have closed it.
  func waitForEnd(_ deadline: Deadline) {
    _ = reader.wait(timeout: .now() + .milliseconds(Int(deadline.remainingMilliseconds)))
  }

  private func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes.withLock { $0 += buffer.prefix(count) }
    }
  }
}
