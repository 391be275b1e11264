import LinkPreview

/// Processes the body of a response.
protocol BodyReader: AnyObject {
  /// Reads the next bytes, decompressed.
  ///
  /// - Returns: The reason for the end of reading, as text; `nil` to continue.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String?

  /// Returns the result of the bytes so far.
  func finish() -> TransferResult
}

/// Reads a page for its preview, up to a number of bytes.
final class PageReader: BodyReader {
  private var extractor: OpenGraphExtractor
  private var room: Int
  private let limit: Int

  init(_ url: WebURL, contentType: String, limit: Int) {
    extractor = OpenGraphExtractor(pageURL: url, contentType: contentType)
    room = limit
    self.limit = limit
  }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let part = UnsafeBufferPointer(rebasing: bytes.prefix(room))
    room -= part.count
    if extractor.receive(part.span) == .finished { return "read as far as needed" }
    return room == 0 ? "read to the limit of \(limit) bytes" : nil
  }

  func finish() -> TransferResult { .page(extractor.finish()) }

  static func accepts(_ contentType: String) -> Bool { HTMLMediaType(contentType) != nil }
}

/// Collects an oEmbed response, which is small or none.
final class EmbedReader: BodyReader {
  private let url: WebURL
  private var bytes: [UInt8] = []
  private var isTooLong = false

  /// The maximum size of a response, in bytes.
  static let limit = OEmbedResponse.maximumLength

  init(_ url: WebURL) { self.url = url }

  func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard bytes.count <= Self.limit - self.bytes.count else {
      isTooLong = true
      return "longer than \(Self.limit) bytes"
    }
    self.bytes += bytes
    return nil
  }

  func finish() -> TransferResult {
    if isTooLong { return .nothing("the oEmbed answer is longer than \(Self.limit) bytes") }
    do throws(OEmbedError) {
      return .embed(try OEmbedResponse(bytes, from: url))
    } catch {
      return .nothing(error.description)
    }
  }

  static func accepts(_ contentType: String) -> Bool {
    let type = ResponseHead.essence(contentType)
    return type == "application/json" || type == "text/json"
      || (type.hasPrefix("application/") && type.hasSuffix("+json"))
  }
}

/// Counts the content codings in a response's head, one line at a time.
///
/// Each layer may expand its input a thousandfold before a limit on the output can count it, so
/// only one is decoded.
struct BodyCodings {
  private(set) var count = 0
  /// Whether the field has a value that is not a coding, such as a character set.
  private(set) var hasUnknown = false

  private static let compressions: Set<Substring> = [
    "gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress",
  ]
  private static let others: Set<Substring> = ["chunked", "identity", "none"]

  /// - Parameter line: A header field or a status line, unparsed.
  mutating func receive(_ line: UnsafeBufferPointer<UInt8>) {
    // Nearly all other fields have a different first letter.
    guard let first = line.first.map({ $0 | 0x20 }), first == 0x63 || first == 0x74,
      let colon = line.firstIndex(of: UInt8(ascii: ":"))
    else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    guard name == "content-encoding" || name == "transfer-encoding" else { return }
    let codings = String(decoding: line[(colon + 1)...], as: UTF8.self).lowercased()
    for coding in codings.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      if Self.compressions.contains(coding) {
        count += 1
      } else if !Self.others.contains(coding) {
        hasUnknown = true
      }
    }
  }
}
