import TestPeers
import TestSupport

/// A connection that breaks off once so many bytes have been written to it.
final class CuttingStream: ByteStream {
  private let stream: any ByteStream
  private var allowance: Int

  init(_ stream: any ByteStream, after allowance: Int) {
    self.stream = stream
    self.allowance = allowance
  }

  func read(_ deadline: Deadline) throws -> [UInt8] {
    try stream.read(deadline)
  }

  func write(_ bytes: [UInt8], _ deadline: Deadline) throws {
    try stream.write(Array(bytes.prefix(allowance)), deadline)
    guard bytes.count < allowance else {
      stream.close()
      throw TestFailure("cut")
    }
    allowance -= bytes.count
  }

  func close() {
    stream.close()
  }
}
