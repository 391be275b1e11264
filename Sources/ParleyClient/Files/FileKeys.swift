internal import Basics
internal import ParleyProtocol
internal import ClientTransport

/// The key that opens files that need one for a user: `?auth=`, or the header `Parley-File-Key`.
public struct FileKey: Sendable, Hashable {
  /// The opaque key.
  public var key: String
  /// Unix milliseconds.
  public var expiresAt: Int64

  /// Creates a key from the values the server sent.
  public init(key: String, expiresAt: Int64) {
    self.key = key
    self.expiresAt = expiresAt
  }

  /// Parses the member `file_key` of a result; `nil` if the server sends none.
  init?(result: JSONNode) {
    guard let member = result.present("file_key"), let key = member["key"]?.string, !key.isEmpty,
      let expiresAt = member["expires_at"]?.integer
    else { return nil }
    self.init(key: key, expiresAt: expiresAt)
  }
}

/// The latest file key of a client, shared by all its messages.
///
/// Messages read the key when their URLs are read, so an old message uses the current key.
///
/// The URL of a file is determined by its sender's upload, so it may name any host. A key is sent
/// only to the server and to the base URL of its files. If a URL names another host, the file is
/// read from the server.
final class FileKeys: Sendable {
  private struct State {
    var latest: FileKey?
    /// The origin of the base URL that the server announced.
    var base: WebOrigin?
  }

  private let server: WebOrigin?
  private let serverBase: String?
  private let state = Locked(State())

  /// - Parameter serverURL: The address that the client connects to.
  init(serverURL: String) {
    server = WebOrigin(ofServer: serverURL)
    serverBase = ServerBase.url(ofServer: serverURL)
  }

  /// The latest key; `nil` while the server has sent none.
  var current: FileKey? { state.withLock { $0.latest } }

  func keep(_ key: FileKey?) {
    state.withLock { $0.latest = key }
  }

  /// Sets the base URL of all files, as announced by the server.
  func trust(base: String?) {
    let origin = base.flatMap(WebOrigin.init(ofRequest:))
    state.withLock { $0.base = origin }
  }

  /// Returns the URL of a file with the latest key; `nil` while there is none.
  func keyed(_ address: String) -> String? {
    guard let (address, key) = opened(address) else { return nil }
    return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "auth="
      + PercentEncoding.encode(key.key)
  }

  /// Returns the URL to which the key may be sent, and the latest key; `nil` while there is none.
  func opened(_ address: String) -> (address: String, key: FileKey)? {
    let state = state.withLock { $0 }
    guard let key = state.latest, let address = ownAddress(of: address, base: state.base) else {
      return nil
    }
    return (address, key)
  }

  /// Returns the URL of a file to which its key may be sent.
  private func ownAddress(of address: String, base: WebOrigin?) -> String? {
    if let origin = WebOrigin(ofRequest: address), origin == server || origin == base {
      return address
    }
    guard let serverBase, let start = Self.pathStart(in: Array(address.utf8)) else { return nil }
    return serverBase + String(decoding: address.utf8.dropFirst(start), as: UTF8.self)
  }

  /// Returns the index of the last `/files/`, where the path of a file starts; file names have no slash.
  private static func pathStart(in address: [UInt8]) -> Int? {
    let prefix = Array("/files/".utf8)
    guard address.count > prefix.count else { return nil }
    return (0..<address.count - prefix.count).last { address[$0...].starts(with: prefix) }
  }
}

/// The URL of a file or thumbnail for a request by the application, with the key in a header field:
/// proxies log URLs, but not header fields.
public struct FileRequest: Sendable, Hashable {
  /// The URL without a key.
  public let url: String
  /// The header fields to send: `Parley-File-Key` if the file needs a key.
  public let headerFields: [String: String]
}

/// The URL of a file or thumbnail, and the key that opens it.
///
/// Two values are equal if their URLs without keys are equal.
struct KeyedAddress: Sendable, Hashable {
  /// The URL without a key.
  let plain: String
  /// The holder of the key; `nil` for a URL that needs none.
  ///
  /// A URL given by the sender never has one, so that no other server receives the key.
  private let keys: FileKeys?

  init(_ plain: String, openedBy keys: FileKeys?) {
    self.plain = plain
    self.keys = keys
  }

  /// The URL with the client's current key, at the server if the plain URL names another host.
  var keyed: String { keys?.keyed(plain) ?? plain }

  /// The URL and the key as separate values.
  var request: FileRequest {
    guard let (address, key) = keys?.opened(plain) else {
      return FileRequest(url: plain, headerFields: [:])
    }
    return FileRequest(url: address, headerFields: ["Parley-File-Key": key.key])
  }

  static func == (one: KeyedAddress, other: KeyedAddress) -> Bool { one.plain == other.plain }

  func hash(into hasher: inout Hasher) { hasher.combine(plain) }
}
