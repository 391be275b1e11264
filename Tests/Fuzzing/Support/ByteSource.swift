/// Takes choices, numbers and texts from the bytes that a fuzzer made up; zeros when they are used up.
struct ByteSource {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isEmpty: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  /// A number below `bound`, which is at most 65,536.
  mutating func number(below bound: Int) -> Int {
    guard bound > 1 else { return 0 }
    let low = Int(byte())
    return (bound > 256 ? low << 8 | Int(byte()) : low) % bound
  }

  mutating func int64() -> Int64 {
    Int64(bitPattern: take(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  mutating func choice<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }

  /// Up to `limit` bytes; the length is taken first.
  mutating func bytes(upTo limit: Int) -> [UInt8] { take(number(below: limit + 1)) }

  /// As ``bytes(upTo:)``, what is not UTF-8 replaced.
  mutating func text(upTo limit: Int) -> String {
    String(decoding: bytes(upTo: limit), as: UTF8.self)
  }

  /// All that is left.
  mutating func rest() -> [UInt8] {
    defer { bytes = [] }
    return Array(bytes)
  }

  private mutating func take(_ count: Int) -> [UInt8] {
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }
}
