import LinkPreview

/// Collects an oEmbed answer, which is small or none.
final class EmbedReader: BodyReader {
  private let url: WebURL
  private var bytes: [UInt8] = []
  private var isTooLong = false

  /// How many bytes an answer may have.
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

  func finish() -> TransferOutcome {
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
