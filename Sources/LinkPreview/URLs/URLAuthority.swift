/// The host and port of a URL.
struct URLAuthority {
  let host: Host
  let port: UInt16

  init?(_ text: ArraySlice<UInt8>, scheme: WebURL.Scheme) {
    // Userinfo is for credentials, or for passing one site off as another; a preview needs neither.
    guard !text.contains(UInt8(ascii: "@")) else { return nil }
    var hostText = text
    var port = scheme.defaultPort
    if let colon = text.lastIndex(of: UInt8(ascii: ":")),
      !text[colon...].contains(UInt8(ascii: "]"))
    {
      let digits = text[(colon + 1)...]
      guard digits.count <= 8, digits.allSatisfy(\.isASCIIDigit) else { return nil }
      if !digits.isEmpty {
        guard let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0 else {
          return nil
        }
        port = number
      }
      hostText = text[..<colon]
    }
    guard let host = Host(parsing: hostText) else { return nil }
    self.host = host
    self.port = port
  }
}
