internal import COpenSSL

/// The application protocols of one side, in the form of the wire (RFC 7301 §3.1).
///
/// OpenSSL's callback reads the bytes from any thread; they never change, so they may be shared.
final class ALPNProtocols: Sendable {
  nonisolated(unsafe) private let storage: UnsafeBufferPointer<UInt8>

  var wire: UnsafeBufferPointer<UInt8> { storage }

  /// - Throws: ``TLSError/invalidSetting(_:)`` for a name that is empty or longer than 255 bytes,
  ///   or a list longer than 65,535 bytes.
  init(_ names: [String]) throws(TLSError) {
    var bytes: [UInt8] = []
    for name in names {
      guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
        throw .invalidSetting("the ALPN name \"\(name.prefix(40))\" must be of 1 to 255 bytes")
      }
      bytes.append(length)
      bytes.append(contentsOf: name.utf8)
    }
    guard bytes.count <= 65_535 else {
      throw .invalidSetting("the ALPN names are longer than 65535 bytes together")
    }
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    storage = UnsafeBufferPointer(copy)
  }

  deinit {
    storage.deallocate()
  }

  /// Makes a server's context choose from these, in the server's order.
  ///
  /// A client that offers ALPN but none of these is refused with `no_application_protocol`, as
  /// RFC 7301 §3.2 demands; one that offers none goes on without. The context keeps no reference:
  /// this object must live as long as it.
  func install(inServer context: OpaquePointer) {
    guard wire.count > 0 else { return }
    SSL_CTX_set_alpn_select_cb(
      context,
      { _, selected, selectedLength, offered, offeredLength, argument in
        guard let selected, let argument else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        let own = Unmanaged<ALPNProtocols>.fromOpaque(argument).takeUnretainedValue().wire
        var choice: UnsafeMutablePointer<UInt8>?
        let outcome = SSL_select_next_proto(
          &choice, selectedLength, own.baseAddress, UInt32(own.count), offered, offeredLength)
        guard outcome == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        selected.pointee = UnsafePointer(choice)
        return SSL_TLSEXT_ERR_OK
      },
      Unmanaged.passUnretained(self).toOpaque())
  }
}
