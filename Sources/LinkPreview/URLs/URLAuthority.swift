internal import Basics

/// The host and port of a URL.
struct URLAuthority {
  let host: Host
  let port: UInt16

  init?(_ text: ArraySlice<UInt8>, scheme: WebURL.Scheme) {
    // Userinfo is for credentials, or for passing one site off as another; a preview needs neither.
    guard !text.contains(UInt8(ascii: "@")) else { return nil }
    guard let parts = HostAndPort(splitting: text), let host = Host(parsing: parts.host) else {
      return nil
    }
    var port = scheme.defaultPort
    if let digits = parts.port, !digits.isEmpty {
      guard digits.count <= 8, let number = HostAndPort.number(of: digits), number > 0 else {
        return nil
      }
      port = number
    }
    self.host = host
    self.port = port
  }
}
