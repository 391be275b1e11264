/// The boxes of HEIC and AVIF.
extension HeaderFields {
  private struct Box {
    let kind: String
    let content: Range<UInt64>
  }

  /// Returns the largest size among the properties of the file: a picture made of tiles has one for
  /// each tile and one for the whole.
  mutating func sizeOfHEIF() -> PictureSize? {
    var steps = Self.mostSteps
    return properties(&steps).flatMap { largestSize(in: $0, &steps) }
  }

  /// Returns the colour model of the first profile among the properties.
  mutating func profileOfHEIF() -> String? {
    var steps = Self.mostSteps
    guard var rest = properties(&steps) else { return nil }
    while let box = nextBox(in: &rest, &steps) {
      guard box.kind == "colr" else { continue }
      let kind = text(at: box.content.lowerBound, count: 4)
      if kind == "prof" || kind == "rICC" { return model(ofProfileAt: box.content.lowerBound + 4) }
    }
    return nil
  }

  private mutating func properties(_ steps: inout Int) -> Range<UInt64>? {
    // The box `meta` has four bytes of version and flags before its boxes.
    guard let meta = first("meta", in: 0..<UInt64(Int64.max), &steps), meta.count > 4,
      let properties = first("iprp", in: meta.lowerBound + 4..<meta.upperBound, &steps)
    else { return nil }
    return first("ipco", in: properties, &steps)
  }

  private mutating func largestSize(in range: Range<UInt64>, _ steps: inout Int) -> PictureSize? {
    var rest = range
    var (width, height) = (0, 0)
    while let box = nextBox(in: &rest, &steps) {
      guard box.kind == "ispe" else { continue }
      width = max(width, number(at: box.content.lowerBound + 4, count: 4) ?? 0)
      height = max(height, number(at: box.content.lowerBound + 8, count: 4) ?? 0)
    }
    // A file with more boxes than are examined could hide a larger size.
    guard steps > 0, width > 0 else { return nil }
    return PictureSize(width: width, height: height)
  }

  private mutating func first(
    _ kind: String, in range: Range<UInt64>, _ steps: inout Int
  ) -> Range<UInt64>? {
    var rest = range
    while let box = nextBox(in: &rest, &steps) {
      if box.kind == kind { return box.content }
    }
    return nil
  }

  /// Removes the box at the start of the range.
  private mutating func nextBox(in range: inout Range<UInt64>, _ steps: inout Int) -> Box? {
    let start = range.lowerBound
    guard steps > 0, range.upperBound - start >= 8, let short = number(at: start, count: 4)
    else { return nil }
    steps -= 1
    var (header, length): (UInt64, UInt64) = (8, UInt64(short))
    switch short {
    // Up to the end of the enclosing box.
    case 0: length = range.upperBound - start
    case 1:
      guard let upper = number(at: start + 8, count: 4), upper < 1 << 30,
        let lower = number(at: start + 12, count: 4)
      else { return nil }
      (header, length) = (16, UInt64(upper) << 32 | UInt64(lower))
    default: break
    }
    guard length >= header, length <= range.upperBound - start else { return nil }
    range = start + length..<range.upperBound
    return Box(
      kind: text(at: start + 4, count: 4), content: start + header..<start + length)
  }
}
