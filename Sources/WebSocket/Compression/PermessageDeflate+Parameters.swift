extension PermessageDeflate {
  /// The parameters of one offer or response (RFC 7692 §7.1), each at most once and valid.
  struct Parameters: Equatable {
    /// The client's own window in an offer (§7.1.2.2).
    enum ClientWindow: Equatable {
      case notMentioned
      /// The server may choose.
      case open
      case bits(UInt8)
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: UInt8?
    var clientMaxWindowBits = ClientWindow.notMentioned

    /// Reads parameters, or returns `nil` when one is unknown, doubled or has a wrong value.
    init?(_ parameters: [ExtensionParameter]) {
      var seen: Set<String> = []
      for parameter in parameters {
        guard seen.insert(parameter.name).inserted, take(parameter) else { return nil }
      }
    }

    private mutating func take(_ parameter: ExtensionParameter) -> Bool {
      switch (parameter.name, parameter.value) {
      case ("server_no_context_takeover", nil): serverNoContextTakeover = true
      case ("client_no_context_takeover", nil): clientNoContextTakeover = true
      case ("client_max_window_bits", nil): clientMaxWindowBits = .open
      case ("client_max_window_bits", let value?):
        guard let bits = Self.windowBits(value) else { return false }
        clientMaxWindowBits = .bits(bits)
      case ("server_max_window_bits", let value?):
        guard let bits = Self.windowBits(value) else { return false }
        serverMaxWindowBits = bits
      default: return false
      }
      return true
    }

    /// Reads 8...15, in decimal without leading zeros (§7.1.2.1).
    private static func windowBits(_ text: String) -> UInt8? {
      guard let bits = UInt8(text), (8...15).contains(bits), String(bits) == text else {
        return nil
      }
      return bits
    }
  }
}
