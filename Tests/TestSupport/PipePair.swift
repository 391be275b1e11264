import Glibc
package import Reactor

/// A pipe whose ends are closed when it is let go.
package final class PipePair: Sendable {
  package let reading: Int32
  package let writing: Int32

  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .last("pipe") }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Writes a number of bytes.
  package func write(_ count: Int) {
    let bytes = [UInt8](repeating: 1, count: count)
    _ = Glibc.write(writing, bytes, count)
  }

  /// Reads what is there, or waits for more.
  @discardableResult
  package func read(atMost limit: Int = 65_536) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = Glibc.read(reading, &bytes, limit)
    return Array(bytes.prefix(max(count, 0)))
  }
}
