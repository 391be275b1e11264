/// Cuts lines that end with CRLF out of a byte stream, and refuses bytes that no line may hold.
///
/// Strict where lenience has let requests be smuggled (RFC 9112 §11.2): a bare CR or LF, NUL, and
/// any other control character but the tab are refused as they arrive.
struct LineReader: Sendable {
  enum Failure: Error {
    case tooLong
    case bareReturn
    case bareLineFeed
    case controlCharacter(UInt8)

    var sentence: String {
      switch self {
      case .tooLong: "A line is too long."
      case .bareReturn: "A carriage return is not followed by a line feed."
      case .bareLineFeed: "A line feed does not follow a carriage return."
      case .controlCharacter(let byte): "A line holds the control character \(byte)."
      }
    }
  }

  private(set) var line: [UInt8] = []
  private var endsWithReturn = false

  /// Whether nothing of the line has come yet.
  var isEmpty: Bool { line.isEmpty && !endsWithReturn }

  /// Takes bytes from `offset` on, up to the end of the line.
  ///
  /// - Parameter limit: The most bytes of the line, its end not counted.
  /// - Returns: The line without its end, or `nil` when all of `input` was taken without one.
  mutating func next(
    from input: Span<UInt8>, at offset: inout Int, limit: Int
  ) throws(Failure) -> [UInt8]? {
    while offset < input.count {
      let byte = input[offset]
      offset += 1
      if endsWithReturn {
        guard byte == 0x0A else { throw .bareReturn }
        defer { self = LineReader() }
        return line
      }
      switch byte {
      case 0x0D: endsWithReturn = true
      case 0x0A: throw .bareLineFeed
      case _ where HTTPSyntax.isFieldByte(byte):
        guard line.count < limit else { throw .tooLong }
        line.append(byte)
      default: throw .controlCharacter(byte)
      }
    }
    return nil
  }
}
