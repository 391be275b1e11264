internal import Basics
internal import HTTP1

/// A proxy that connects to other hosts on request (`CONNECT`, RFC 9110 §9.3.6).
struct ProxyURL: Sendable, Hashable {
  let host: String
  let port: UInt16
  /// The value of `Proxy-Authorization`; `nil` when the URL names no user.
  let authorization: String?

  /// Reads `http://[user:password@]host[:port]`; the port is 80 unless given.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)``.
  init(_ url: String) throws(ConnectionPlanError) {
    let parts = try ConnectionURL(url)
    guard parts.scheme == "http" else {
      throw .invalidConfiguration("the proxy's URL begins with http://")
    }
    guard parts.target.isEmpty || parts.target == "/" else {
      throw .invalidConfiguration("the proxy's URL has a path")
    }
    host = parts.host
    port = parts.port ?? 80
    guard let userInfo = parts.userInfo else {
      authorization = nil
      return
    }
    guard let decoded = PercentEncoding.decode(userInfo.utf8), decoded.contains(UInt8(ascii: ":")),
      decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
    else {
      throw .invalidConfiguration("the proxy's user name and password can't be read")
    }
    authorization = "Basic " + Base64.encode(decoded)
  }
}
