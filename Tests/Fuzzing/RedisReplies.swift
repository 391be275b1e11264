// sources: Sources/Bus/Redis/RedisReply.swift
#if canImport(Bus)
  @testable import Bus
#endif

/// Reads any bytes as what a Redis server sends.
///
/// How the bytes are split makes no difference, and no reply is larger than its limits.
enum RedisRepliesHarness: Harness {
  static func run(_ input: [UInt8]) {
    let whole = read(input, in: max(1, input.count))
    for step in [1, 3, 64] {
      let other = read(input, in: step)
      precondition(other.replies == whole.replies, "the bytes mean something else when split")
      precondition(other.isRefused == whole.isRefused, "refused or not by how it is split")
    }
    for reply in whole.replies { precondition(count(reply) <= RedisReader.elementLimit + 1) }
  }

  private static func read(
    _ input: [UInt8], in step: Int
  ) -> (replies: [RedisReply], isRefused: Bool) {
    let reader = RedisReader()
    var replies: [RedisReply] = []
    do throws(RedisReader.Failure) {
      for start in stride(from: 0, to: input.count, by: step) {
        let part = Array(input[start..<min(start + step, input.count)])
        var failure: RedisReader.Failure?
        part.withUnsafeBytes { bytes in
          do throws(RedisReader.Failure) {
            try reader.receive(bytes) { replies.append($0) }
          } catch {
            failure = error
          }
        }
        if let failure { throw failure }
      }
      return (replies, false)
    } catch {
      return (replies, true)
    }
  }

  private static func count(_ reply: RedisReply) -> Int {
    guard case .array(let parts) = reply else { return 1 }
    return parts.reduce(1) { $0 + count($1) }
  }
}
