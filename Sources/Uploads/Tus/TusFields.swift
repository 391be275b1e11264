internal import Basics

/// The fields of tus 1.0.0 in a request's head.
///
/// The length of every value is limited, and a field that appears twice is refused.
package struct TusFields {
  /// The supported version of the protocol.
  package static let version = "1.0.0"
  /// The content type of a piece.
  package static let contentType = "application/offset+octet-stream"

  private static let metadataLimit = 8_192
  /// The number of digits of 2^63 − 1.
  private static let digitLimit = 19

  private let values: (String) -> [String]

  /// - Parameter values: Returns the values of a field with a given name, in order.
  package init(_ values: @escaping (String) -> [String]) {
    self.values = values
  }

  /// - Throws: ``UploadRefusal/version`` unless the request names the supported version.
  package func requireVersion() throws(UploadRefusal) {
    guard values("Tus-Resumable") == [Self.version] else { throw .version }
  }

  /// - Throws: ``UploadRefusal/contentType`` unless the body is a piece of an upload.
  package func requirePiece() throws(UploadRefusal) {
    let types = values("Content-Type")
    guard types.count == 1, let type = types.first,
      type.prefix(64).lowercased() == Self.contentType
    else { throw .contentType }
  }

  /// `Upload-Offset`, which is required.
  package func offset() throws(UploadRefusal) -> Int64 {
    guard let offset = try number("Upload-Offset") else {
      throw .field("Upload-Offset", expected: Self.numberForm)
    }
    return offset
  }

  /// `Upload-Length`, which is required: deferred lengths are not supported.
  package func length() throws(UploadRefusal) -> Int64 {
    guard values("Upload-Defer-Length").isEmpty, let length = try number("Upload-Length") else {
      throw .field("Upload-Length", expected: Self.numberForm)
    }
    return length
  }

  /// `Upload-Checksum`, if given.
  package func checksum() throws(UploadRefusal) -> UploadChecksum? {
    guard let text = try single("Upload-Checksum") else { return nil }
    guard text.utf8.count <= 128, let checksum = UploadChecksum(text) else {
      throw .field("Upload-Checksum", expected: "sha1 or sha256, a space and the digest in Base64")
    }
    return checksum
  }

  /// `Upload-Metadata`: the values by name; a name without a value has an empty one.
  ///
  /// Values that are not UTF-8 are refused.
  package func metadata() throws(UploadRefusal) -> [String: String] {
    guard let text = try single("Upload-Metadata"), !text.isEmpty else { return [:] }
    guard text.utf8.count <= Self.metadataLimit, let metadata = Self.metadata(text) else {
      throw .field("Upload-Metadata", expected: "pairs of a name and a value in Base64")
    }
    return metadata
  }

  private static func metadata(_ text: String) -> [String: String]? {
    var metadata: [String: String] = [:]
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = pair.split(separator: " ")
      guard let name = parts.first.map(String.init), parts.count <= 2, metadata[name] == nil else {
        return nil
      }
      guard parts.count == 2 else {
        metadata[name] = ""
        continue
      }
      guard let bytes = Base64.decode(String(parts[1])),
        let value = String(validating: bytes, as: UTF8.self)
      else { return nil }
      metadata[name] = value
    }
    return metadata
  }

  /// The `Upload-Metadata` for a file's name and media type; `nil` when it has neither.
  package static func metadata(fileName: String, fileType: String) -> String? {
    let pairs = [("filename", fileName), ("filetype", fileType)].filter { !$0.1.isEmpty }
    guard !pairs.isEmpty else { return nil }
    return pairs.map { "\($0.0) \(Base64.encode(Array($0.1.utf8)))" }.joined(separator: ",")
  }

  private static let numberForm = "one number from 0 to 2^63 - 1"

  /// A number of digits only: no sign, no spaces, no fraction.
  private func number(_ name: String) throws(UploadRefusal) -> Int64? {
    guard let text = try single(name) else { return nil }
    guard (1...Self.digitLimit).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(text)
    else { throw .field(name, expected: Self.numberForm) }
    return number
  }

  private func single(_ name: String) throws(UploadRefusal) -> String? {
    let all = values(name)
    guard all.count <= 1 else { throw .field(name, expected: "given once") }
    return all.first
  }
}

/// The required digest of a piece of an upload.
package struct UploadChecksum: Sendable, Hashable {
  package enum Algorithm: String, Sendable, CaseIterable {
    case sha1
    case sha256

    package var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      }
    }
  }

  package let algorithm: Algorithm
  package let digest: [UInt8]

  package init(_ algorithm: Algorithm, digest: [UInt8]) {
    self.algorithm = algorithm
    self.digest = digest
  }

  /// Parses the value of `Upload-Checksum`; `nil` for a value of another form.
  init?(_ text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let algorithm = Algorithm(rawValue: String(parts[0])),
      let digest = Base64.decode(String(parts[1])), digest.count == algorithm.byteCount
    else { return nil }
    self.init(algorithm, digest: digest)
  }
}
