internal import Basics
internal import ClientTransport
internal import ParleyProtocol
internal import Synchronization

/// The key with which a user opens files that need one: `?auth=`, or the field `Parley-File-Key`.
public struct FileKey: Sendable, Hashable {
  /// The opaque key.
  public var key: String
  /// Unix milliseconds.
  public var expiresAt: Int64

  /// Makes a key that the server has given.
  public init(key: String, expiresAt: Int64) {
    self.key = key
    self.expiresAt = expiresAt
  }

  /// Reads the member `file_key` of a result; `nil` where the server gives none.
  init?(result: JSONNode) {
    guard let member = result.present("file_key"), let key = member["key"]?.string, !key.isEmpty,
      let expiresAt = member["expires_at"]?.integer
    else { return nil }
    self.init(key: key, expiresAt: expiresAt)
  }
}

/// The latest file key of a client, which all of its messages share.
///
/// Messages read it when their addresses are asked for, so a message that was received long ago
/// has the key of today.
///
/// The address of a file is by what the upload of its sender named, so it may name any host. A key goes
/// to the server alone, and to the place where the server has its files: where another host is named, the
/// file is read from the server.
final class FileKeys: Sendable {
  private struct State {
    var latest: FileKey?
    /// The origin of the base that the server has named.
    var base: WebOrigin?
  }

  private let server: WebOrigin?
  private let serverBase: String?
  private let state = Mutex(State())

  /// - Parameter serverURL: The address that the client connects to.
  init(serverURL: String) {
    server = WebOrigin(ofServer: serverURL)
    serverBase = ServerBase.url(ofServer: serverURL)
  }

  /// The latest key; `nil` while the server gave none.
  var current: FileKey? { state.withLock { $0.latest } }

  func keep(_ key: FileKey?) {
    state.withLock { $0.latest = key }
  }

  /// Takes the base of the addresses of all files, as the server has named it.
  func trust(base: String?) {
    let origin = base.flatMap(WebOrigin.init(ofRequest:))
    state.withLock { $0.base = origin }
  }

  /// The address of a file with the latest key; `nil` while there is none.
  func keyed(_ address: String) -> String? {
    guard let (address, key) = opened(address) else { return nil }
    return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "auth="
      + PercentEncoding.encode(key.key)
  }

  /// The address where the latest key of a file may be sent, and that key; `nil` while there is none.
  func opened(_ address: String) -> (address: String, key: FileKey)? {
    let state = state.withLock { $0 }
    guard let key = state.latest, let address = ownAddress(of: address, base: state.base) else {
      return nil
    }
    return (address, key)
  }

  /// The address of a file where its key may be sent.
  private func ownAddress(of address: String, base: WebOrigin?) -> String? {
    if let origin = WebOrigin(ofRequest: address), origin == server || origin == base {
      return address
    }
    guard let serverBase, let start = Self.pathStart(in: Array(address.utf8)) else { return nil }
    return serverBase + String(decoding: address.utf8.dropFirst(start), as: UTF8.self)
  }

  /// The place of the last `/files/`, with which the path of a file begins; its name has no slash.
  private static func pathStart(in address: [UInt8]) -> Int? {
    let prefix = Array("/files/".utf8)
    guard address.count > prefix.count else { return nil }
    return (0..<address.count - prefix.count).last { address[$0...].starts(with: prefix) }
  }
}

/// The address of a file or thumbnail for a request of the application's own, with the key in a header
/// field: addresses get into the logs of proxies, header fields do not.
public struct FileRequest: Sendable, Hashable {
  /// The address without a key.
  public let url: String
  /// The header fields to be sent: `Parley-File-Key` if the file needs a key.
  public let headerFields: [String: String]
}

/// The address of a file or thumbnail, and the key that opens it.
///
/// Two addresses are equal when the bare addresses are.
struct KeyedAddress: Sendable, Hashable {
  /// The address without a key.
  let plain: String
  /// The holder of the key; `nil` for an address that needs none.
  ///
  /// An address that a sender gave never has one, so that no other server receives the key.
  private let keys: FileKeys?

  init(_ plain: String, openedBy keys: FileKeys?) {
    self.plain = plain
    self.keys = keys
  }

  /// The address with the key that the client has now, at the server if the bare one names another host.
  var keyed: String { keys?.keyed(plain) ?? plain }

  /// The address and the key apart.
  var request: FileRequest {
    guard let (address, key) = keys?.opened(plain) else {
      return FileRequest(url: plain, headerFields: [:])
    }
    return FileRequest(url: address, headerFields: ["Parley-File-Key": key.key])
  }

  static func == (one: KeyedAddress, other: KeyedAddress) -> Bool { one.plain == other.plain }

  func hash(into hasher: inout Hasher) { hasher.combine(plain) }
}
