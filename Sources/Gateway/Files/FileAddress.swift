import HTTP1
import ParleyProtocol

/// Where the files of this deployment can be had.
struct FileAddress {
  private let base: String

  /// Takes the base from the settings, else from the request that brings a file.
  ///
  /// - Throws: 400111 when neither tells it.
  init(publicURL: String?, _ head: HTTPRequestHead, isEncrypted: Bool) throws(ServiceError) {
    if let publicURL {
      base = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
      return
    }
    guard let host = head.fields["Host"], !host.isEmpty else {
      throw ServiceError(
        .invalidValue, "the request names no Host, and files.public_url is not set")
    }
    base = "\(isEncrypted ? "https" : "http")://\(host)"
  }

  /// The address of a file.
  func url(ofFile id: String, _ name: FileName) -> String {
    "\(base)/files/\(id)/\(name.addressPart)"
  }
}
