extension Int64 {
  /// The most significant byte first.
  var bigEndianBytes: [UInt8] {
    withUnsafeBytes(of: bigEndian, Array.init)
  }

  /// From the most significant byte on; of more than eight the last count.
  init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Int64($1) }
  }
}
