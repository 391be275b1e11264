import Basics
import COpenSSL
import HTTP

/// A document in the executable that pages of any origin may read.
struct EmbeddedDocument: Sendable {
  /// How long caches may keep it.
  enum Lifetime: Sendable {
    /// A few minutes: another version has the same name.
    case brief
    /// For ever: another version has another name.
    case lasting

    fileprivate var cacheControl: String {
      switch self {
      case .brief: "public, max-age=300"
      case .lasting: "public, max-age=31536000, immutable"
      }
    }
  }

  /// One encoding of the content, with the entity tag that belongs to it alone.
  private struct Form: Sendable {
    let content: [UInt8]
    let entityTag: String
  }

  private let plain: Form
  /// `nil` when there was no memory to compress it.
  private let compressed: Form?
  private let mediaType: String
  private let lifetime: Lifetime

  init(_ content: [UInt8], mediaType: String, lifetime: Lifetime = .brief) {
    let hash = Base64.encode(Self.digest(of: content))
    plain = Form(content: content, entityTag: "\"\(hash)\"")
    compressed = Gzip.compress(content).map { Form(content: $0, entityTag: "\"\(hash)-gzip\"") }
    self.mediaType = mediaType
    self.lifetime = lifetime
  }

  /// Answers 304 without a body to a client that already has this version (RFC 9110 §13.1.2).
  func response(to head: HTTPRequestHead) -> HTTPResponse {
    let isCompressible = Gzip.isAccepted(by: head.fields.values(of: "Accept-Encoding"))
    let shrunk = isCompressible ? compressed : nil
    let form = shrunk ?? plain
    // Pages of other origins may read the document, so that viewers and clients in browsers can.
    let fields: HTTPFields = [
      "Cache-Control": lifetime.cacheControl, "ETag": form.entityTag, "Vary": "Accept-Encoding",
      "Access-Control-Allow-Origin": "*",
    ]
    if let known = head.fields["If-None-Match"],
      known == "*"
        || [plain, compressed].contains(where: { $0.map { known.contains($0.entityTag) } ?? false })
    {
      return HTTPResponse(status: .notModified, fields: fields)
    }
    var response = HTTPResponse(status: .ok, fields: fields, body: form.content)
    response.fields.append("Content-Type", mediaType)
    response.fields.append("X-Content-Type-Options", "nosniff")
    if shrunk != nil { response.fields.append("Content-Encoding", "gzip") }
    return response
  }

  /// The SHA-256 of some content.
  static func digest(of content: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(content, content.count, &digest)
    return digest
  }
}

/// The encoding `gzip` of HTTP (RFC 1952).
enum Gzip {
  /// Compresses a document once, as it is served often.
  ///
  /// - Returns: `nil` when there is no memory for it.
  static func compress(_ content: [UInt8]) -> [UInt8]? {
    // Deflate, no flags, no time, an unknown system.
    var output: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    guard DeflateWorkspace().compress(content.span, windowBits: 15, into: &output) else {
      return nil
    }
    // The end of the flush that messages leave out, and an empty last block.
    output += [0, 0, 0xFF, 0xFF, 3, 0]
    for value in [checksum(of: content), UInt32(truncatingIfNeeded: content.count)] {
      for shift in stride(from: 0, to: 32, by: 8) {
        output.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    return output
  }

  /// Whether a client accepts the encoding (RFC 9110 §12.5.3): a weight of zero refuses it.
  static func isAccepted(by fields: [String]) -> Bool {
    for field in fields {
      for part in field.split(separator: ",") {
        let words = part.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ";")
        guard words.first == "gzip" || words.first == "x-gzip" else { continue }
        let weight = words.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2) ?? "1"
        return weight.contains { $0 != "0" && $0 != "." }
      }
    }
    return false
  }

  /// CRC-32 (RFC 1952 §8).
  private static func checksum(of content: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in content {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
