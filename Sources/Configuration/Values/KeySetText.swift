internal import Basics
internal import ParleyProtocol

/// The URL of a provider's key set.
enum KeySetURLText {
  /// Returns the text when it is an `https` URL, or `http` on this machine, without credentials and
  /// fragment.
  static func read(_ text: String) -> String? {
    guard let text = WebhookURLText.read(text), let url = URLParts(text) else { return nil }
    let endpoint = Endpoint("\(url.host):\(url.port ?? 443)")
    guard url.scheme == "https" || endpoint?.isLoopback == true else { return nil }
    return text
  }
}

/// A value of a claim in a setting, such as an issuer.
enum ClaimText {
  static let byteLimit = 512

  /// Returns the text when it is short and only has visible ASCII characters.
  static func read(_ text: String) -> String? {
    let isVisible = text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isVisible && (1...byteLimit).contains(text.utf8.count) ? text : nil
  }
}

/// A provider in a setting: its members with their values, separated by spaces.
///
///     issuer=https://id.example.com url=https://id.example.com/jwks audience=chat
///     algorithms=RS256+ES384 user_claim=email nickname_claim=name
enum KeySetText {
  static let expectation =
    "a group with issuer and url, and if needed audience, algorithms, user_claim and nickname_claim"

  private static let members = [
    "issuer", "url", "audience", "algorithms", "user_claim", "nickname_claim",
  ]

  static func read(_ text: String) -> KeySetSource? {
    var values: [String: String] = [:]
    for part in text.split(separator: " ") {
      guard let equals = part.firstIndex(of: "=") else { return nil }
      let name = String(part[..<equals])
      let value = String(part[equals...].dropFirst())
      guard members.contains(name), name == "url" || ClaimText.read(value) != nil,
        values.updateValue(value, forKey: name) == nil
      else { return nil }
    }
    guard let name = values["issuer"], let url = values["url"].flatMap(KeySetURLText.read),
      let algorithms = algorithms(values["algorithms"])
    else { return nil }
    let issuer = TokenIssuer(
      name, audience: values["audience"], algorithms: algorithms,
      userClaim: values["user_claim"] ?? TokenIssuer.subjectClaim,
      nicknameClaim: values["nickname_claim"])
    return KeySetSource(issuer, url: url)
  }

  static func write(_ source: KeySetSource) -> String {
    let issuer = source.issuer
    var parts = ["issuer=\(issuer.name)", "url=\(source.url)"]
    if let audience = issuer.audience { parts.append("audience=\(audience)") }
    if issuer.algorithms != SignatureAlgorithm.standard {
      parts.append("algorithms=" + issuer.algorithms.map(\.rawValue).joined(separator: "+"))
    }
    if issuer.userClaim != TokenIssuer.subjectClaim {
      parts.append("user_claim=\(issuer.userClaim)")
    }
    if let claim = issuer.nicknameClaim { parts.append("nickname_claim=\(claim)") }
    return parts.joined(separator: " ")
  }

  private static func algorithms(_ text: String?) -> [SignatureAlgorithm]? {
    guard let text else { return SignatureAlgorithm.standard }
    let names = text.split(separator: "+", omittingEmptySubsequences: false)
    let algorithms = names.compactMap { SignatureAlgorithm(rawValue: String($0)) }
    return algorithms.count == names.count && Set(algorithms).count == names.count
      ? algorithms : nil
  }
}
