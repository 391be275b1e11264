internal import Basics

/// The place of uploaded files in a setting: `data_dir`, `directory:/path`, `s3://bucket?…`.
package enum FilePlace: Sendable, Hashable, CustomStringConvertible {
  /// In `data_dir`.
  case dataDirectory
  /// A directory, which several servers may share.
  case directory(String)
  case bucket(BucketPlace)

  static let expectation =
    "data_dir, directory: with an absolute path, or s3://BUCKET?endpoint=URL&region=NAME&prefix=PATH"

  /// Parses a place.
  package init?(_ text: String) {
    if text == "data_dir" {
      self = .dataDirectory
    } else if text.hasPrefix("directory:") {
      let path = text.dropFirst("directory:".count)
      guard path.hasPrefix("/"), path.contains(where: { $0 != "/" }) else { return nil }
      self = .directory(String(path))
    } else if let place = BucketPlace(text) {
      self = .bucket(place)
    } else {
      return nil
    }
  }

  package var description: String {
    switch self {
    case .dataDirectory: "data_dir"
    case .directory(let path): "directory:" + path
    case .bucket(let place): place.text
    }
  }
}

/// An S3 bucket, and the part of it that is used.
package struct BucketPlace: Sendable, Hashable {
  /// The URL of the bucket, without a trailing slash.
  package let url: String
  package let region: String
  /// The prefix of the keys: empty, or with a trailing slash.
  package let prefix: String
  /// The place in its written form.
  let text: String

  private static let defaultRegion = "us-east-1"
  private static let prefixLimit = 200

  init?(_ text: String) {
    guard text.hasPrefix("s3://"), text.utf8.count <= 2048,
      let parts = URLParts(text), parts.path.isEmpty, parts.fragment == nil,
      parts.userInfo == nil, parts.port == nil, Self.isBucket(parts.host),
      let parameters = parts.parameters
    else { return nil }
    var values: [String: String] = [:]
    for (name, value) in parameters {
      guard ["endpoint", "region", "prefix"].contains(name), !value.isEmpty,
        values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    let region = values["region"] ?? Self.defaultRegion
    guard Self.isRegion(region), let prefix = Self.prefix(values["prefix"] ?? ""),
      let url = Self.url(of: parts.host, at: values["endpoint"], region: region)
    else { return nil }
    self.url = url
    self.region = region
    self.prefix = prefix
    self.text = text
  }

  /// At an endpoint the bucket is part of the path.
  ///
  /// At Amazon it is part of the host name, unless it contains a dot, which would not match the
  /// certificate.
  private static func url(of bucket: String, at endpoint: String?, region: String) -> String? {
    guard let endpoint else {
      let host = "s3.\(region).amazonaws.com"
      return bucket.contains(".") ? "https://\(host)/\(bucket)" : "https://\(bucket).\(host)"
    }
    guard let endpoint = WebhookURLText.read(endpoint),
      let parts = URLParts(endpoint), parts.query == nil,
      parts.path.allSatisfy({ $0 == "/" })
    else { return nil }
    let base = endpoint.reversed().drop { $0 == "/" }.reversed()
    return String(base) + "/" + bucket
  }

  private static func isBucket(_ text: String) -> Bool {
    (3...63).contains(text.utf8.count)
      && text.utf8.allSatisfy { isAlphanumeric($0) || "-.".utf8.contains($0) }
      && !text.hasPrefix(".") && !text.contains("..")
  }

  private static func isRegion(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  /// Accepts only characters that are literal in a URL, so that keys need no encoding.
  private static func prefix(_ text: String) -> String? {
    guard text.utf8.count <= prefixLimit else { return nil }
    let parts = text.split(separator: "/")
    guard parts.allSatisfy({ $0 != "." && $0 != ".." && PercentEncoding.encode(String($0)) == $0 })
    else { return nil }
    return parts.isEmpty ? "" : parts.joined(separator: "/") + "/"
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) && byte < 0x80
  }
}
