internal import Basics

/// The URL of a service that is called over HTTP.
enum ServiceURLText {
  /// Returns the text when it is an `http` or `https` URL with a host and without a fragment.
  static func read(_ text: String) -> String? {
    guard text.utf8.count <= 2048, let url = URLParts(text),
      url.scheme == "http" || url.scheme == "https", url.fragment == nil
    else { return nil }
    return text
  }
}

/// The URL of a webhook.
enum WebhookURLText {
  /// Returns the text when it is an `http` or `https` URL with a host, without a fragment, and without
  /// credentials, which would be sent and logged.
  static func read(_ text: String) -> String? {
    guard let text = ServiceURLText.read(text), let url = URLParts(text), url.userInfo == nil
    else { return nil }
    return text
  }
}

/// The URL of a PostgreSQL database.
package enum StoreURLText {
  private static let schemes = ["postgresql://", "postgres://"]

  /// Returns the text when it has the scheme and a database name; libpq parses the rest.
  package static func read(_ text: String) -> String? {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      let scheme = schemes.first(where: text.hasPrefix)
    else { return nil }
    let parts = text.dropFirst(scheme.count).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let parameters = parts.count > 1 ? parts[1].split(separator: "&") : []
    let namesDatabase =
      (path.count > 1 && !path[1].isEmpty)
      || parameters.contains { $0.hasPrefix("dbname=") && $0.utf8.count > 7 }
    return namesDatabase ? text : nil
  }
}

/// The name of a cluster.
enum ClusterNameText {
  /// Returns the text when it is short and consists of lower-case letters, digits, hyphens and
  /// underscores: it is part of names on the bus, including PostgreSQL's channels.
  static func read(_ text: String) -> String? {
    let isClean = text.utf8.allSatisfy { byte in
      (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
    return isClean && (1...20).contains(text.utf8.count) ? text : nil
  }
}

/// A server's name, which operators type.
enum ServerNameText {
  /// Returns the text when it has the length and characters of a machine's name.
  static func read(_ text: String) -> String? {
    let isPlain = text.utf8.allSatisfy { byte in
      (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || ".-_".utf8.contains(byte)
    }
    return isPlain && (1...63).contains(text.utf8.count) ? text : nil
  }
}

/// The origin of a page as browsers send it: scheme, host and port; or `*` for any.
enum OriginText {
  /// Parses an origin and converts it to lower case; `nil` for one that no page can have, such as with a
  /// path or the scheme of WebSockets.
  static func read(_ text: String) -> String? {
    let lowered = text.lowercased()
    guard lowered != "null", lowered != "*" else { return lowered }
    guard let separator = lowered.firstRange(of: "://") else { return nil }
    let scheme = lowered[..<separator.lowerBound]
    let authority = lowered[separator.upperBound...]
    guard isScheme(scheme), !authority.isEmpty, authority.utf8.count <= 300,
      authority.utf8.allSatisfy(isAuthorityByte)
    else { return nil }
    switch scheme {
    case "http", "https": return isHostAndPort(Array(authority.utf8)[...]) ? lowered : nil
    case "ws", "wss": return nil
    default: return lowered
    }
  }

  private static func isHostAndPort(_ text: ArraySlice<UInt8>) -> Bool {
    guard let parts = HostAndPort(splitting: text), !parts.host.isEmpty else { return false }
    let isAddress = HostAndPort.bracketedAddress(parts.host) != nil
    let brackets = parts.host.contains { "[]:".utf8.contains($0) }
    guard isAddress || !brackets else { return false }
    guard let port = parts.port else { return true }
    return HostAndPort.number(of: port) != nil
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, (0x61...0x7a).contains(first) else { return false }
    return text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x2b...0x39).contains($0) }
      && !text.contains("/") && !text.contains(",")
  }

  private static func isAuthorityByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x61...0x7a, 0x30...0x3a, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}
