/// The `permessage-deflate` extension (RFC 7692 §7): its parameters, and the rules for agreeing on them.
package enum PermessageDeflate {
  /// The extension's name in `Sec-WebSocket-Extensions`.
  package static let name = "permessage-deflate"

  /// The agreed parameters.
  package struct Agreement: Sendable, Hashable {
    /// Whether the server compresses each message independently.
    package var serverNoContextTakeover: Bool
    /// Whether the client compresses each message independently.
    package var clientNoContextTakeover: Bool
    /// The base-2 logarithm of the server's window, 8...15.
    package var serverMaxWindowBits: UInt8
    /// The base-2 logarithm of the client's window, 8...15.
    package var clientMaxWindowBits: UInt8

    /// Makes an agreement; the defaults are those of the RFC.
    package init(
      serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false,
      serverMaxWindowBits: UInt8 = 15, clientMaxWindowBits: UInt8 = 15
    ) {
      self.serverNoContextTakeover = serverNoContextTakeover
      self.clientNoContextTakeover = clientNoContextTakeover
      self.serverMaxWindowBits = serverMaxWindowBits
      self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// The window with which the server may deflate frames for many clients, or `nil` if it may not.
    ///
    /// A shared frame is not part of the connection's own context, which would then differ from what the
    /// client has seen. So the server must have agreed to keep no context.
    package var sharedFrameWindowBits: Int? {
      serverNoContextTakeover && serverMaxWindowBits >= 9 ? Int(serverMaxWindowBits) : nil
    }
  }

  /// Whether compressors may keep the context of earlier messages of their connection.
  package enum Contexts: Sendable, Hashable {
    /// Messages are independent: no memory per connection, and frames can be shared.
    case notKept
    /// Clients may keep theirs, the server keeps none: frames can still be shared, at a cost of up to 40
    /// KiB per connection that has sent a message.
    case clientsKept
    /// Contexts are kept if the client allows it: smaller messages, at a cost of up to 300 KiB per
    /// connection.
    case kept
  }

  /// The parameters that a server accepts.
  package struct Policy: Sendable, Hashable {
    /// The base-2 logarithm of the smallest window that zlib supports for deflating.
    static let smallestWindowBits: UInt8 = 9

    /// Whether contexts may be kept.
    package var contexts: Contexts
    /// The base-2 logarithm of the largest window that the server uses, 9...15.
    package var serverWindowBits: UInt8
    /// The largest window that clients are asked to use, 9...15, if they support the request.
    package var clientWindowBits: UInt8

    /// Makes a policy; window bits outside 9...15 are clamped to that range.
    package init(
      contexts: Contexts = .notKept, serverWindowBits: UInt8 = 15, clientWindowBits: UInt8 = 15
    ) {
      self.contexts = contexts
      self.serverWindowBits = min(max(serverWindowBits, 9), 15)
      self.clientWindowBits = min(max(clientWindowBits, 9), 15)
    }
  }
}

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

    /// Parses parameters, or returns `nil` when one is unknown, repeated or invalid.
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

    /// Parses 8...15, in decimal without leading zeros (§7.1.2.1).
    private static func windowBits(_ text: String) -> UInt8? {
      guard let bits = UInt8(text), (8...15).contains(bits), String(bits) == text else {
        return nil
      }
      return bits
    }
  }
}
