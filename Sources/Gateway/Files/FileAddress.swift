import Channels
import HTTP
import ParleyProtocol
import Store
import Transport

/// The addresses of a file that arrives with a request.
struct FileAddress {
  /// The base of all files, from `files.public_url`.
  private let publicBase: String?
  /// The base from the request's `Host`.
  private let namedBase: String?

  /// - Throws: 400111 when neither the settings nor the request name a base.
  init(publicURL: String?, _ head: HTTPRequestHead, isEncrypted: Bool) throws(ServiceError) {
    try self.init(publicURL: publicURL, namedBase: Self.base(named: head, isEncrypted: isEncrypted))
  }

  /// The base that a request names.
  static func base(named head: HTTPRequestHead, isEncrypted: Bool) -> String? {
    let host = head.fields["Host"].flatMap { $0.isEmpty ? nil : $0 }
    return host.map { "\(isEncrypted ? "https" : "http")://\($0)" }
  }

  /// - Throws: 400111 when neither the settings nor the request name a base.
  init(publicURL: String?, namedBase: String?) throws(ServiceError) {
    publicBase = publicURL.map(Self.base(ofPublicURL:))
    self.namedBase = namedBase.flatMap { $0.isEmpty ? nil : $0 }
    guard publicBase != nil || self.namedBase != nil else {
      throw ServiceError(
        .invalidValue, "the request names no Host, and files.public_url is not set")
    }
  }

  /// Derives the address to show from the stored one, with `files.public_url` as the base if set.
  static func composition(
    publicURL: String?
  ) -> @Sendable (_ stored: String, _ id: String) -> String {
    guard let base = publicURL.map(base(ofPublicURL:)) else { return { stored, _ in stored } }
    return { stored, id in
      guard let path = stored.firstRange(of: Routes.file.path(id, "")) else { return stored }
      return base + stored[path.lowerBound...]
    }
  }

  /// The base in `files.public_url`: without a slash at its end.
  static func base(ofPublicURL url: String) -> String {
    url.hasSuffix("/") ? String(url.dropLast()) : url
  }

  /// The base to store: see ``storedURL(ofFile:_:)``.
  var storedBase: String { namedBase ?? publicBase ?? "" }

  /// The base of addresses to show.
  var shownBase: String { publicBase ?? namedBase ?? "" }

  /// The address to show.
  func url(ofFile id: String, _ name: FileName) -> String {
    Self.url(publicBase ?? namedBase, id, name)
  }

  /// The address to store: it has the request's own base, which is valid whenever no other is set.
  func storedURL(ofFile id: String, _ name: FileName) -> String {
    Self.url(namedBase ?? publicBase, id, name)
  }

  private static func url(_ base: String?, _ id: String, _ name: FileName) -> String {
    (base ?? "") + Routes.file.path(id, name.addressPart)
  }
}
