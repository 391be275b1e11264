/// Text of a page as it was sent: its character set unknown, its references not decoded.
struct HTMLText: Hashable {
  private(set) var bytes: [UInt8] = []
  /// Whether something was left out because it did not fit.
  private(set) var isTruncated = false
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func append(_ byte: UInt8) {
    if bytes.count < limit { bytes.append(byte) } else { isTruncated = true }
  }

  mutating func append(_ more: Slice<UnsafeBufferPointer<UInt8>>) {
    let room = limit - bytes.count
    bytes.append(contentsOf: more.prefix(room))
    if more.count > room { isTruncated = true }
  }
}
