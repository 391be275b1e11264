internal import Basics
internal import ParleyProtocol

/// The file of a Google service account, which may send by FCM.
package struct ServiceAccount: Sendable, Hashable {
  package static let byteLimit = 65_536
  private static let textLimit = 1_024

  package let projectID: String
  package let email: String
  /// The private key in PEM form.
  package let privateKey: String
  /// The id of the key; `nil` if the file has none.
  package let privateKeyID: String?
  /// The URL that exchanges assertions for access tokens.
  package let tokenURL: String

  /// Parses a file.
  package init(_ file: [UInt8]) throws(ServiceAccountError) {
    let limits = JSONLimits(byteCount: Self.byteLimit, depth: 4, nodeCount: 100)
    guard let root = try? JSONDocument(file, limits: limits).root, root.kind == .object else {
      throw .notJSON
    }
    guard root["type"]?.string == "service_account" else { throw .member("type") }
    projectID = try Self.text("project_id", root)
    email = try Self.text("client_email", root)
    guard let key = root["private_key"]?.string, !key.isEmpty else {
      throw .member("private_key")
    }
    privateKey = key
    privateKeyID = root["private_key_id"]?.string
    tokenURL = try Self.text("token_uri", root)
    guard let parts = URLParts(tokenURL), parts.userInfo == nil,
      parts.scheme == "https" || parts.scheme == "http" && Self.isLoopback(parts)
    else { throw .member("token_uri") }
  }

  private static func text(_ name: String, _ root: JSONNode) throws(ServiceAccountError) -> String {
    guard let text = root[name]?.string, (1...textLimit).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { throw .member(name) }
    return text
  }

  private static func isLoopback(_ parts: URLParts) -> Bool {
    Endpoint("\(parts.host):\(parts.port ?? 80)")?.isLoopback == true
  }
}

extension ServiceAccount: CustomStringConvertible {
  /// Does not reveal the key.
  package var description: String { "the service account \(email)" }
}

/// The reason why a file is not one of a service account.
package enum ServiceAccountError: Error, Sendable, Hashable {
  case notJSON
  /// A member is missing or invalid.
  case member(String)
}

extension ServiceAccountError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notJSON: "the file is not JSON of a service account"
    case .member(let name): "'\(name)' of the service account is missing or invalid"
    }
  }
}
