import Basics

/// The position where a page of found messages ended.
///
///     id: 8 bytes | offset: 4 bytes | total: 4 bytes | whether there are more: 1 byte
struct SearchPosition: PagePosition, Hashable {
  /// In order of time, the last id that was examined; in order of score, that of the newest message.
  var id: Int64
  /// In order of score, the number of messages before the page.
  var offset: Int32 = 0
  var total: Int32
  var hasMoreTotal: Bool

  init(id: Int64, offset: Int = 0, total: Int, hasMoreTotal: Bool) {
    self.id = id
    self.offset = Int32(clamping: offset)
    self.total = Int32(clamping: total)
    self.hasMoreTotal = hasMoreTotal
  }

  init?(positionBytes bytes: [UInt8]) {
    guard bytes.count == 17, let id = Int64(bigEndianBytes: bytes[..<8]),
      let offset = Int32(bigEndianBytes: bytes[8..<12]), offset >= 0,
      let total = Int32(bigEndianBytes: bytes[12..<16])
    else { return nil }
    (self.id, self.offset, self.total, hasMoreTotal) = (id, offset, total, bytes[16] != 0)
  }

  var positionBytes: [UInt8] {
    id.bigEndianBytes + offset.bigEndianBytes + total.bigEndianBytes + [hasMoreTotal ? 1 : 0]
  }
}
