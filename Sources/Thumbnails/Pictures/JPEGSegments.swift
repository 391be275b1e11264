/// The segments of a JPEG from its start to the data of its first scan (T.81 §B.1.1).
struct JPEGSegments {
  struct Segment {
    enum Kind: Equatable {
      /// Starts the frame, and contains its size.
      case frame
      case other(UInt8)
    }

    let kind: Kind
    /// The offset of the bytes after the marker and the length.
    let content: UInt64
  }

  private static let blockByteCount = 512

  private var offset: UInt64 = 2
  private var steps = 0

  /// Reads the next segment; `nil` if the data or the end of the file comes first.
  mutating func next(in fields: inout HeaderFields<some PictureBytes>) -> Segment? {
    while let marker = nextMarker(in: &fields) {
      let kind: Segment.Kind
      switch marker {
      // These have no content.
      case 0x01, 0xD0...0xD7: continue
      case 0xD8...0xDA: return nil
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: kind = .frame
      default: kind = .other(marker)
      }
      guard let length = fields.number(at: offset, count: 2), length >= 2 else { return nil }
      defer { offset += UInt64(length) }
      return Segment(kind: kind, content: offset + 2)
    }
    return nil
  }

  /// Moves to the position after the next marker; decoders skip other bytes between segments.
  private mutating func nextMarker(in fields: inout HeaderFields<some PictureBytes>) -> UInt8? {
    while steps < HeaderFields<[UInt8]>.mostSteps {
      steps += 1
      let block = fields.bytes.read(at: offset, count: Self.blockByteCount)
      guard block.count >= 2 else { return nil }
      let marker = block.indices.dropLast().first {
        block[$0] == 0xFF && block[$0 + 1] != 0xFF && block[$0 + 1] != 0
      }
      if let marker {
        offset += UInt64(marker) + 2
        return block[marker + 1]
      }
      // The last byte may start a marker.
      offset += UInt64(block.count) - 1
    }
    return nil
  }
}
