/// The name that a proxy gives a client (RFC 7239 §6).
enum ForwardedNode {
  /// Reads the parameter `for` of an element of `Forwarded`.
  ///
  /// - Returns: `nil` when there is none, more than one, or none that is an address.
  static func read(element: String) -> PeerAddress? {
    parameter("for", of: element).flatMap { read($0) }
  }

  /// Reads a parameter of an element of `Forwarded`; `nil` when there is none, or more than one.
  static func parameter(_ name: String, of element: String) -> String? {
    var values: [String] = []
    for pair in ForwardedText.pieces(of: element, at: UInt8(ascii: ";"), .strings) {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, parts[0].lowercased() == name else { continue }
      values.append(parts[1])
    }
    guard values.count == 1, let value = values.first else { return nil }
    return unquoted(value)
  }

  /// Reads an address: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`,
  /// `[2001:db8::1]:80`.
  ///
  /// - Returns: `nil` for `unknown`, a made-up name, and everything else.
  static func read(_ name: String) -> PeerAddress? {
    if let address = PeerAddress(host: name) { return address }
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      let host = String(name[name.index(after: name.startIndex)..<end])
      guard host.contains(":") else { return nil }
      return read(host, portPart: name[name.index(after: end)...])
    }
    guard let colon = name.firstIndex(of: ":") else { return nil }
    return read(String(name[..<colon]), portPart: name[colon...])
  }

  private static func read(_ host: String, portPart: Substring) -> PeerAddress? {
    guard !portPart.isEmpty else { return PeerAddress(host: host) }
    // A port may be hidden behind a name of its own (RFC 7239 §6.3); the address still counts.
    guard portPart.hasPrefix(":") else { return nil }
    return PeerAddress(host: host, port: UInt16(portPart.dropFirst()) ?? 0)
  }

  /// No address needs a backslash, so none is undone.
  private static func unquoted(_ text: String) -> String {
    guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
    return String(text.dropFirst().dropLast())
  }
}
