/// The output memory of a ``JSONWriter``: the given memory until that is full, then separate memory.
///
/// Bytes are copied to a known address: an array would look up its address again for each of them. Every
/// access follows a call of ``reserve(_:)``, which ensures that it is in bounds.
struct TextMemory: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0
  /// Whether the text is in separate memory because the given memory was too small.
  private var hasOutgrown = false

  /// - Parameters:
  ///   - memory: Uninitialised memory; must stay valid while this value is used.
  ///   - byteCount: The expected size of the text in bytes.
  init(_ memory: UnsafeMutableBufferPointer<UInt8>, reserving byteCount: Int) {
    if let first = memory.baseAddress, memory.count >= byteCount {
      (start, capacity) = (first, memory.count)
    } else {
      capacity = max(byteCount, 64)
      start = .allocate(capacity: capacity)
      hasOutgrown = true
    }
  }

  deinit {
    if hasOutgrown { start.deallocate() }
  }

  /// The text so far.
  func copy() -> [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  mutating func append(_ byte: UInt8) {
    reserve(1)
    appendReserved(byte)
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    appendReserved(bytes)
  }

  /// Appends a member's name that needs no escapes, in quotation marks and with its colon.
  mutating func append(name: UnsafeBufferPointer<UInt8>, afterComma: Bool) {
    reserve(name.count + 4)
    if afterComma { appendReserved(UInt8(ascii: ",")) }
    appendReserved(UInt8(ascii: "\""))
    appendReserved(name)
    appendReserved(UInt8(ascii: "\""))
    appendReserved(UInt8(ascii: ":"))
  }

  /// Appends a string that needs no escapes, in quotation marks.
  mutating func append(quoted string: UnsafeBufferPointer<UInt8>) {
    reserve(string.count + 2)
    appendReserved(UInt8(ascii: "\""))
    appendReserved(string)
    appendReserved(UInt8(ascii: "\""))
  }

  /// Appends a string in quotation marks, escaping only what must be (RFC 8259 §7).
  mutating func append(escaping string: UnsafeBufferPointer<UInt8>) {
    guard let first = JSONEscapes.firstIndex(in: string) else {
      return append(quoted: string)
    }
    append(UInt8(ascii: "\""))
    append(UnsafeBufferPointer(rebasing: string[..<first]))
    var runStart = first
    for index in first..<string.count where JSONEscapes.needsEscape(string[index]) {
      append(UnsafeBufferPointer(rebasing: string[runStart..<index]))
      append(escape: string[index])
      runStart = index + 1
    }
    append(UnsafeBufferPointer(rebasing: string[runStart...]))
    append(UInt8(ascii: "\""))
  }

  private mutating func append(escape byte: UInt8) {
    append(UInt8(ascii: "\\"))
    if let letter = JSONEscapes.letter(for: byte) { return append(letter) }
    append(UInt8(ascii: "u"))
    append(UInt8(ascii: "0"))
    append(UInt8(ascii: "0"))
    append(JSONEscapes.hexadecimalDigit(byte >> 4))
    append(JSONEscapes.hexadecimalDigit(byte & 0x0f))
  }

  /// Appends a whole number in decimal digits.
  mutating func append(_ number: Int64) {
    reserve(20)
    var rest = number.magnitude
    if number < 0 {
      start[count] = UInt8(ascii: "-")
      count += 1
    }
    var digitCount = 1
    var bound: UInt64 = 10
    while digitCount < 19, rest >= bound {
      digitCount += 1
      bound &*= 10
    }
    var place = count + digitCount
    count = place
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      place -= 1
      start[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest != 0
  }

  @inline(__always)
  private mutating func appendReserved(_ byte: UInt8) {
    start[count] = byte
    count += 1
  }

  private mutating func appendReserved(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    (start + count).update(from: source, count: bytes.count)
    count += bytes.count
  }

  /// Reserves space for more bytes.
  @inline(__always)
  private mutating func reserve(_ byteCount: Int) {
    if capacity - count < byteCount { grow(by: byteCount) }
  }

  @inline(never)
  private mutating func grow(by byteCount: Int) {
    let larger = max(capacity * 2, count + byteCount, 64)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    memory.update(from: start, count: count)
    if hasOutgrown { start.deallocate() }
    (start, capacity, hasOutgrown) = (memory, larger, true)
  }
}
